// Bugs that the virtual build can put in, one per run, to prove that tools/explore finds such bugs (test/explore). In
// all other builds mutated() is false, and the code is as if it were not there. Each stands for a variant that the
// named model in test/model/ refutes, or for a bug that was fixed.
#pragma once

// MUTANT(id, name, what is wrong then)
#define CHOMP_MUTANTS(MUTANT)                                                                                          \
  MUTANT(kParkWithoutFence, "park_without_fence", "park() looks a last time without the heavy fence (parking.pml)")    \
  MUTANT(kAskBeforeTaking, "ask_before_taking", "a straggler takes without asking after (next_region.pml)")            \
  MUTANT(kForcedStealUnasked, "forced_steal_unasked",                                                                  \
         "a straggler steals by force tasks of the next region (next_region.pml)")                                     \
  MUTANT(kForcedStealWithoutFence, "forced_steal_without_fence",                                                       \
         "steal_by_force() reads the top without the heavy fence (forced_steal.pml)")                                  \
  MUTANT(kPopWithoutLookingBack, "pop_without_looking_back", "pop_above() ignores the limit (forced_steal.pml)")       \
  MUTANT(kUnlockWakesNobody, "unlock_wakes_nobody", "Lock::unlock() forgets its sleepers")                             \
  MUTANT(kUnlockRelaxed, "unlock_relaxed", "Lock::unlock() releases nothing")                                          \
  MUTANT(kPushRelaxed, "push_relaxed", "push() publishes its slot without release")                                    \
  MUTANT(kReadGroupLate, "read_group_late",                                                                            \
         "a member reads of a taskgroup what it has counted down, which may be free")                                  \
  MUTANT(kStartWithoutFence, "start_without_fence",                                                                    \
         "a sleeper between regions looks without the heavy fence (region_start.pml)")                                 \
  MUTANT(kBriefSleepForEver, "brief_sleep_for_ever",                                                                   \
         "a sleep without the heavy fence, where other callers want the CPU, does not end by itself")                  \
  MUTANT(kRestForEver, "rest_for_ever", "no hand-over seems worth it, and a sentinel sleeps without a timeout")        \
  MUTANT(kLeaveUnasked, "leave_unasked", "a wait ends, and nobody is told of what the last task has released")         \
  MUTANT(kEndUnannounced, "end_unannounced", "the last to arrive at a region's end does not wake its primary")         \
  MUTANT(kLeaveUncombined, "leave_uncombined",                                                                         \
         "a member that has the partial results of its group leaves them there and goes on (reduction.pml)")           \
  MUTANT(kTakeTeamInUse, "take_team_in_use", "a team is used again before the last of its threads has left it")        \
  MUTANT(kEndWithRole, "end_with_role", "a pool thread that has been told to end becomes the pool's timekeeper")       \
  MUTANT(kStayInPool, "stay_in_pool",                                                                                  \
         "a free agent is not taken out of the pool, so that a region may take it (free_agents.pml)")                  \
  MUTANT(kOpenGatePlainly, "open_gate_plainly",                                                                        \
         "the gate of a transparent task closes its list by a plain store (gates.pml)")                                \
  MUTANT(kStopAtFinished, "stop_at_finished", "an ancestor walk does not get past a task that has finished")           \
  MUTANT(kHoldTask, "hold_task", "a worker keeps a task that it has taken while a more urgent one runs")               \
  MUTANT(kRunYounger, "run_younger", "a transparent task that waits runs one on top that may wait for it")             \
  MUTANT(kRunBeforeSiblings, "run_before_siblings",                                                                    \
         "the creator of short tasks runs one with dependences while earlier children are unfinished")                 \
  MUTANT(kKeepCount, "keep_count", "a replayed task leaves its count of predecessors at zero")                         \
  MUTANT(kKeepBlindly, "keep_blindly",                                                                                 \
         "a task that waits for a replay uses its instance even if it is free (graph_instances.pml)")                  \
  MUTANT(kLeaveUncounted, "leave_uncounted", "a task that blocks leaves its stack, and no barrier waits for it")       \
  MUTANT(kLeaveLent, "leave_lent",                                                                                     \
         "a replay goes on without a lent task and does not look whether that has finished"                            \
         " (graph_lending.pml)")

namespace chomp {

enum class Mutant : int {
#define MUTANT(id, name, what) id,
  CHOMP_MUTANTS(MUTANT)
#undef MUTANT
};

#ifdef CHOMP_VIRTUAL
extern "C" int chomp_virtual_mutant; // tools/laboratory/virtual/mutants.cpp
inline bool mutated(Mutant mutant) { return __builtin_expect(chomp_virtual_mutant == static_cast<int>(mutant), 0); }
#else
constexpr bool mutated(Mutant) { return false; }
#endif

} // namespace chomp
