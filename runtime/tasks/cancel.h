// Cancellation (OpenMP 5.2, chapter 16): requests and where they are seen.
#pragma once

#include <cstdint>

namespace chomp {

struct Task;
struct Team;
struct Worker;

/// The ABI's construct kinds.
enum class CancelKind : int { kNone = 0, kParallel = 1, kLoop = 2, kSections = 3, kTaskgroup = 4 };

/// cancel: requests the cancellation of the innermost region of that kind. True when the request holds: the caller
/// leaves the region. Always false while cancel-var is false.
bool cancel_request(Worker* worker, CancelKind kind);

/// cancellation point: whether the innermost region of that kind has been cancelled.
bool cancel_requested(const Worker* worker, CancelKind kind);

/// A barrier of the program that counts for cancellation: for a barrier inside a region the entry points call this, not
/// barrier_wait().
void counted_barrier(Worker* worker);

/// The same barrier, after which members copy what the executor of a single construct has. The next one of any kind
/// ends the copying. These two wait for the others in a cancelled region, too.
void barrier_before_copies(Worker* worker);

/// The same barrier. Returns whether the parallel region was cancelled before it, and gives all its members the same
/// answer: if so, they leave the region.
bool cancel_barrier(Worker* worker);

/// Called by each member of a region when its body has returned: members that have not met the others yet do it here.
void cancel_meet_at_end(Worker* worker);

/// Whether a task that has not started must be discarded: its taskgroup, one around it, or its parallel region is
/// cancelled. As in libgomp, it runs if objects were copied for it that only its body destroys.
bool task_is_cancelled(Task* task, const Team* team);

/// Forgets the last region's request. Called by worksharing_begin_region().
void cancel_begin_region(Team* team);

// What Team::cancelled holds: 0, or the kind of construct being cancelled with the number of barriers that the
// requester had passed in the region. The word has room for 29 bits of that number, so numbers are compared modulo
// 2^29. That is enough, since members are never more than one barrier apart.
inline constexpr unsigned kCancelKindBits = 3;

constexpr uint32_t cancel_word(uint32_t kind, uint32_t barriers) { return kind | barriers << kCancelKindBits; }

constexpr uint32_t cancel_kind(uint32_t word) { return word & ((1u << kCancelKindBits) - 1); }

/// Whether a member that has passed `barriers` barriers has passed more than the requester had.
constexpr bool cancel_was_before(uint32_t word, uint32_t barriers) {
  // Shifted up, the difference wraps around where the word's number does.
  uint32_t ahead = (barriers << kCancelKindBits) - (word & ~((1u << kCancelKindBits) - 1));
  return ahead != 0 && ahead < 1u << 31;
}

} // namespace chomp
