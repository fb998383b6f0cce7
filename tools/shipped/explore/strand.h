// What runs: tasks, implicit tasks, threads, each a *strand*; and what orders them. A strand knows how much of each
// other strand's past happens before what it does next. events.cpp makes and orders strands by what the runtime's tools
// interface (OMPT) says, memory.cpp by atomics, locks and threads of libc; shadow.cpp asks.
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/clock.h"

namespace explore {

using virtual_machine::Fiber;

struct Region;
struct Group;
struct Dependences;

enum class Kind : uint8_t { kThread, kImplicit, kTask, kWait };

/// What a strand waits for. The numbers are those of ompt_sync_region_t and, from 100 on, ompt_mutex_t.
struct Waiting {
  int what = 0; // 0: it does not wait
  const void* site = nullptr;
  uint64_t object = 0;
};

/// The memory that a dependence names, and how (ompt_dependence_type_t).
struct Item {
  uint64_t address;
  int type;
};

struct Strand {
  uint32_t id = 0;
  uint32_t epoch = 1;
  uint64_t name = 0;  // the same in each order of events
  uint16_t locks = 0; // a number for the set of those that it holds (determinacy)
  uint32_t made = 0;  // strands and regions, by it
  Kind kind = Kind::kThread;
  bool undeferred = false;
  bool untied = false;
  bool transparent = false; // its children's dependences meet those of tasks outside
  bool moves = false; // it is untied, has used what belongs to its thread, and may have gone on on another one since
  bool begun = false;
  bool ended = false;
  bool detached = false;                       // its body has ended, its event is not fulfilled
  bool with_thread = false;                    // it has used what belongs to its thread, or asked which thread that is
  bool by_chance = false;                      // it is in what any thread of its region may do: a section, a single
  bool has_calls = false;                      // its calls are known
  bool must_forget = false;                    // forget_left_behind()
  bool of_gcc = false;                         // it is in a barrier that GCC's code calls
  uint32_t calls_begin = 0, calls_end = 0;     // of those that its fiber is in (functions.cpp)
  uintptr_t lowest = UINTPTR_MAX, highest = 0; // where its frames have lain
  int ignoring = 0;                            // the runtime calls the program's code with memory that it orders itself
  uint32_t index = 0;                          // of an implicit task; else the number of the thread
  uint32_t phase = 0;                          // barriers of its region that it has left
  uint32_t works = 0;                          // worksharing constructs that it has met
  const void* site = nullptr;                  // where it was made
  const void* calls_from = nullptr;            // while this library calls the runtime for it
  const void* entry = nullptr;                 // in its first function
  Clock known;
  Clock children; // the ends of its children
  Clock fulfilled;
  Clock pending;       // of atomics read relaxed: an acquire fence takes it over
  Clock release_fence; // as of its last release fence
  Clock fences;        // what all knew at its last fence that is seq_cst
  bool has_release_fence = false;
  uint8_t in_a_row = 0; // loads that have returned older values
  Strand* parent = nullptr;
  Strand* below = nullptr; // what its thread ran before
  Strand* previous_made = nullptr;
  Region* region = nullptr;
  Group* group = nullptr;
  Dependences* dependences = nullptr; // of its children
  const Item* items = nullptr;        // what it depends on itself
  int item_count = 0;
  struct Fulfilment* fulfils = nullptr; // while it calls omp_fulfill_event
  Waiting waiting;
};

struct Group {
  Clock ends; // of the tasks in it
  Group* outer = nullptr;
};

/// A call of omp_fulfill_event. Where the event's task returns at that moment, its thread tells of the fulfilment.
struct Fulfilment {
  Clock before; // what the caller had done
  bool told = false;
  Fulfilment* older = nullptr;
};

/// What threads of a region meet together must be the same: what the first one met.
struct Met {
  uint32_t number = 0; // 0: none yet
  int what = 0;
  const void* site = nullptr;
  const Strand* by = nullptr;
};

struct Region {
  bool explored = true; // unless others are asked for
  bool of_gcc = false;
  uint64_t name = 0;
  const void* site = nullptr;
  Strand* parent = nullptr;
  Clock begin;
  Clock barrier[2]; // what threads and tasks bring to barriers of even and of odd numbers
  Clock reduction;
  bool cancelled = false;
  bool is_told = false; // its threads do not meet what they should
  Met barriers[2];
  static constexpr int kWorks = 64;
  Met works[kWorks];
  const Strand* first_at_end = nullptr;
};

/// The strand that runs on the current fiber.
extern Strand* on_fiber[virtual_machine::kMaxFibers];
Strand* first_on(const Fiber& fiber);
inline Strand* running_on(const Fiber& fiber) {
  Strand* strand = on_fiber[fiber.id];
  return __builtin_expect(strand != nullptr, 1) ? strand : first_on(fiber);
}
inline Strand* running() { return running_on(*virtual_machine::current); }
void run_on_current_fiber(Strand* strand);
Strand* new_strand(Kind kind, Strand* parent, const void* site);
Strand* last_strand(); // the newest; others by `previous_made`

/// The strand uses what belongs to its thread: it comes after all that others did there before.
void uses_thread(Strand* strand);
/// The current strand has come to where an untied task may go on on another thread.
void may_change_thread();

/// Until `fulfils` is null again.
void begin_fulfilling(Strand* strand);

/// What happens before is handed over: everything that the strand has done up to now.
Clock release(Strand* strand);
inline void acquire(Strand* strand, Clock from) { strand->known.join(from); }
inline bool happened_before(uint32_t strand, uint32_t epoch, const Strand* now) {
  return strand == now->id || epoch <= now->known.of(strand);
}
Strand* strand_number(uint32_t id);
/// Nobody else is there, and whoever comes knows what the strand has done: its uses of memory need no record.
bool is_alone(const Strand* strand);
extern bool program_has_threads; // one that it has made may be there for ever

/// A clock that belongs to an address: of a lock, of an atomic object.
struct Handover {
  uint64_t key;
  Clock clock;
  Strand* holder;   // of a lock; of an atomic object, whose store the release sequence begins with
  const void* site; // where that took it
  struct OldValues* values;
};
Handover& handover(uint64_t key, uint64_t kind);

// --- old_values.cpp ---
/// What a load returns, and what it knows if it acquires that.
struct Loaded {
  uint64_t value;
  Clock handed;
};
Loaded load_of(Handover& object, uint64_t newest, unsigned size, bool seq_cst, const void* pc);
/// An object before the store of a strand, which was in that epoch.
struct Store {
  uint64_t value;
  uint32_t epoch;
  Clock handed;
};
/// The current strand has stored `value`, and the object's clock is that of this store.
void note_store(Handover& object, const Store& before, uint64_t value, unsigned size, bool seq_cst);
/// What all strands did before their fences, the strand sees from now on.
void fence_of_all(Strand* strand);
/// Of the object there: it begins a new life, or was written plainly. In memory.cpp.
void forget_old_values(uintptr_t address);

/// Where a strand does something: the code, and the calls that have led there (functions.cpp).
struct Place {
  const void* pc;
  uint32_t calls;
};

// --- shadow.cpp ---
enum class Use : uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree, kScopeEnd };
/// What a write makes of the value that was there; those of one kind may come in any order, but for kAnything.
enum class Change : uint8_t { kAnything, kAdds, kAnds, kOrs, kXors, kUpdatesUnderLock };
void use_memory(const void* address, size_t bytes, Use use, const void* pc, Change change = Change::kAnything);
/// `--determinacy`: locks and atomics keep uses apart, but do not order them; two that do not commute are reported.
extern bool determinacy;
/// The strand holds one lock more, or less.
void holds(Strand* strand, uint64_t lock);
void lets_go(Strand* strand, uint64_t lock);
void forget(const void* address, size_t bytes); // it begins a new life
void frame_begins(uintptr_t low, uintptr_t high);
void frame_ends(uintptr_t low, uintptr_t high, const void* pc);
/// A stretch that belongs to one thread: what tasks do there one after the other is no race.
void belongs_to_thread(const void* address, size_t bytes);
/// Variables that each team has for itself, though all use the same memory in turn: what `earlier` knows of was done by
/// teams before. Until all are done.
void teams_take_turns(uintptr_t low, uintptr_t high, Clock earlier);
void teams_are_done(uintptr_t low);
/// What belongs to the current thread of the process is gone.
void forget_thread_data();

// --- functions.cpp ---
/// A function of the program was called there, by one that was called as `outer` says.
struct CallSite {
  const void* pc = nullptr;
  uint32_t outer = 0;
};
inline uint32_t hash_of(CallSite site) {
  return static_cast<uint32_t>(
      ((reinterpret_cast<uint64_t>(site.pc) ^ uint64_t{site.outer} << 40) * 0x9e3779b97f4a7c15) >> 36);
}
CallSite call_site(uint32_t number); // no pc: it is not known
uint32_t calls_now();                // of the current strand, as a number
uint32_t calls_of(const Fiber& fiber);
/// The current fiber goes on with another strand.
void change_strand(Strand* before, Strand* next);
/// Where `must_forget` says that the current fiber's stack has marks of strands that ran there before: they go when
/// something runs there. `frame_end`: where the frame of a function that begins ends; else 0.
void forget_left_behind(Strand* now, uintptr_t frame_end);
void forget_stack(Strand* strand); // its thread ends

// --- orders.cpp ---
/// What an atomic operation has changed: who waits for that by reading it again may go on.
void object_changed(const void* address);
/// The current strand has written there, plainly.
void note_write(const void* address, size_t bytes);
/// Before begin_run(): this run follows the plan of a search for all orders (search.h).
void follow_plan();

// --- program_calls.cpp ---
/// Memory that the program has allocated.
struct Block {
  uintptr_t address;
  size_t bytes;
  Place place;
};
const Block* block_of(uintptr_t address); // null: none is known
struct CodeRange {
  uintptr_t low, high;
};
int own_operators(CodeRange (&list)[6]); // how many of new and delete the program defines itself

// --- modules.cpp ---
/// Whose code that is: compiled for this, or of a library that is not, or the runtime's.
/// kSystem: of libc, the loader and this library.
enum class Whose : uint8_t { kProgram, kRuntime, kOther, kSystem };
Whose whose(const void* pc);
/// The process begins with code that uses OpenMP, or was compiled for this.
bool uses_openmp();
/// The names that a module asks for or has, one after the other.
struct Names {
  const char* text = nullptr;
  size_t bytes = 0;
};
Names names_in(const dl_phdr_info& module);
bool is_of_library(uintptr_t address); // of its variables: how it orders their uses is not seen
/// Of the program or a library that it uses.
inline bool is_of_program(const void* pc) {
  Whose owner = whose(pc);
  return owner == Whose::kProgram || owner == Whose::kOther;
}
inline bool is_in_runtime(const void* pc) { return whose(pc) == Whose::kRuntime; }

// --- events.cpp ---
/// The event is part of the order that a run took.
void note_order(uint32_t what);
/// The task whose end the current fiber has told, if nothing since; else null. Asked once.
Strand* take_completed();

/// Only what runs in parallel regions that begin there, and in those within, is explored. Null: everything is.
void explore_only(const char* file_and_line);

/// A site is where a call of the program returns to; or, with this bit, where a function begins.
inline constexpr uintptr_t kEntry = uintptr_t{1} << 63;
inline const void* entry_site(const void* function) {
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(function) | kEntry);
}

// --- report.cpp ---
bool is_line(const void* site, const char* file, int line);
struct UseBy {
  const Strand* strand;
  Use use;
  Place place;
};
void report_race(const void* address, size_t bytes, const UseBy& first, const UseBy& second);
void report_order(const void* address, size_t bytes, const UseBy& first, const UseBy& second);
void report_mismatch(Region* region, const Met& first, const Met& second, bool barriers);
bool same_line(const void* a, const void* b);
/// Whether the line of the call that returns there is the call's own. One that GCC has added has that of what lies
/// before it.
bool has_own_line(const void* site);
void describe_stuck();
void describe_switch(const Fiber* now, const Fiber* next, bool wakes);

} // namespace explore
