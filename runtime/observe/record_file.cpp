// See record_file.h. It reserves space on the disk before it maps a slot: a write to mapped memory without room on the
// disk would end the process.
#include "runtime/observe/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/version.h"
#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/process_threads.h"

namespace chomp {
namespace {

constexpr uint64_t kLeastSlots = 64; // of a file with a limit: most programs have fewer threads

constinit int file = -1;
constinit RecordHeader* header = nullptr;
CHOMP_LARGE constinit char path[4096] = "";
constinit atomic<uint64_t> slots_taken{0};     // with a limit, slots are taken round and round
constinit atomic<uint64_t> chunks{0};          // how many have been numbered
constinit uint64_t slot_limit = 0;             // 0: none
constinit atomic<bool>* slot_in_use = nullptr; // [slot_limit]: a worker writes to it, or it holds modules
constinit atomic<bool> said_full{false};

// ---- Slots ----------------------------------------------------------------------------------------------------------

off_t offset_of(uint64_t slot) { return static_cast<off_t>(kRecordHeaderBytes + slot * kRecordSlotBytes); }

/// Maps a part of the file, and makes it if it is not there. Null, and errno: there is no room for it.
void* map_part(off_t offset, size_t bytes) {
  rlimit most{};
  // A file beyond the limit would end the process by a signal.
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && static_cast<rlim_t>(offset) + bytes > most.rlim_cur)
    return errno = EFBIG, nullptr;
  Uncancelled whole;
  errno = posix_fallocate(file, offset, static_cast<off_t>(bytes));
  if (errno != 0) return nullptr;
  void* part = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, offset);
  return part == MAP_FAILED ? nullptr : part;
}

/// With a limit: the oldest slot that is not in use; UINT64_MAX: all are in use.
uint64_t oldest_slot() {
  for (uint64_t tries = 0; tries < slot_limit; ++tries) {
    uint64_t taken = slots_taken.fetch_add(1, std::memory_order_relaxed); // relaxed: the exchange decides
    uint64_t slot = taken % slot_limit;
    // acquire: pairs with release in leave_slot(): the last worker that had it has stopped writing.
    if (slot_in_use[slot].exchange(true, std::memory_order_acquire)) continue;
    // relaxed: a count for readers. (__atomic: the header is a plain struct.)
    if (taken >= slot_limit) __atomic_fetch_add(&header->replaced, 1, __ATOMIC_RELAXED);
    return slot;
  }
  return UINT64_MAX;
}

uint64_t next_slot() {
  return slot_limit == 0 ? slots_taken.fetch_add(1, std::memory_order_relaxed) // relaxed: a number, nothing more
                         : oldest_slot();
}

void leave_slot(RecordChunk* chunk) {
  uint32_t slot = chunk->slot;
  munmap(chunk, kRecordSlotBytes);
  if (slot_limit != 0) slot_in_use[slot].store(false, std::memory_order_release); // release: pairs with oldest_slot()
}

void update_rate() {
  uint64_t ticks = cycle_counter() - header->began_ticks;
  if (ticks == 0) return;
  double rate = static_cast<double>(monotonic_ns() - header->began_ns) / static_cast<double>(ticks);
  __atomic_store(&header->ns_per_tick, &rate, __ATOMIC_RELAXED); // relaxed: a later rate is as good as this one
}

RecordChunk* map_slot(uint64_t slot, uint32_t worker, uint32_t domain) {
  auto* chunk = static_cast<RecordChunk*>(map_part(offset_of(slot), kRecordSlotBytes));
  if (chunk == nullptr) return nullptr;
  // relaxed: the fence orders it before all that is written here from now on. What the slot held is invalid from now
  // on.
  __atomic_store_n(&chunk->number, 0, __ATOMIC_RELAXED);
  thread_fence(std::memory_order_release); // pairs with the second reading of the number (tools/shipped/recording)
  chunk->bytes = 0;
  chunk->worker = worker;
  chunk->domain = domain;
  chunk->slot = static_cast<uint32_t>(slot);
  return chunk;
}

/// Makes the slot valid for readers in other processes.
void publish(RecordChunk* chunk) {
  uint64_t number = chunks.fetch_add(1, std::memory_order_relaxed) + 1; // relaxed: the number alone
  chunk->began_ticks = cycle_counter(); // after the mapping, whose time belongs to no task
  // release: pairs with the first reading of the number (tools/shipped/recording); a reader that sees it sees the
  // fields.
  __atomic_store_n(&chunk->number, number, __ATOMIC_RELEASE);
}

void say_full() {
  __atomic_store_n(&header->full, 1u, __ATOMIC_RELAXED);           // relaxed: several threads may say so
  if (said_full.exchange(true, std::memory_order_relaxed)) return; // relaxed: one of several threads says it
  warn(0, "CHOMP_RECORD: no more can be written to %.200s: %s. What was recorded until now is kept.", path,
       strerror(errno));
}

// ---- Modules --------------------------------------------------------------------------------------------------------

struct Range {
  uintptr_t low, high;
};
constexpr int kMostRanges = 512;
constinit Lock modules_lock;
CHOMP_LARGE constinit Range ranges[kMostRanges] = {};
constinit atomic<int> range_count{0};

bool is_known(uintptr_t address) {
  // acquire: pairs with release in add_range().
  for (int i = range_count.load(std::memory_order_acquire); i-- > 0;)
    if (address >= ranges[i].low && address < ranges[i].high) return true;
  return false;
}

void add_range(uintptr_t low, uintptr_t high) {
  int count = range_count.load(std::memory_order_relaxed); // relaxed: the lock orders it
  if (count == kMostRanges || is_known(low)) return;
  ranges[count] = {low, high};
  range_count.store(count + 1, std::memory_order_release); // release: pairs with acquire in is_known()
}

/// Copies those lines of /proc/self/maps that are about code of a file.
void copy_modules(const char* maps, RecordChunk* chunk) {
  char* out = reinterpret_cast<char*>(chunk + 1);
  size_t room = kRecordSlotBytes - sizeof(RecordChunk), used = 0;
  for (const char* line = maps; *line != 0;) {
    const char* end = strchrnul(line, '\n');
    auto length = static_cast<size_t>(end - line);
    unsigned long low, high;
    char rights[5] = "";
    if (sscanf(line, "%lx-%lx %4s", &low, &high, rights) == 3 && rights[2] == 'x' &&
        memchr(line, '/', length) != nullptr) {
      add_range(low, high);
      if (used + length + 1 <= room) {
        memcpy(out + used, line, length);
        out[used + length] = '\n';
        used += length + 1;
      }
    }
    line = *end == 0 ? end : end + 1;
  }
  __atomic_store_n(&chunk->bytes, static_cast<uint32_t>(used), __ATOMIC_RELEASE); // release: pairs as in publish()
  publish(chunk);
}

CHOMP_SLOW void record_modules(uintptr_t address) {
  constexpr size_t kMapsBytes = 1 << 20;
  std::lock_guard guard(modules_lock);
  if (is_known(address)) return;
  char* maps = static_cast<char*>(map_pages(kMapsBytes));
  uint64_t slot = maps != nullptr ? next_slot() : UINT64_MAX;
  RecordChunk* chunk = slot != UINT64_MAX ? map_slot(slot, kRecordModules, 0) : nullptr;
  if (chunk != nullptr && read_small_file("/proc/self/maps", maps, kMapsBytes) > 0) copy_modules(maps, chunk);
  if (chunk != nullptr) munmap(chunk, kRecordSlotBytes); // the slot stays in use
  unmap_pages(maps, kMapsBytes);
  if (!is_known(address)) add_range(address, address + 1); // code of no file: is not looked for again
}

// ---- The file -------------------------------------------------------------------------------------------------------

void make_path() {
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
}

uint64_t preemptions() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<uint64_t>(used.ru_nivcsw);
}

void fill_header(double event_ns) {
  header->version = kRecordVersion;
  header->process = static_cast<uint32_t>(getpid());
  snprintf(header->runtime, sizeof header->runtime, "%s", CHOMP_VERSION);
  snprintf(header->scheduler, sizeof header->scheduler, "%s", config.scheduler);
  long length = read_small_file("/proc/self/cmdline", header->program, sizeof header->program);
  for (long i = 0; i + 1 < length; ++i) // words end with zeros
    if (header->program[i] == 0) header->program[i] = ' ';
  header->event_ns = event_ns;
  header->cpus = static_cast<uint32_t>(topology.usable_cpus);
  header->preempted = preemptions();
  gethostname(header->host, sizeof header->host - 1);
  header->began_date = time(nullptr);
  header->began_ns = monotonic_ns();
  header->began_ticks = cycle_counter();
  header->ns_per_tick = 1;
  memcpy(header->magic, kRecordMagic, sizeof header->magic);
}

void say_unwritten() {
  if (errno == EWOULDBLOCK)
    warn(0,
         "CHOMP_RECORD: another process records into %.200s; this one records nothing. With %%p in the name each "
         "process has a file.",
         path);
  else
    warn(0, "CHOMP_RECORD: %.200s cannot be written: %s; nothing is recorded.", path, strerror(errno));
  Uncancelled whole;
  if (file >= 0) close(file);
  file = -1;
}

/// Opens the file and empties it, unless another process records into it: that process has mapped the file, and a
/// mapped file may not be cut. The lock lasts until the file is closed, so until the process ends in whatever way.
bool open_alone() {
  file = open_report(path, O_RDWR);
  if (file < 0) return false;
  // On a file system without locks nothing is checked.
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return ftruncate(file, 0) == 0 || errno == EINVAL; // EINVAL: a device
}

bool open_file(double event_ns) {
  make_path();
  if (!open_alone()) return say_unwritten(), false;
  header = static_cast<RecordHeader*>(map_part(0, kRecordHeaderBytes));
  if (header == nullptr) return say_unwritten(), false;
  fill_header(event_ns);
  return true;
}

} // namespace

bool record_file_begin(double event_ns) {
  if (config.record_limit != 0) {
    slot_limit = config.record_limit / kRecordSlotBytes;
    if (slot_limit < kLeastSlots) slot_limit = kLeastSlots;
    slot_in_use = static_cast<atomic<bool>*>(memory_permanent(slot_limit * sizeof *slot_in_use));
  }
  return open_file(event_ns);
}

RecordChunk* record_file_next(RecordChunk* last, uint32_t worker, uint32_t domain) {
  uint64_t slot = next_slot();
  errno = ENOSPC;
  RecordChunk* chunk = slot != UINT64_MAX ? map_slot(slot, worker, domain) : nullptr;
  if (chunk == nullptr) return say_full(), nullptr;
  update_rate();
  if (last != nullptr) leave_slot(last);
  publish(chunk);
  return chunk;
}

void record_file_know_module(uintptr_t address) {
  if (!is_known(address)) record_modules(address);
}

void record_file_end(uint64_t events) {
  update_rate();
  header->events = events;
  header->preempted = preemptions() - header->preempted;
  header->ended_ns = monotonic_ns();
}

void record_file_forget(RecordChunk* chunk) {
  if (chunk != nullptr) munmap(chunk, kRecordSlotBytes);
}

bool record_file_fork(double event_ns, bool goes_on) {
  if (header != nullptr) munmap(header, kRecordHeaderBytes);
  if (file >= 0) close(file);
  header = nullptr;
  file = -1;
  modules_lock.reset_after_fork();
  // relaxed, all: one thread.
  range_count.store(0, std::memory_order_relaxed);
  slots_taken.store(0, std::memory_order_relaxed);
  said_full.store(false, std::memory_order_relaxed);
  chunks.store(0, std::memory_order_relaxed);
  for (uint64_t slot = 0; slot < slot_limit; ++slot) slot_in_use[slot].store(false, std::memory_order_relaxed);
  return goes_on && strstr(config.record, "%p") != nullptr && open_file(event_ns);
}

} // namespace chomp
