// Bugs that the virtual build can plant, one per run, to prove that tools/explore finds such bugs (test/explore). In
// all other builds planted() is false, and the code is as if it were not there. Each stands for a variant that the
// named model in test/model/ refutes, or for a bug that was fixed.
#pragma once

// PLANT(id, name, what is wrong then)
#define CHOMP_PLANTS(PLANT)                                                                                            \
  PLANT(kParkWithoutFence, "park_without_fence", "park() looks a last time without the heavy fence (parking.pml)")     \
  PLANT(kAskBeforeTaking, "ask_before_taking", "a straggler takes without asking after (next_region.pml)")             \
  PLANT(kRevokeUnasked, "revoke_unasked", "a straggler revokes tasks of the next region (next_region.pml)")            \
  PLANT(kRevokeWithoutFence, "revoke_without_fence",                                                                   \
        "revoke() reads the top without the heavy fence (revocation.pml)")                                             \
  PLANT(kPopWithoutLookingBack, "pop_without_looking_back", "pop_above() ignores the limit (revocation.pml)")          \
  PLANT(kUnlockWakesNobody, "unlock_wakes_nobody", "Lock::unlock() forgets its sleepers")                              \
  PLANT(kUnlockRelaxed, "unlock_relaxed", "Lock::unlock() releases nothing")                                           \
  PLANT(kPushRelaxed, "push_relaxed", "push() publishes its slot without release")                                     \
  PLANT(kReadGroupLate, "read_group_late",                                                                             \
        "a member reads of a taskgroup what it has counted down, which may be free")                                   \
  PLANT(kStartWithoutFence, "start_without_fence",                                                                     \
        "a sleeper between regions looks without the heavy fence (region_start.pml)")                                  \
  PLANT(kBriefSleepForEver, "brief_sleep_for_ever",                                                                    \
        "a sleep without the heavy fence, where other callers want the CPU, does not end by itself")                   \
  PLANT(kRestForEver, "rest_for_ever", "no hand-over seems worth it, and a lookout sleeps without a timeout")          \
  PLANT(kLeaveUnasked, "leave_unasked", "a wait ends, and nobody is told of what the last task has released")          \
  PLANT(kEndUnannounced, "end_unannounced", "the last to arrive at a region's end does not wake its primary")          \
  PLANT(kLeaveUncombined, "leave_uncombined",                                                                          \
        "a member that has the partial results of its group leaves them there and goes on (reduction.pml)")            \
  PLANT(kTakeTeamInUse, "take_team_in_use", "a team is used again before the last of its threads has left it")         \
  PLANT(kEndWithRole, "end_with_role", "a pool thread that has been told to end becomes the pool's timekeeper")        \
  PLANT(kStayInPool, "stay_in_pool",                                                                                   \
        "a free agent is not taken out of the pool, so that a region may take it (free_agents.pml)")                   \
  PLANT(kOpenGatePlainly, "open_gate_plainly",                                                                         \
        "the gate of a transparent task closes its list by a plain store (gates.pml)")                                 \
  PLANT(kStopAtFinished, "stop_at_finished", "an ancestor walk does not get past a task that has finished")            \
  PLANT(kHoldTask, "hold_task", "a worker keeps a task that it has taken while a more urgent one runs")                \
  PLANT(kRunYounger, "run_younger", "a transparent task that waits runs one on top that may wait for it")              \
  PLANT(kRunBeforeSiblings, "run_before_siblings",                                                                     \
        "the creator of short tasks runs one with dependences while earlier children are unfinished")                  \
  PLANT(kKeepCount, "keep_count", "a replayed task leaves its count of predecessors at zero")                          \
  PLANT(kKeepBlindly, "keep_blindly",                                                                                  \
        "a task that waits for a replay uses its instance even if it is free (graph_instances.pml)")                   \
  PLANT(kLeaveUncounted, "leave_uncounted", "a task that blocks leaves its stack, and no barrier waits for it")        \
  PLANT(kLeaveLent, "leave_lent",                                                                                      \
        "a replay goes on without a lent task and does not look whether that has finished"                             \
        " (graph_lending.pml)")

namespace chomp {

enum class Plant : int {
#define PLANT(id, name, what) id,
  CHOMP_PLANTS(PLANT)
#undef PLANT
};

#ifdef CHOMP_VIRTUAL
extern "C" int chomp_virtual_plant; // tools/laboratory/virtual/plants.cpp
inline bool planted(Plant plant) { return __builtin_expect(chomp_virtual_plant == static_cast<int>(plant), 0); }
#else
constexpr bool planted(Plant) { return false; }
#endif

} // namespace chomp
