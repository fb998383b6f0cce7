// What an OMPT tool keeps about threads, regions and tasks, and what the runtime has to report to it. These are parts
// of the cold halves of Worker, Team, Member and ObservedTask. Nobody writes them unless somebody observes
// (core/events.h).
#pragma once

#include <cstdint>

namespace chomp {

/// Kinds of barriers, constructs and mutexes, with the interface's numbers.
enum class BarrierKind : uint32_t { kNone = 0, kExplicit = 3, kImplementation = 4, kWorkshare = 8, kParallel = 9 };
enum class WorkKind : uint32_t {
  kNone = 0,
  kSections = 2,
  kSingleExecutor = 3,
  kSingleOther = 4,
  kDistribute = 6,
  kTaskloop = 7,
  kScope = 8,
  kLoopStatic = 10,
  kLoopDynamic = 11,
  kLoopGuided = 12,
  kLoopOther = 13,
};
enum class MutexKind : int {
  kLock = 1,
  kTestLock = 2,
  kNestLock = 3,
  kTestNestLock = 4,
  kCritical = 5,
  kAtomic = 6,
  kOrdered = 7,
};
enum class ChunkKind : int { kSection = 2, kLoop = 3, kTaskloop = 4, kDistribute = 5 };

/// A word of the tool's (ompt_data_t).
struct ToolWord {
  uint64_t value = 0;
};

/// Whose a frame is (ompt_frame_flag_t, with ompt_frame_cfa). chomp gives the frame pointer, which libomp 22 and its
/// tests call the canonical frame address.
enum class FrameOwner : int32_t { kRuntime = 0x10, kProgram = 0x11 };

/// Where a task left the runtime and came back into it (ompt_frame_t; the layout is fixed by the interface). Null: it
/// has not.
struct ToolFrame {
  const void* exit = nullptr;  // the frame that called the task's code
  const void* enter = nullptr; // the runtime's frame that the task's code has called
  FrameOwner exit_owner = FrameOwner::kRuntime;
  FrameOwner enter_owner = FrameOwner::kRuntime;
};
static_assert(sizeof(ToolFrame) == 24);

/// A task as the tool sees it.
struct ToolTask {
  ToolWord data;
  ToolFrame frame;
  uint32_t state = 0;   // ompt_state_t while the task waits; 0: it works
  uint64_t wait_id = 0; // the mutex that it waits for
};

/// A member as the tool sees it.
struct ToolMember {
  ToolTask task;           // the implicit task
  uint32_t work = 0;       // ompt_work_t of the worksharing construct that the member is in; 0: none
  uint64_t work_count = 0; // how many iterations or sections it has
};

/// ToolRegion::flags (ompt_parallel_flag_t): who calls the region's code, and what it is.
inline constexpr uint32_t kByProgram = 1, kByRuntime = 2, kOfLeague = 0x40000000, kOfTeam = 0x80000000;

struct ToolRegion;

/// What a team of one thread executes if that is an initial task: a team of a league, or a target region.
struct ToolInitialTask {
  ToolRegion* league = nullptr; // the league of the team; null: none
  uint32_t teams = 0;           // how many teams that has; 0: this is no initial task
  uint32_t index = 0;           // of the team in its league; 1 outside leagues
};

/// A region as the tool sees it, in its team. A league has one, too, beside those of its teams.
struct ToolRegion {
  ToolWord data;
  const void* site = nullptr; // where the program called the runtime for it
  const void* body = nullptr; // GCC's code: the function that is the region; null: another compiler's
  uint32_t flags = 0;         // ompt_parallel_flag_t
  ToolInitialTask initial;
};

struct DependenceList;

/// A thread as the tool sees it.
struct ToolThread {
  ToolWord data;
  bool begun = false;         // the tool knows the thread
  bool yields = false;        // the current task is in a taskyield
  uint32_t requested = 0;     // threads that the program wants for the next region
  uint32_t region_flags = 0;  // of that region; 0: the usual ones
  const void* body = nullptr; // of GCC's task or region that is being created: its function
  ToolInitialTask initial;    // which one the next serial region is; `teams` 0: none
  const void* site = nullptr; // the address to which the entry point returns that the program has called
  uint32_t barrier = 0;       // what the barriers of that call are (ompt_sync_region_t); 0: the runtime's own
  int inside = 0;             // the callback in which the thread is (Event), or -1: the tool starts or ends; 0: neither
  uint64_t ids = 0;           // how many ompt_get_unique_id() has given on this record, to all its threads
  const DependenceList* dependences = nullptr; // of the task that is being created
  ToolTask waiting;                            // the task that a taskwait with dependences counts as
};

} // namespace chomp
