// Strands, and what orders them, as the runtime's tools interface tells it (OpenMP 5.2, chapter 19): creation, begin
// and end of tasks, dependences, waits, barriers, locks, regions. Each event is also a point where another thread may
// run.
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/strand.h"

namespace explore {
namespace {

using virtual_machine::current;
using virtual_machine::permanent;
using virtual_machine::point;
using virtual_machine::Touch;

// ---- Strands --------------------------------------------------------------------------------------------------------

Strand* just_completed[virtual_machine::kMaxFibers];
Strand* newest = nullptr;
constexpr uint32_t kChunk = 1024;
Strand** chunks[1 << 14]; // strands by number
uint32_t strand_count = 0;
char only_file[256]; // empty: all regions are explored
int only_line = 0;

template <typename T> T* make() { return new (permanent(sizeof(T))) T(); }

} // namespace

Strand* on_fiber[virtual_machine::kMaxFibers];
Strand* strand_number(uint32_t id) { return chunks[id / kChunk][id % kChunk]; }
Strand* last_strand() { return newest; }
void note_order(uint32_t what) {
  virtual_machine::last_progress = virtual_machine::report->steps;
  just_completed[current->id] = nullptr;
  uint64_t& order = findings->order;
  order = (order ^ what ^ static_cast<uint64_t>(current->id) << 32) * 0x9e3779b97f4a7c15 + 1;
}

// The same in each order: how many its parent had made before says which one it is.
static uint64_t name_within(Strand* parent, uint64_t salt) {
  uint64_t above = parent != nullptr ? parent->name : 0, number = parent != nullptr ? parent->made++ : 0;
  return (above ^ (number << 8 | salt)) * 0x9e3779b97f4a7c15 + number + 1;
}

Strand* new_strand(Kind kind, Strand* parent, const void* site) {
  auto* strand = make<Strand>();
  strand->id = ++strand_count;
  if (strand->id / kChunk >= sizeof chunks / sizeof *chunks) virtual_machine::fail("more than 16 million tasks");
  Strand**& chunk = chunks[strand->id / kChunk];
  if (chunk == nullptr) chunk = static_cast<Strand**>(permanent(kChunk * sizeof(Strand*)));
  chunk[strand->id % kChunk] = strand;
  strand->kind = kind;
  strand->site = site;
  strand->parent = parent;
  strand->name = name_within(parent, static_cast<uint64_t>(kind) + 1);
  strand->previous_made = newest;
  newest = strand;
  return strand;
}

static int open_tasks = 0; // made, and not at their end

bool program_has_threads = false;

bool is_alone(const Strand* strand) {
  return strand->kind == Kind::kThread && strand->region == nullptr && open_tasks == 0 && current->id == 0 &&
         !program_has_threads;
}

Strand* first_on(const Fiber& fiber) {
  Strand* strand = on_fiber[fiber.id] = new_strand(Kind::kThread, nullptr, nullptr);
  strand->index = static_cast<uint32_t>(fiber.id);
  strand->name = static_cast<uint64_t>(fiber.id) + 1;
  return strand;
}

// What strands did that used their thread's data, up to where they stopped.
static Clock of_thread[virtual_machine::kMaxFibers];

void uses_thread(Strand* strand) {
  if (strand->with_thread) return;
  strand->with_thread = true;
  acquire(strand, of_thread[current->id]);
}

// What it knows of its thread's data, it knows of the thread that it had.
void may_change_thread() {
  Strand* strand = running();
  if (!strand->untied || !strand->with_thread) return;
  of_thread[current->id].join(release(strand));
  strand->with_thread = false;
  strand->moves = true;
}

void run_on_current_fiber(Strand* strand) {
  Strand* before = on_fiber[current->id];
  if (before == strand) return;
  change_strand(before, strand);
  if (before != nullptr && before->with_thread) of_thread[current->id].join(release(before));
  if (strand->with_thread) acquire(strand, of_thread[current->id]);
  on_fiber[current->id] = strand;
  if (only_file[0] != 0) current->elsewhere = strand->region == nullptr || !strand->region->explored;
}

void explore_only(const char* file_and_line) {
  const char* colon = strrchr(file_and_line, ':');
  if (colon == nullptr) return;
  snprintf(only_file, sizeof only_file, "%.*s", static_cast<int>(colon - file_and_line), file_and_line);
  only_line = atoi(colon + 1);
  current->elsewhere = true;
}

Strand* take_completed() {
  Strand* task = just_completed[current->id];
  just_completed[current->id] = nullptr;
  return task;
}

Clock release(Strand* strand) { return strand->known.with(strand->id, strand->epoch++); }

static Fulfilment* fulfilments; // the newest

void begin_fulfilling(Strand* strand) {
  auto* call = make<Fulfilment>();
  call->before = release(strand);
  call->older = fulfilments;
  fulfilments = strand->fulfils = call;
}

// What the thread of the task itself tells may be any call that nobody has told of: the task's end comes after all.
static void note_fulfilled(Strand* task) {
  if (Fulfilment* own = running()->fulfils; own != nullptr) {
    own->told = true;
    return task->fulfilled.join(own->before);
  }
  for (Fulfilment* any = fulfilments; any != nullptr; any = any->older)
    if (!any->told) task->fulfilled.join(any->before);
}

namespace {

// ---- Dependences ----------------------------------------------------------------------------------------------------

enum DependenceType { kIn = 1, kOut, kInOut, kMutexInOutSet, kSource, kSink, kInOutSet, kAllMemory = 34 };

} // namespace

// What the children of one strand name in their depend clauses: the ends of those that did so, by how. A child that
// writes comes after all of them; one that reads, after all but readers; those of an inoutset, after all but each
// other. The runtime starts no child before them, so whoever has ended when a child begins is one that it waited for.
struct Dependences {
  struct Entry {
    uint64_t address;
    Clock in, out, set, mutex;
    Entry* next;
  };
  static constexpr int kBuckets = 32;
  Entry* entries[kBuckets] = {};
  Clock everything, all_memory;

  Entry& of(uint64_t address) {
    Entry*& bucket = entries[(address * 0x9e3779b97f4a7c15) >> 59];
    for (Entry* entry = bucket; entry != nullptr; entry = entry->next)
      if (entry->address == address) return *entry;
    Entry* entry = make<Entry>();
    entry->address = address;
    entry->next = bucket;
    return *(bucket = entry);
  }
};

namespace {

void begin_after(Strand* strand, Dependences& table) {
  acquire(strand, table.all_memory);
  for (int i = 0; i < strand->item_count; ++i) {
    if (strand->items[i].type == kAllMemory) {
      acquire(strand, table.everything);
      continue;
    }
    const Dependences::Entry& entry = table.of(strand->items[i].address);
    acquire(strand, entry.out);
    if (strand->items[i].type != kInOutSet) acquire(strand, entry.set);
    acquire(strand, entry.mutex);
    if (strand->items[i].type != kIn) acquire(strand, entry.in);
  }
}

// The strand whose children it stands beside, too, if `parent` is transparent; else null.
Strand* outside(const Strand* parent) { return parent->transparent ? parent->parent : nullptr; }

void begin_dependent(Strand* strand, const Strand* parent) {
  for (; strand->item_count != 0 && parent != nullptr; parent = outside(parent))
    if (parent->dependences != nullptr) begin_after(strand, *parent->dependences);
}

void end_in(const Strand* strand, Clock end, Dependences*& table) {
  if (table == nullptr) table = make<Dependences>();
  table->everything.join(end);
  for (int i = 0; i < strand->item_count; ++i) {
    if (strand->items[i].type == kAllMemory) {
      table->all_memory.join(end);
      continue;
    }
    Dependences::Entry& entry = table->of(strand->items[i].address);
    switch (strand->items[i].type) {
    case kIn: entry.in.join(end); break;
    case kInOutSet: entry.set.join(end); break;
    case kMutexInOutSet: entry.mutex.join(end); break;
    default: entry.out.join(end);
    }
  }
}

// Whoever depends on a transparent task waits for those of its children that have dependences.
void end_dependent(const Strand* strand, Clock end) {
  if (strand->item_count == 0 || strand->parent == nullptr) return;
  end_in(strand, end, strand->parent->dependences);
  for (const Strand* above = strand->parent; Strand* beyond = outside(above); above = beyond) {
    end_in(strand, end, beyond->dependences);
    end_in(above, end, beyond->dependences);
  }
}

// ---- The interface's types ------------------------------------------------------------------------------------------

union Data {
  uint64_t value;
  void* pointer;
};
Strand* strand_of(const Data* data) {
  return data != nullptr && data->pointer != nullptr ? static_cast<Strand*>(data->pointer) : running();
}
enum Endpoint { kBegin = 1, kEnd = 2 };
enum TaskFlags {
  kInitialTask = 0x1,
  kExplicitTask = 0x4,
  kTaskwaitTask = 0x10,
  kImporting = 0x02000000,
  kUndeferred = 0x08000000,
  kUntied = 0x10000000
};

// ---- Regions and implicit tasks -------------------------------------------------------------------------------------

const void* (*get_body)() = nullptr; // the runtime's

/// Of GCC's constructs the function, since their calls have no line of their own. Of a call that goes through this
/// library, the program's own.
const void* site_of_construct(const void* site) {
  if (const void* programs = running()->calls_from) return programs;
  const void* body = get_body();
  return body != nullptr ? entry_site(body) : site;
}

void parallel_begin(Data* encountering, const void*, Data* parallel, unsigned, int, const void* site) {
  site = site_of_construct(site);
  auto* region = make<Region>();
  region->site = site;
  region->of_gcc = get_body() != nullptr;
  region->parent = strand_of(encountering);
  region->name = name_within(region->parent, 0);
  if (only_file[0] != 0) {
    bool within = region->parent->region != nullptr && region->parent->region->explored;
    region->explored = within || is_line(site, only_file, only_line);
    findings->region_seen = findings->region_seen || region->explored;
  }
  region->begin = release(region->parent);
  parallel->pointer = region;
  note_order(1);
  point(site, "parallel");
}

void parallel_end(Data* parallel, Data* encountering, int, const void*) {
  auto* region = static_cast<Region*>(parallel->pointer);
  if (region == nullptr) return;
  Strand* strand = strand_of(encountering);
  for (const Clock& ends : region->barrier) acquire(strand, ends);
  run_on_current_fiber(strand);
}

void implicit_task(int endpoint, Data* parallel, Data* task, unsigned, unsigned index, int flags) {
  auto* region = parallel != nullptr ? static_cast<Region*>(parallel->pointer) : nullptr;
  if (endpoint == kBegin) {
    if (region == nullptr) { // the initial task of a thread, or what a target construct runs here
      task->pointer = running();
      return;
    }
    Strand* strand = new_strand(Kind::kImplicit, region->parent, region->site);
    strand->region = region;
    strand->index = index;
    strand->name = region->name * 31 + index + 1; // whoever comes first
    strand->known = region->begin;
    strand->below = running();
    strand->begun = true;
    task->pointer = strand;
    run_on_current_fiber(strand);
    note_order(2 + index);
    point(region->site, "implicit task");
    return;
  }
  Strand* strand = strand_of(task);
  if (strand->kind != Kind::kImplicit || strand->ended) return;
  strand->ended = true;
  findings->has_league = findings->has_league || (flags & kInitialTask) != 0;
  if ((flags & kInitialTask) != 0) strand->region->barrier[0].join(release(strand)); // of a league: it has no barrier
  acquire(strand->below, release(strand)); // its thread may destroy objects that it has used
  run_on_current_fiber(strand->below);
}

// ---- Tasks ----------------------------------------------------------------------------------------------------------

void task_create(Data* encountering, const void*, Data* created, int flags, int, const void* site) {
  site = site_of_construct(site);
  Strand* parent = strand_of(encountering);
  Strand* strand = new_strand((flags & kTaskwaitTask) != 0 ? Kind::kWait : Kind::kTask, parent, site);
  strand->undeferred = (flags & kUndeferred) != 0;
  strand->untied = (flags & kUntied) != 0;
  strand->transparent = (flags & kImporting) != 0;
  strand->region = parent->region;
  strand->group = parent->group;
  strand->phase = parent->phase;
  strand->known = release(parent);
  created->pointer = strand;
  note_order(3);
  open_tasks += strand->kind == Kind::kTask;
  if (strand->kind == Kind::kTask) point(site, "task made");
  may_change_thread();
}

struct OmptDependence {
  Data variable;
  int type;
};

// The loop is the worksharing construct of that number which the threads of the region meet: two loops without a
// barrier between them have iterations of the same numbers.
uint64_t iteration_key(const Strand* strand, const OmptDependence* items, int count) {
  uint64_t key = reinterpret_cast<uint64_t>(strand->region) + strand->works;
  for (int i = 0; i < count; ++i) key = (key ^ items[i].variable.value) * 0x9e3779b97f4a7c15;
  return key << 8;
}
enum HandoverKind : uint64_t { kIteration = 3, kMutex = 4 };

void dependences(Data* task, const OmptDependence* items, int count) {
  if (count == 0) return;
  Strand* strand = strand_of(task);
  if (items[0].type == kSource) {
    handover(iteration_key(strand, items, count), kIteration).clock = release(strand);
    return point(nullptr, "ordered depend(source)");
  }
  if (items[0].type == kSink) { // the wait is over
    acquire(strand, handover(iteration_key(strand, items, count), kIteration).clock);
    return;
  }
  auto* own = static_cast<Item*>(permanent(static_cast<size_t>(count) * sizeof(Item)));
  for (int i = 0; i < count; ++i) own[i] = {items[i].variable.value, items[i].type};
  for (int i = 0; i < count; ++i)
    if (items[i].type == kMutexInOutSet) virtual_machine::not_all("tasks exclude each other by mutexinoutset");
  strand->items = own;
  strand->item_count = count;
  if (strand->kind != Kind::kWait) return;
  strand->waiting = {5, strand->site, 0};
  point(strand->site, "taskwait depend");
}

constexpr int kWaitsForChildren = 5, kWaitsForGroup = 6;

// Everything that waits for the task learns what it knows. So may its creator, if that went on only then.
void finish(Strand* strand) {
  Strand* parent = strand->parent;
  strand->ended = true;
  if (parent == nullptr) return; // no task
  open_tasks -= strand->kind == Kind::kTask;
  Clock end = release(strand);
  end.join(strand->fulfilled);
  parent->children.join(end);
  if (strand->group != nullptr) strand->group->ends.join(end);
  if (strand->region != nullptr) strand->region->barrier[strand->phase & 1].join(end);
  end_dependent(strand, end);
  if (strand->undeferred) acquire(parent, end);
}

enum Status { kComplete = 1, kYield, kCancelled, kDetach, kEarlyFulfil, kLateFulfil, kSwitch, kTaskwaitComplete };

// While a thread runs a task that the one below does not wait for, that one cannot go on.
void runs_on_top(const Strand* below, const Strand* strand) {
  if (below->waiting.what == kWaitsForChildren && strand->parent == below) return;
  if (below->waiting.what == kWaitsForGroup)
    for (const Group* group = strand->group; group != nullptr; group = group->outer)
      if (group == below->group) return;
  if (below->waiting.what == kWaitsForChildren || below->waiting.what == kWaitsForGroup)
    virtual_machine::not_all(
        "a thread that waited in a task ran another one meanwhile: --threads with a larger number");
}

void task_schedule(Data* prior, int status, Data* next) {
  Strand* before = strand_of(prior);
  switch (status) {
  case kEarlyFulfil: note_fulfilled(before); return;
  case kLateFulfil:
    note_fulfilled(before);
    before->detached = false;
    finish(before);
    return;
  case kTaskwaitComplete:
    begin_dependent(before, before->parent);
    before->ended = true;
    acquire(running(), before->known);
    return;
  case kComplete:
  case kCancelled: finish(before); break;
  case kDetach: before->detached = true; break;
  default: break;
  }
  if (next == nullptr) return;
  Strand* strand = strand_of(next);
  if (status == kSwitch) runs_on_top(before, strand);
  run_on_current_fiber(strand);
  if (strand->kind == Kind::kTask && !strand->begun) {
    strand->begun = true;
    begin_dependent(strand, strand->parent);
  }
  note_order(64 + strand->id);
  just_completed[current->id] = status == kComplete || status == kCancelled ? before : nullptr;
  point(strand->site, "task begins or ends");
}

// ---- Waiting --------------------------------------------------------------------------------------------------------

enum Sync {
  kBarrier = 1,
  kImplicitBarrier,
  kExplicitBarrier,
  kImplementation,
  kTaskwait,
  kTaskgroup,
  kReduction,
  kWorkshareEnd,
  kRegionEnd,
  kTeamsEnd
};
bool is_barrier(int what) { return what != kTaskwait && what != kTaskgroup && what != kReduction; }

bool may_be_one(const Met& a, const Met& b) {
  if (a.what == kImplementation || b.what == kImplementation) return true;
  auto either = [](int what) { return what == kBarrier || what == kExplicitBarrier; };
  if (a.what == kBarrier || b.what == kBarrier) return either(a.what) && either(b.what);
  return a.what == b.what && (a.what != kExplicitBarrier || same_line(a.site, b.site));
}

void meet_barrier(Strand* strand, int what, const void* site) {
  Region* region = strand->region;
  if (strand->of_gcc && !has_own_line(site)) what = kBarrier; // GCC at -O2 has copies of one, with lines of others
  strand->of_gcc = false;
  Met now = {strand->phase + 1, what, site, strand}, &met = region->barriers[strand->phase & 1];
  if (met.number != now.number) {
    met = now;
  } else if (!region->cancelled && !may_be_one(met, now)) {
    report_mismatch(region, met, now, true);
  }
  if (what != kRegionEnd || region->cancelled) return;
  if (region->first_at_end == nullptr) region->first_at_end = strand;
  const Strand* other = region->first_at_end;
  if (other->works == strand->works) return;
  const Strand* fewer = other->works < strand->works ? other : strand;
  const Met& missed = region->works[fewer->works % Region::kWorks];
  report_mismatch(region, missed, {missed.number, 0, nullptr, fewer}, false);
}

void sync_region(int what, int endpoint, Data*, Data* task, const void* site) {
  Strand* strand = strand_of(task);
  Region* region = strand->region;
  if (endpoint == kBegin) {
    if (what == kTaskgroup) {
      auto* group = make<Group>();
      group->outer = strand->group;
      strand->group = group;
    } else if (is_barrier(what) && region != nullptr && strand->kind == Kind::kImplicit) {
      meet_barrier(strand, what, site);
      region->barrier[strand->phase & 1].join(release(strand));
    }
    note_order(32 + static_cast<uint32_t>(what));
    point(site, "wait");
    return;
  }
  if (what == kTaskwait) {
    acquire(strand, strand->children);
  } else if (what == kTaskgroup) {
    if (strand->group == nullptr) return;
    acquire(strand, strand->group->ends);
    strand->group = strand->group->outer;
  } else if (is_barrier(what) && region != nullptr && strand->kind == Kind::kImplicit) {
    acquire(strand, region->barrier[strand->phase & 1]);
    ++strand->phase;
  }
  may_change_thread();
}

void sync_region_wait(int what, int endpoint, Data*, Data* task, const void* site) {
  Strand* strand = strand_of(task);
  strand->waiting = endpoint == kBegin ? Waiting{what, site, 0} : Waiting{};
}

void work(int kind, int endpoint, Data*, Data* task, uint64_t, const void* site) {
  constexpr int kSections = 2, kSingle = 3, kSingleOther = 4, kDistribute = 6, kTaskloop = 7, kDynamic = 11,
                kOther = 13;
  Strand* strand = strand_of(task);
  Region* region = strand->region;
  strand->by_chance = endpoint == kBegin && (kind == kSections || kind == kSingle || kind >= kDynamic);
  if (endpoint != kBegin || region == nullptr || strand->kind != Kind::kImplicit) return;
  if (kind == kDistribute || kind == kTaskloop) return;
  if (kind == kSingleOther) kind = kSingle;
  if (kind >= kDynamic && kind <= kOther)
    virtual_machine::not_all("a loop's schedule is dynamic: which thread runs which iteration is not tried");
  Met& met = region->works[strand->works % Region::kWorks];
  ++strand->works;
  if (met.number < strand->works)
    met = {strand->works, kind, site, strand};
  else if (met.number == strand->works && !region->cancelled && !same_line(site, met.site))
    report_mismatch(region, met, {met.number, kind, site, strand}, false);
  point(site, "worksharing");
}

void cancel(Data* task, int flags, const void*) {
  constexpr int kParallel = 1, kActivated = 16;
  Strand* strand = strand_of(task);
  virtual_machine::not_all("it cancels");
  if (strand->region != nullptr && (flags & (kParallel | kActivated)) != 0) strand->region->cancelled = true;
}

// ---- Mutual exclusion -----------------------------------------------------------------------------------------------

constexpr int kMutexKinds = 100;
enum MutexKind { kTestLock = 2, kTestNestLock = 4, kOrdered = 7 };

void mutex_acquire(int kind, unsigned, unsigned, uint64_t object, const void* site) {
  running()->waiting = {kMutexKinds + kind, site, object};
  bool tests = kind == kTestLock || kind == kTestNestLock;
  Touch touch = kind == kOrdered ? Touch::kNone : tests ? Touch::kTest : Touch::kAcquire;
  point(site, "lock", reinterpret_cast<const void*>(object), touch);
}

void mutex_acquired(int kind, uint64_t object, const void* site) {
  Strand* strand = running();
  Handover& lock = handover(object, kMutex);
  object_changed(reinterpret_cast<const void*>(object));
  strand->waiting = {};
  if (determinacy && kind != kOrdered) {
    holds(strand, object);
    lock.holder = strand;
    lock.site = site;
    return note_order(16);
  }
  acquire(strand, lock.clock);
  if (lock.holder != nullptr && lock.holder != strand) acquire(strand, release(lock.holder)); // it is about to say so
  lock.holder = strand;
  lock.site = site;
  note_order(16);
}

void mutex_released(int, uint64_t object, const void* site) {
  Handover& lock = handover(object, kMutex);
  if (determinacy) lets_go(running(), object);
  object_changed(reinterpret_cast<const void*>(object));
  lock.clock.join(release(running()));
  if (lock.holder == running()) lock.holder = nullptr;
  point(site, "unlock");
}

void flush(Data*, const void* site) {
  constexpr int kSeqCst = 5; // Clang does not say whether less is asked for
  virtual_machine::fence(kSeqCst, site);
}

// ---- The tool -------------------------------------------------------------------------------------------------------

using Function = void (*)();
using SetCallback = int (*)(int event, Function function);

template <typename F> Function as_function(F* function) { return reinterpret_cast<Function>(function); }

int initialize(Function (*lookup)(const char*), int, Data*) {
  auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  get_body = reinterpret_cast<const void* (*)()>(lookup("chomp_get_body"));
  set(3, as_function(parallel_begin));
  set(4, as_function(parallel_end));
  set(5, as_function(task_create));
  set(6, as_function(task_schedule));
  set(7, as_function(implicit_task));
  set(16, as_function(sync_region_wait));
  set(17, as_function(mutex_released));
  set(18, as_function(dependences));
  set(20, as_function(work));
  set(23, as_function(sync_region));
  set(26, as_function(mutex_acquire));
  set(27, as_function(mutex_acquired));
  set(29, as_function(flush));
  set(30, as_function(cancel));
  return 1;
}
void finalize(Data*) {}

struct StartResult {
  int (*initialize)(Function (*)(const char*), int, Data*);
  void (*finalize)(Data*);
  Data data;
};
StartResult result = {initialize, finalize, {}};

} // namespace
} // namespace explore

// The runtime looks for this name. A tool of the program's own is not started in explored runs.
extern "C" __attribute__((visibility("default"))) void* ompt_start_tool(unsigned, const char*) {
  return virtual_machine::active ? &explore::result : nullptr;
}
