// What an access to memory costs: each line of 64 bytes is held by one core that may write it, or by several that may
// read it, or by none. A transfer takes as long as the way is, and the line takes part in one transfer at a time;
// stores wait in a buffer, behind which only locked instructions and fences wait. Caches are as large as they need to
// be.
#include <string.h>

#include "tools/laboratory/virtual/machine.h"

namespace virtual_machine {
namespace {

struct Line {
  int64_t busy_until_ps;
  int32_t owner;      // the core that may write it, plus 1; 0: nobody
  uint32_t held;      // 0: no cache holds it
  uint64_t readers[]; // one bit for each core; empty while there is an owner
};

struct Page {
  uintptr_t number;
  char* lines;
};

constexpr size_t kLinesOfPage = 64;
unsigned page_bits = 10;
Page* pages = nullptr;
size_t pages_used = 0;
size_t line_bytes = 0;
int words = 0; // of `readers`

Page* slot_of(uintptr_t number) {
  size_t mask = (size_t{1} << page_bits) - 1;
  size_t index = (number * 0x9e3779b97f4a7c15) >> (64 - page_bits);
  while (pages[index].number != 0 && pages[index].number != number) index = (index + 1) & mask;
  return &pages[index];
}

void grow_table() {
  Page* old = pages;
  size_t count = size_t{1} << page_bits++;
  pages = static_cast<Page*>(permanent((count * 2) * sizeof(Page)));
  for (size_t i = 0; i < count; ++i)
    if (old[i].number != 0) *slot_of(old[i].number) = old[i];
}

Line* line_at(uintptr_t address) {
  if (pages == nullptr) {
    pages = static_cast<Page*>(permanent((size_t{1} << page_bits) * sizeof(Page)));
    words = (chips * cores_per_chip + 63) / 64;
    line_bytes = sizeof(Line) + static_cast<size_t>(words) * sizeof(uint64_t);
  }
  uintptr_t number = address >> 12;
  Page* page = slot_of(number);
  if (page->number == 0) {
    if (++pages_used > (size_t{3} << page_bits) / 4) {
      grow_table();
      page = slot_of(number);
    }
    *page = {number, static_cast<char*>(permanent(kLinesOfPage * line_bytes))};
  }
  return reinterpret_cast<Line*>(page->lines + (address >> 6) % kLinesOfPage * line_bytes);
}

bool reads(const Line* line, int core) { return (line->readers[core / 64] >> core % 64 & 1) != 0; }

// The nearest reader for a load, the farthest one that must give its copy up for a store. 0: nobody else has it.
int64_t way_to_readers(const Line* line, int core, bool farthest) {
  int first = chip_of(core) * cores_per_chip, last = first + cores_per_chip - 1;
  bool here = false, elsewhere = false;
  for (int word = 0; word < words; ++word) {
    uint64_t bits = line->readers[word];
    if (word == core / 64) bits &= ~(uint64_t{1} << core % 64);
    for (; bits != 0; bits &= bits - 1) {
      int reader = word * 64 + __builtin_ctzll(bits);
      (reader >= first && reader <= last ? here : elsewhere) = true;
    }
  }
  if (!here && !elsewhere) return 0;
  return (farthest ? elsewhere : !here) ? costs.far : costs.chip;
}

// Brings the line to the core. Returns how long that takes, and 0 if it is there; `*queue` tells whether the line is
// busy meanwhile.
int64_t fetch(Line* line, int core, bool write, bool* queue) {
  *queue = true;
  if (line->owner == core + 1) return 0;
  int64_t way = 0;
  if (line->held == 0) {
    line->held = 1;
    line->owner = core + 1;
    *queue = false;
    return costs.first_touch;
  }
  if (line->owner != 0) {
    int owner = line->owner - 1;
    way = chip_of(owner) == chip_of(core) ? costs.chip : costs.far;
    if (write) {
      line->owner = core + 1;
    } else {
      line->owner = 0;
      line->readers[owner / 64] |= uint64_t{1} << owner % 64;
      line->readers[core / 64] |= uint64_t{1} << core % 64;
    }
    return way;
  }
  if (!write) {
    if (reads(line, core)) return 0;
    *queue = false;
    way = way_to_readers(line, core, false);
    line->readers[core / 64] |= uint64_t{1} << core % 64;
    return way;
  }
  way = way_to_readers(line, core, true);
  memset(line->readers, 0, static_cast<size_t>(words) * sizeof(uint64_t));
  line->owner = core + 1;
  return way;
}

// Whether the core has the line as the access needs it: nobody else can tell when that happens.
bool is_there(const Line* line, int core, bool write) {
  return line->owner == core + 1 || (!write && line->owner == 0 && line->held != 0 && reads(line, core));
}

int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

void wait_for_stores() { current->time.clock_ps = later(current->time.clock_ps, current->time.stores_done_ps); }

// The access to one line, `cost` beside what its transfer takes.
void touch(uintptr_t address, Access access, int64_t cost, const void* pc) {
  FiberTime& time = current->time;
  Line* line = line_at(address);
  if (access == Access::kUpdate) wait_for_stores();
  spend(cost);
  bool write = access != Access::kLoad, queue;
  int64_t way = fetch(line, core_of(time.cpu), write, &queue);
  if (way == 0) return;
  bool transfer = way != costs.first_touch;
  if (access == Access::kStore) {
    // The store waits in the buffer; the thread goes on until the buffer is too far behind.
    int64_t begins = later(later(time.clock_ps, time.stores_done_ps), line->busy_until_ps);
    time.stores_done_ps = begins + way * costs.store_overlap / 1000;
    line->busy_until_ps = begins + way;
    time.clock_ps = later(time.clock_ps, time.stores_done_ps - costs.store_backlog);
    if (transfer) count_transfer(pc, way, way == costs.far, true);
    return;
  }
  int64_t began = time.clock_ps;
  time.clock_ps = later(began, line->busy_until_ps) + way;
  if (queue) line->busy_until_ps = time.clock_ps;
  if (transfer) count_transfer(pc, time.clock_ps - began, way == costs.far, write);
}

} // namespace

uintptr_t first_argument = UINTPTR_MAX;

void charge_atomic(const void* address, Access access, int order, const void* pc) {
  constexpr int kSeqCst = 5;
  ++events.atomics;
  if (access == Access::kUpdate) ++events.updates;
  // A sequentially consistent store is an exchange on x86-64.
  if (access == Access::kStore && order == kSeqCst) access = Access::kUpdate;
  // Threads that are behind act first: then the line is where they have left it.
  let_earlier_run();
  touch(reinterpret_cast<uintptr_t>(address), access, access == Access::kUpdate ? costs.update : costs.atomic, pc);
  let_earlier_run();
}

void charge_plain(const void* address, size_t bytes, bool write, const void* pc) {
  auto low = reinterpret_cast<uintptr_t>(address);
  // Reading the environment is free: how long it is must not matter.
  if (low >= first_argument) return;
  ++events.plain;
  for (uintptr_t line = low >> 6; line <= (low + bytes - 1) >> 6; ++line) {
    // As in charge_atomic(). A task that makes no other access would use its lines before others that are behind it,
    // and these would wait until it has.
    if (!is_there(line_at(line << 6), core_of(current->time.cpu), write)) let_earlier_run();
    touch(line << 6, write ? Access::kStore : Access::kLoad, costs.plain, pc);
  }
}

void charge_fence() {
  ++events.fences;
  wait_for_stores();
  spend(costs.fence);
  let_earlier_run();
}

} // namespace virtual_machine
