// CHOMP_RECORD. Each worker writes events, with the time of the cycle counter, into a slot of the file that it has
// mapped. When the slot is full, it takes another (record_file.cpp). In between, an event takes no lock, no atomic
// read-modify-write, no allocation and no system call. However the process ends, nothing has to be written then.
//
// Invariant: RecordChunk::bytes is the end of the chunk's last whole event, so that the file can be read at any time.
#include "runtime/observe/record.h"

#include <errno.h>
#include <new>
#include <string.h>
#include <unistd.h>

#include "runtime/base/counter.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/observe/process_threads.h"
#include "runtime/observe/record_file.h"
#include "runtime/observe/record_format.h"
#include "runtime/core/priority_queue.h"

namespace chomp {

/// A place in the program, as kSite has it; 0: not known.
using Site = uint64_t;

/// What one worker records.
struct RecordStream {
  static constexpr unsigned kKnownSites = 64;
  struct KnownSite {
    Site site;
    uint32_t number;
  };

  RecordCursor cursor; // owner only, like all other fields but `next`
  RecordChunk* chunk;  // null: none yet
  uint8_t* at;         // the end of the last event
  Counter events;      // read at the process's end, while its worker may still count
  uint32_t worker;
  uint32_t domain;
  uint32_t sites;          // how many sites the chunk has named
  int delays = -1;         // a file descriptor: how long the thread was ready without a CPU; -1: not opened
  uint64_t delayed_ns = 0; // what `delays` said last
  KnownSite known_sites[kKnownSites];
  RecordStream* next; // all streams; constant
};

namespace {

constinit atomic<bool> recording{false};
constinit atomic<RecordStream*> streams{nullptr};
constinit double event_ns = 0;
constinit uint64_t long_ticks = UINT64_MAX; // kRecordLongNs

CHOMP_SLOW RecordStream* make_stream(Worker* worker) {
  auto stream = new (memory_permanent(sizeof(RecordStream))) RecordStream{};
  stream->worker = static_cast<uint32_t>(worker->gtid);
  stream->delays = open_own_delays();
  if (stream->delays >= 0) read_own_delays(stream->delays, &stream->delayed_ns);
  RecordStream* head = streams.load(std::memory_order_relaxed); // relaxed: the exchange decides
  do stream->next = head;
  // release: pairs with acquire in process_ends() and forked(); publishes the stream.
  while (!streams.compare_exchange_weak(head, stream, std::memory_order_release, std::memory_order_relaxed));
  return stream;
}

/// Continues the stream in an empty chunk.
void enter_chunk(RecordStream* stream, RecordChunk* chunk) {
  stream->chunk = chunk;
  stream->at = reinterpret_cast<uint8_t*>(chunk + 1);
  stream->sites = 0;
  memset(stream->known_sites, 0, sizeof stream->known_sites);
  stream->cursor = {};
  stream->cursor.ticks = chunk->began_ticks;
}

/// Takes a new slot. If there is none, what the stream records from now on is lost.
CHOMP_SLOW bool take_chunk(RecordStream* stream) {
  RecordChunk* chunk = record_file_next(stream->chunk, stream->worker, stream->domain);
  if (chunk != nullptr)
    enter_chunk(stream, chunk);
  else
    recording.store(false, std::memory_order_relaxed); // relaxed: other workers still have room for their events
  return chunk != nullptr;
}

inline bool has_room(const RecordStream* stream) {
  const uint8_t* end = reinterpret_cast<const uint8_t*>(stream->chunk) + kRecordSlotBytes;
  return static_cast<size_t>(end - stream->at) >= kLongestRecord;
}

/// True when nothing is recorded: the process ends, the disk is full, or a child of fork() has no file. relaxed: set
/// before any event; an event that is recorded too late is harmless.
inline bool off() { return !recording.load(std::memory_order_relaxed); }

/// The worker's stream, with room for one event; null if nothing is recorded.
inline RecordStream* stream_of(Worker* worker) {
  if (off()) return nullptr;
  RecordStream*& stream = worker->observe.record;
  if (CHOMP_UNLIKELY(stream == nullptr)) stream = make_stream(worker);
  if (CHOMP_LIKELY(stream->chunk != nullptr && has_room(stream))) return stream;
  return take_chunk(stream) ? stream : nullptr;
}

/// How long the thread had no CPU since the last call. The worker's thread may be another one by now.
uint64_t newly_delayed_ns(RecordStream* stream) {
  uint64_t now_ns = 0, before_ns = stream->delayed_ns;
  if (stream->delays < 0 || !read_own_delays(stream->delays, &now_ns)) {
    Uncancelled whole;
    // ESRCH: the thread that opened the descriptor is gone. Otherwise the program may have closed it, and may use the
    // number itself.
    if (stream->delays >= 0 && errno == ESRCH) close(stream->delays);
    stream->delays = open_own_delays();
    if (stream->delays < 0 || !read_own_delays(stream->delays, &now_ns)) return 0;
    before_ns = now_ns; // when the thread waited is not known
  }
  stream->delayed_ns = now_ns;
  return now_ns > before_ns ? now_ns - before_ns : 0;
}

/// One event being recorded.
class Recording {
public:
  Recording(RecordStream* stream, RecordKind kind) : Recording(stream, kind, cycle_counter()) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    stream_->at = encoder.end();
    stream_->events.add();
    auto bytes = static_cast<uint32_t>(stream_->at - reinterpret_cast<uint8_t*>(stream_->chunk + 1));
    // release: pairs with the reading of another process (tools/shipped/recording), which finds the events up to there.
    __atomic_store_n(&stream_->chunk->bytes, bytes, __ATOMIC_RELEASE);
  }
  RecordEncoder* operator->() { return &encoder; }

private:
  Recording(RecordStream* stream, RecordKind kind, uint64_t now)
      : stream_(stream), encoder(stream->cursor, stream->at) {
    // After a long time without an event: the thread may have lost its CPU.
    if (CHOMP_UNLIKELY(now - stream->cursor.ticks > long_ticks) && now > stream->cursor.ticks) say_delays(now);
    encoder.kind(kind, now);
  }

  CHOMP_SLOW void say_delays(uint64_t now) {
    if (uint64_t delayed_ns = newly_delayed_ns(stream_); delayed_ns > 0)
      encoder.kind(RecordKind::kDelayed, now).number(delayed_ns);
  }

  RecordStream* stream_;
  RecordEncoder encoder;
};

Site site_at(const void* returned_to) { return reinterpret_cast<uintptr_t>(returned_to); }

/// GCC's debug information has no line for the call that makes a task or a region, but for their functions it has.
Site site_of(const Team* team) {
  return team->tool.body != nullptr ? site_at(team->tool.body) | kRecordEntry : site_at(team->tool.site);
}

Site site_of(const Worker* worker, Task* task) {
  const TaskPayload* payload = task->payload();
  bool has_body = payload->part_id == BodyPayload::kPart;
  return has_body ? code_of(payload) | kRecordEntry : site_at(worker->observe.tool.site);
}

CHOMP_SLOW void name_site(RecordStream* stream, RecordStream::KnownSite* slot, Site site) {
  record_file_know_module(site & ~kRecordEntry);
  Recording(stream, RecordKind::kSite)->number(site);
  *slot = {site, ++stream->sites};
}

/// The number that this chunk has for a place in the program.
inline uint32_t site_number(RecordStream* stream, Site site) {
  if (site == 0) return 0;
  uint64_t hash = site * 0x9e3779b97f4a7c15u >> 58;
  static_assert(RecordStream::kKnownSites == 1 << (64 - 58));
  RecordStream::KnownSite* slot = &stream->known_sites[hash];
  if (CHOMP_UNLIKELY(slot->site != site)) name_site(stream, slot, site);
  return slot->number;
}

void record_simple(Worker* worker, RecordKind kind) {
  if (RecordStream* stream = stream_of(worker)) Recording(stream, kind);
}

/// An event of which the kind is recorded, and nothing else that its observers get.
template <RecordKind kind, typename... More> void record_alone(Worker* worker, More...) { record_simple(worker, kind); }

template <RecordKind kind> void record_with_id(Worker* worker, Task* task) {
  if (RecordStream* stream = stream_of(worker)) Recording(stream, kind)->id(observed(task)->id);
}

// ---- The observer ---------------------------------------------------------------------------------------------------

void task_created(Worker* worker, Task* task) {
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  const ObservedTask* extra = observed(task);
  Task* current = worker->current;
  uint64_t parent = current->is(kObserved) ? observed(current)->id : 0;
  uint32_t flags = 0;
  if (!task->is(kTied)) flags |= kRecordUntied;
  if (task->is(kCalledByProgram) || current->is(kIncludes)) flags |= kRecordUndeferred;
  if (task->is(kFinal)) flags |= kRecordFinal;
  if (task->is(kDetachable)) flags |= kRecordDetachable;
  if (task_priority(task) > 0) flags |= kRecordPriority;
  if (extra->parent != parent) flags |= kRecordParent;
  uint32_t site = site_number(stream, site_of(worker, task));
  if (CHOMP_LIKELY(flags == 0)) {
    Recording(stream, RecordKind::kCreateTied)->id(extra->id).number(site);
    return;
  }
  Recording event(stream, RecordKind::kCreate);
  event->id(extra->id).number(site).number(flags);
  if ((flags & kRecordPriority) != 0) event->number(static_cast<uint64_t>(task_priority(task)));
  if ((flags & kRecordParent) != 0) event->id(extra->parent);
}

RecordAccess access_of(const Dependence& item) {
  if ((item.flags & Dependence::kAllMemory) != 0 || item.address == UINTPTR_MAX) return RecordAccess::kAll;
  switch (item.flags) {
  case Dependence::kIn: return RecordAccess::kIn;
  case Dependence::kMutexInOutSet: return RecordAccess::kMutexInOutSet;
  case Dependence::kInOutSet: return RecordAccess::kInOutSet;
  default: return RecordAccess::kOut;
  }
}

void record_wait(Worker* worker, RecordWait what) {
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  bool is_end = what == RecordWait::kJoin; // which only the primary is in a call for
  uint32_t site = site_number(stream, is_end ? site_of(worker->member->team) : site_at(worker->observe.tool.site));
  Recording(stream, RecordKind::kWaitBegin)->number(static_cast<uint64_t>(what)).number(site);
}

void dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (task == nullptr) record_wait(worker, RecordWait::kDependences);
  for (const DependenceList::Part& part : list.parts)
    for (const Dependence* item = part.items; item < part.items + part.count; ++item) {
      RecordStream* stream = item->address != 0 ? stream_of(worker) : nullptr;
      if (stream != nullptr)
        Recording(stream, RecordKind::kDependence)
            ->number(static_cast<uint64_t>(access_of(*item)))
            .address(item->address);
    }
  if (task == nullptr) record_simple(worker, RecordKind::kWaitEnd);
}

void wait_begin(Worker* worker, Task*, WaitFor what) {
  switch (what) {
  case WaitFor::kChildren: return record_wait(worker, RecordWait::kChildren);
  case WaitFor::kTaskgroup: return record_wait(worker, RecordWait::kGroup);
  case WaitFor::kBarrier: return record_wait(worker, RecordWait::kBarrier);
  case WaitFor::kJoin: return record_wait(worker, RecordWait::kJoin);
  default: return record_wait(worker, RecordWait::kOther); // dependences() has recorded it
  }
}

void implicit_begin(Worker* worker, Task* task) {
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  if (stream->domain != worker->observe.counters.domain) {
    stream->domain = worker->observe.counters.domain;
    Recording(stream, RecordKind::kDomain)->number(stream->domain);
  }
  if ((stream = stream_of(worker)) == nullptr) return;
  Recording(stream, RecordKind::kImplicitBegin)
      ->id(observed(task)->id)
      .id(observed(task)->parent)
      .number(static_cast<uint64_t>(worker->member->tid));
}

void region_begin(Worker* worker, Team* team) {
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  uint32_t site = site_number(stream, site_of(team));
  Recording(stream, RecordKind::kRegionBegin)->number(static_cast<uint64_t>(team->size())).number(site);
}

void published(Worker* worker, unsigned count) {
  if (RecordStream* stream = stream_of(worker)) Recording(stream, RecordKind::kPublish)->number(count);
}

void work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* address) {
  if (kind == WorkKind::kSingleOther) return; // the member does nothing in that region
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  const Team* team = worker->member->team;
  bool is_region = address != nullptr && address == team->tool.body; // a combined construct of GCC's
  uint32_t site = site_number(stream, is_region ? site_of(team) : site_at(address));
  Recording(stream, RecordKind::kWorkBegin)->number(static_cast<uint64_t>(kind)).number(count).number(site);
}

void work_end(Worker* worker, WorkKind kind, uint64_t, const void*) {
  if (kind != WorkKind::kSingleOther) record_simple(worker, RecordKind::kWorkEnd);
}

void mutex_wait(Worker* worker, MutexKind kind, uint64_t, const void* object, const void* address) {
  RecordStream* stream = stream_of(worker);
  if (stream == nullptr) return;
  uint32_t site = site_number(stream, site_at(address));
  Recording(stream, RecordKind::kMutexWait)
      ->number(static_cast<uint64_t>(kind))
      .address(reinterpret_cast<uintptr_t>(object))
      .number(site);
}

void mutex_released(Worker* worker, MutexKind, const void* object, const void*) {
  if (RecordStream* stream = stream_of(worker))
    Recording(stream, RecordKind::kMutexReleased)->address(reinterpret_cast<uintptr_t>(object));
}

// ---- Beginning and end ----------------------------------------------------------------------------------------------

// Measures what recording one event takes, since readers subtract it from the tasks' times, and how many ticks of the
// cycle counter are a long time.
double measure_event_ns() {
  constexpr int kEvents = 10000; // fewer than fill a slot
  void* pages = map_pages(kRecordSlotBytes);
  void* memory = map_pages(sizeof(RecordStream));
  if (pages == nullptr || memory == nullptr) return 0;
  auto* stream = new (memory) RecordStream{};
  double best = 0;
  int64_t first_ns = monotonic_ns();
  uint64_t first_ticks = cycle_counter();
  for (int round = 0; round < 3; ++round) {
    enter_chunk(stream, static_cast<RecordChunk*>(pages));
    int64_t began = monotonic_ns();
    for (int i = 0; i < kEvents; ++i) Recording(stream, RecordKind::kBegin)->id(static_cast<uint64_t>(i) * 3);
    double each = static_cast<double>(monotonic_ns() - began) / kEvents;
    if (round == 0 || each < best) best = each;
  }
  double ticks_per_ns =
      static_cast<double>(cycle_counter() - first_ticks) / static_cast<double>(monotonic_ns() - first_ns);
  long_ticks = static_cast<uint64_t>(static_cast<double>(kRecordLongNs) * ticks_per_ns);
  unmap_pages(memory, sizeof(RecordStream));
  unmap_pages(pages, kRecordSlotBytes);
  return best;
}

void process_ends() {
  if (off()) return;
  recording.store(false, std::memory_order_relaxed); // relaxed: events that come later are lost
  uint64_t events = 0;
  // acquire: pairs with release in make_stream().
  for (RecordStream* each = streams.load(std::memory_order_acquire); each != nullptr; each = each->next)
    events += each->events.value();
  record_file_end(events);
}

// The child does not write to its parent's file; if the name has %p in it, the child has a file of its own.
void forked() {
  // acquire: pairs with release in make_stream().
  for (RecordStream* each = streams.load(std::memory_order_acquire); each != nullptr; each = each->next) {
    record_file_forget(each->chunk);
    each->chunk = nullptr;
    each->delays = -1; // of the parent's thread; not closed, since the program may use the number
    new (&each->events) Counter;
  }
  // Closes the file even if the recording has ended, since the child would keep the file's lock. relaxed, both: one
  // thread.
  bool goes_on = !off();
  bool recorded = record_file_fork(event_ns, goes_on);
  if (goes_on) recording.store(recorded, std::memory_order_relaxed);
}

#define ALONE(kind) record_alone<RecordKind::kind>
#define WITH_ID(kind) record_with_id<RecordKind::kind>
#define EVENT(name, parameters, told, recorded, counted) .name = recorded,
constexpr Observer kRecorder = {
#include "runtime/core/events.def"
};

} // namespace

void record_start() {
  if (config.record == nullptr) return;
  event_ns = measure_event_ns();
  if (!record_file_begin(event_ns)) return;
  recording.store(true, std::memory_order_relaxed); // relaxed: before any event
  events_add_observer(&kRecorder);
}

} // namespace chomp
