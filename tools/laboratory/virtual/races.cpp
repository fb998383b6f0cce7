// Races: two accesses to the same bytes, one of them a write, of which neither happens before the other. Memory is
// looked at in granules of 8 bytes; each remembers its last write and the last read of some threads.
#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/table.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace virtual_machine {
namespace {

constexpr int kReaders = 3;
struct Access {
  uint32_t when; // 0: none
  uint16_t by;
  uint8_t bytes; // one bit each
  bool freed;    // a write that is the end of the memory's use
  const void* pc;
};
struct Granule {
  Access write;
  Access reads[kReaders];
};
struct Page {
  uintptr_t number;
  Granule granules[512];
};
Table<Page, &Page::number> pages;
Page* last_page = nullptr;

Page* page_of(uintptr_t address, bool make) {
  uintptr_t number = address >> 12;
  if (last_page != nullptr && last_page->number == number) return last_page;
  Page* page = make ? &pages.at(number) : pages.find(number);
  return page == nullptr ? nullptr : last_page = page;
}

bool conflicts(const Access& access, uint8_t bytes) {
  if (access.when == 0 || (access.bytes & bytes) == 0) return false;
  return access.freed || (access.by != current->id && access.when > current->now.happened.of[access.by]);
}

void report_race(const Access& before, bool before_writes, uintptr_t address, bool write, const void* pc) {
  fibers[before.by].last_pc = before.pc;
  fibers[before.by].last_operation = before.freed ? "gave it back" : before_writes ? "plain write" : "plain read";
  current->last_pc = pc;
  current->last_operation = write ? "plain write" : "plain read";
  if (before.freed)
    fail("use after free: thread %d gave %p back, thread %d touches it", before.by, reinterpret_cast<void*>(address),
         current->id);
  fail("race at %p: a plain %s by thread %d and a plain %s by thread %d", reinterpret_cast<void*>(address),
       before_writes ? "write" : "read", before.by, write ? "write" : "read", current->id);
}

void access_granule(Granule& granule, uintptr_t address, uint8_t bytes, bool write, const void* pc) {
  if (conflicts(granule.write, bytes)) report_race(granule.write, true, address, write, pc);
  Access now{current->now.happened.of[current->id], static_cast<uint16_t>(current->id), bytes, false, pc};
  if (write) {
    for (Access& read : granule.reads) {
      if (conflicts(read, bytes)) report_race(read, false, address, write, pc);
      if ((read.bytes & ~bytes) == 0) read = Access{};
    }
    granule.write = now;
    return;
  }
  Access* place = nullptr;
  for (Access& read : granule.reads)
    if (read.when != 0 && read.by == current->id) place = &read;
  for (Access& read : granule.reads)
    if (place == nullptr && (read.when == 0 || read.when <= current->now.happened.of[read.by])) place = &read;
  if (place == nullptr) place = &granule.reads[random_below(kReaders)];
  if (place->by == current->id && place->when == now.when) now.bytes |= place->bytes;
  *place = now;
}

} // namespace

void plain_access(const void* address, size_t bytes, bool write, const void* pc) {
  if (scaling()) return charge_plain(address, bytes, write, pc);
  auto low = reinterpret_cast<uintptr_t>(address), end = low + bytes;
  while (low < end) {
    unsigned first = low & 7, count = 8 - first;
    if (count > end - low) count = static_cast<unsigned>(end - low);
    auto mask = static_cast<uint8_t>(((1u << count) - 1) << first);
    access_granule(page_of(low, true)->granules[(low & 4095) >> 3], low, mask, write, pc);
    low += count;
  }
  if (write) forget_stores(address, bytes);
}

void memory_freed(const void* address, size_t bytes, const void* pc) {
  if (scaling()) return;
  plain_access(address, bytes, true, pc); // whoever used it last must have done so before
  auto low = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t at = low; at < low + bytes; at += 8) page_of(at, true)->granules[(at & 4095) >> 3].write.freed = true;
}

void memory_in_use(const void* address, size_t bytes, const void* pc) {
  if (scaling()) return;
  auto low = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t at = low; at < low + bytes; at += 8) page_of(at, true)->granules[(at & 4095) >> 3].write.freed = false;
  plain_access(address, bytes, true, pc); // whoever gave it back must have done so before
}

void check_atomic_access(const void* address, unsigned size, const void* pc) {
  if (!settings.races) return;
  auto at = reinterpret_cast<uintptr_t>(address);
  const Page* page = page_of(at, false);
  if (page == nullptr) return;
  const Granule& granule = page->granules[(at & 4095) >> 3];
  if (!conflicts(granule.write, static_cast<uint8_t>(((1u << size) - 1) << (at & 7)))) return;
  report_race(granule.write, true, at, true, pc);
}

void new_stack(const void* address, size_t bytes) { forget_memory(address, bytes, nullptr); }

void forget_memory(const void* address, size_t bytes, const void*) {
  if (scaling()) return;
  forget_stores(address, bytes);
  auto low = reinterpret_cast<uintptr_t>(address) & ~uintptr_t{7}, end = reinterpret_cast<uintptr_t>(address) + bytes;
  while (low < end) {
    Page* page = page_of(low, false);
    uintptr_t next = (low | 4095) + 1;
    if (page != nullptr)
      for (uintptr_t at = low; at < next && at < end; at += 8) page->granules[(at & 4095) >> 3] = Granule{};
    low = next;
  }
}

} // namespace virtual_machine

// The system gives the place to whoever maps memory next, perhaps another thread.
extern "C" __attribute__((visibility("default"))) int munmap(void* memory, size_t bytes) {
  if (virtual_machine::active) virtual_machine::forget_memory(memory, bytes, nullptr);
  return static_cast<int>(syscall(SYS_munmap, memory, bytes));
}

// Functions are not followed here.
extern "C" __attribute__((visibility("default"))) void __tsan_func_entry(void*) {}
extern "C" __attribute__((visibility("default"))) void __tsan_func_exit() {}
