// CHOMP_RECORD. Each worker writes events into a buffer of its own, with a time from the cycle counter; a full buffer
// goes to the file in one write(2), which the kernel appends whole. In between, an event takes no lock, no atomic
// read-modify-write, no allocation and no system call. What buffers hold when the process ends is written then.
//
// Invariant: RecordStream::length is the end of the last whole event, so that the thread that ends the process can read
// another worker's buffer up to there.
#include "runtime/observe/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/observe/record_format.h"
#include "runtime/tasks/task_priority.h"

#ifndef CHOMP_VERSION
#define CHOMP_VERSION "development version"
#endif

namespace chomp {

/// What one worker records. The events lie behind the chunk's header, so that both are written at once.
struct RecordStream {
  static constexpr uint32_t kBytes = 1 << 18;

  RecordCursor cursor; // owner only
  uint64_t events;     // owner only; read when the process ends
  RecordStream* next;  // all streams; constant
  Lock flushing;       // the owner and the end of the process exclude each other
  atomic<uint32_t> length;
  RecordChunk chunk;
  uint8_t buffer[kBytes];
};

namespace {

// There is one recorder in a process.
constinit int file = -1;
constinit atomic<bool> recording{false};
constinit atomic<RecordStream*> streams{nullptr};
constinit int64_t began_ns = 0;
constinit uint64_t began_ticks = 0;
constinit double event_ns = 0;

void open_file() {
  char path[4096];
  size_t length = 0;
  for (const char* from = config.record; *from != 0 && length + 24 < sizeof path; ++from) {
    if (from[0] == '%' && from[1] == 'p') {
      length += static_cast<size_t>(snprintf(path + length, 24, "%d", static_cast<int>(getpid())));
      ++from;
    } else {
      path[length++] = *from;
    }
  }
  path[length] = 0;
  file = open_report(path, O_TRUNC | O_APPEND);
  if (file < 0) warn(0, "CHOMP_RECORD: %.200s cannot be written; nothing is recorded.", path);
}

void write_header() {
  RecordHeader header{};
  memcpy(header.magic, kRecordMagic, sizeof header.magic);
  header.version = kRecordVersion;
  header.header_bytes = sizeof header;
  snprintf(header.runtime, sizeof header.runtime, "%s", CHOMP_VERSION);
  snprintf(header.scheduler, sizeof header.scheduler, "%s", config.scheduler);
  long length = read_small_file("/proc/self/cmdline", header.program, sizeof header.program);
  for (long i = 0; i + 1 < length; ++i) // words end with zeros
    if (header.program[i] == 0) header.program[i] = ' ';
  write_all(file, reinterpret_cast<const char*>(&header), sizeof header);
}

void flush(RecordStream* stream) {
  LockGuard guard(stream->flushing);
  // acquire: pairs with release in ~Recording(): the stream may be another worker's, and its bytes up to there are
  // read.
  uint32_t length = stream->length.load(std::memory_order_acquire);
  if (length == 0 || file < 0) return;
  stream->chunk.bytes = length;
  static_assert(offsetof(RecordStream, buffer) == offsetof(RecordStream, chunk) + sizeof(RecordChunk));
  write_all(file, reinterpret_cast<const char*>(&stream->chunk), sizeof(RecordChunk) + length);
  stream->length.store(0, std::memory_order_relaxed); // relaxed: the lock orders it
}

CHOMP_SLOW RecordStream* make_stream(uint32_t number) {
  auto stream = new (memory_permanent(sizeof(RecordStream))) RecordStream{};
  stream->chunk.worker = number;
  RecordStream* head = streams.load(std::memory_order_relaxed); // relaxed: the exchange decides
  do stream->next = head;
  // release: pairs with acquire in finish(); publishes the stream.
  while (!streams.compare_exchange_weak(head, stream, std::memory_order_release, std::memory_order_relaxed));
  return stream;
}

/// One event being recorded.
class Recording {
public:
  Recording(RecordStream* stream, RecordKind kind) : Recording(stream, kind, cycle_counter()) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    auto length = static_cast<uint32_t>(encoder.end() - stream_->buffer);
    ++stream_->events;
    stream_->length.store(length, std::memory_order_release); // release: pairs with acquire in flush()
    if (CHOMP_UNLIKELY(length > RecordStream::kBytes - kLongestRecord)) make_room(stream_);
  }
  RecordEncoder* operator->() { return &encoder; }

private:
  Recording(RecordStream* stream, RecordKind kind, uint64_t now)
      // relaxed: the owner stored it, or the end of the process did, after which nothing matters.
      : stream_(stream), encoder(stream->cursor, stream->buffer + stream->length.load(std::memory_order_relaxed)) {
    encoder.kind(kind, now);
  }

  // The time that this takes is recorded as a pause, so that no task is charged with it.
  static CHOMP_SLOW void make_room(RecordStream* stream) {
    flush(stream);
    Recording(stream, RecordKind::kPause);
  }

  RecordStream* stream_;
  RecordEncoder encoder;
};

inline RecordStream* stream_of(Worker* worker) {
  if (CHOMP_UNLIKELY(worker->observation.record == nullptr))
    worker->observation.record = make_stream(static_cast<uint32_t>(worker->gtid));
  return worker->observation.record;
}

/// Whether nothing is recorded: once the process ends, or in a child of fork() that has no file.
/// relaxed: set before any event; one that is recorded too late is harmless.
inline bool off() { return !recording.load(std::memory_order_relaxed); }

void record_simple(Worker* worker, RecordKind kind) {
  if (!off()) Recording(stream_of(worker), kind);
}

void record_with_id(Worker* worker, RecordKind kind, Task* task) {
  if (!off()) Recording(stream_of(worker), kind)->id(observed(task)->id);
}

// ---- The observer ---------------------------------------------------------------------------------------------------

void task_created(Worker* worker, Task* task) {
  if (off()) return;
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
  if (CHOMP_LIKELY(flags == 0)) {
    Recording(stream_of(worker), RecordKind::kCreateTied)->id(extra->id);
    return;
  }
  Recording event(stream_of(worker), RecordKind::kCreate);
  event->id(extra->id).number(flags);
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
  Recording(stream_of(worker), RecordKind::kWaitBegin)->number(static_cast<uint64_t>(what));
}

void dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (off()) return;
  if (task == nullptr) record_wait(worker, RecordWait::kDependences);
  for (const DependenceList::Part& part : list.parts)
    for (const Dependence* item = part.items; item < part.items + part.count; ++item)
      if (item->address != 0)
        Recording(stream_of(worker), RecordKind::kDependence)
            ->number(static_cast<uint64_t>(access_of(*item)))
            .address(item->address);
  if (task == nullptr) record_simple(worker, RecordKind::kWaitEnd);
}

void task_begin(Worker* worker, Task* task) { record_with_id(worker, RecordKind::kBegin, task); }
void task_end(Worker* worker, Task*) { record_simple(worker, RecordKind::kEnd); }
void task_discarded(Worker* worker, Task* task) { record_with_id(worker, RecordKind::kDiscard, task); }
void task_fulfilled(Worker* worker, Task* task) { record_with_id(worker, RecordKind::kFulfil, task); }
void group_begin(Worker* worker, Task*) { record_simple(worker, RecordKind::kGroupBegin); }

void wait_begin(Worker* worker, Task*, WaitFor what) {
  if (off()) return;
  switch (what) {
  case WaitFor::kChildren: return record_wait(worker, RecordWait::kChildren);
  case WaitFor::kTaskgroup: return record_wait(worker, RecordWait::kGroup);
  case WaitFor::kBarrier: return record_wait(worker, RecordWait::kBarrier);
  default:
    return record_wait(worker, RecordWait::kOther); // dependences() has recorded it; the join is the region's end
  }
}

void wait_end(Worker* worker, Task*, WaitFor) { record_simple(worker, RecordKind::kWaitEnd); }

void implicit_begin(Worker* worker, Task* task) {
  if (off()) return;
  Recording(stream_of(worker), RecordKind::kImplicitBegin)
      ->id(observed(task)->id)
      .id(observed(task)->parent)
      .number(static_cast<uint64_t>(worker->member->tid));
}

void implicit_end(Worker* worker, Task*) { record_simple(worker, RecordKind::kImplicitEnd); }

void region_begin(Worker* worker, Team* team) {
  if (!off()) Recording(stream_of(worker), RecordKind::kRegionBegin)->number(static_cast<uint64_t>(team->size()));
}

void region_end(Worker* worker, Team*) { record_simple(worker, RecordKind::kRegionEnd); }

// ---- Beginning and end ----------------------------------------------------------------------------------------------

// Measures what recording one event takes: readers subtract it from the tasks' times.
double measure_event_ns(RecordStream* scratch) {
  constexpr int kEvents = 10000; // fewer than fill the buffer
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    scratch->length.store(0, std::memory_order_relaxed); // relaxed: nobody else knows the stream
    int64_t began = monotonic_ns();
    for (int i = 0; i < kEvents; ++i) Recording(scratch, RecordKind::kBegin)->id(static_cast<uint64_t>(i) * 3);
    double each = static_cast<double>(monotonic_ns() - began) / kEvents;
    if (round == 0 || each < best) best = each;
  }
  return best;
}

void begin_file() {
  open_file();
  if (file < 0) return;
  write_header();
  began_ns = monotonic_ns();
  began_ticks = cycle_counter();
  recording.store(true, std::memory_order_relaxed); // relaxed: before any event
}

void process_ends() {
  if (off()) return;
  recording.store(false, std::memory_order_relaxed); // relaxed: events that come later are lost
  RecordTrailer trailer{};
  // acquire: pairs with release in make_stream().
  for (RecordStream* each = streams.load(std::memory_order_acquire); each != nullptr; each = each->next) {
    flush(each);
    trailer.events += each->events;
  }
  uint64_t ticks = cycle_counter() - began_ticks;
  trailer.ns_per_tick = ticks > 0 ? static_cast<double>(monotonic_ns() - began_ns) / static_cast<double>(ticks) : 1;
  trailer.event_ns = event_ns;
  struct {
    RecordChunk chunk;
    RecordTrailer trailer;
  } end{{kRecordTrailerWorker, sizeof(RecordTrailer)}, trailer};
  write_all(file, reinterpret_cast<const char*>(&end), sizeof end);
  close(file);
  file = -1;
}

// The child does not write to its parent's file; if the name has %p in it, the child has a file of its own.
void forked() {
  if (off()) return;
  recording.store(false, std::memory_order_relaxed); // relaxed: one thread
  close(file);
  file = -1;
  // acquire: pairs with release in make_stream().
  for (RecordStream* each = streams.load(std::memory_order_acquire); each != nullptr; each = each->next) {
    each->flushing.reset_after_fork();
    each->length.store(0, std::memory_order_relaxed); // relaxed: one thread
    each->events = 0;
    each->cursor = {};
  }
  if (strstr(config.record, "%p") != nullptr) begin_file();
}

constexpr Observer kRecorder = {
    .task_created = task_created,
    .dependences = dependences,
    .dependence_satisfied = nullptr,
    .task_begin = task_begin,
    .task_end = task_end,
    .task_discarded = task_discarded,
    .task_fulfilled = task_fulfilled,
    .group_begin = group_begin,
    .wait_begin = wait_begin,
    .wait_end = wait_end,
    .implicit_begin = implicit_begin,
    .implicit_end = implicit_end,
    .region_begin = region_begin,
    .region_end = region_end,
    .process_ends = process_ends,
    .forked = forked,
};

} // namespace

void record_start() {
  if (config.record == nullptr) return;
  auto scratch = new (memory_permanent(sizeof(RecordStream))) RecordStream{};
  event_ns = measure_event_ns(scratch);
  begin_file();
  if (file < 0) return;
  events_add_observer(&kRecorder);
  events_on.store(true, std::memory_order_relaxed); // relaxed: asked when a region begins, after start-up
}

} // namespace chomp
