// The history of memory: of each 8 bytes some uses, with the strand and its epoch. Two uses of the same bytes, one of
// them a write, not both atomic, of which neither happens before the other, are a race.
#include <link.h>
#include <string.h>

#include "tools/shipped/explore/strand.h"

namespace explore {
namespace {

using virtual_machine::current;
using virtual_machine::permanent;

constexpr int kUses = 6;
struct Access {
  uint32_t strand; // 0: none
  uint32_t epoch;
  uint16_t fiber;
  uint8_t bytes; // one bit each
  Use use;
  Change change;
  uint16_t locks; // held then
  const void* pc;
};
struct Granule {
  Access uses[kUses];
};
constexpr size_t kGranules = 512;
struct Page {
  uintptr_t number;
  Granule granules[kGranules];
};

// The table of pages begins small, since a run pays for what it touches of it.
unsigned table_bits = 8;
size_t page_count = 0;
Page** table = nullptr;
Page* last_page = nullptr;

Page** place_of(uintptr_t number) {
  size_t mask = (size_t{1} << table_bits) - 1;
  if (table == nullptr) table = static_cast<Page**>(permanent((mask + 1) * sizeof(Page*)));
  size_t index = (number * 0x9e3779b97f4a7c15) >> (64 - table_bits);
  while (table[index] != nullptr && table[index]->number != number) index = (index + 1) & mask;
  return &table[index];
}

void double_table() {
  Page** before = table;
  size_t count = size_t{1} << table_bits++;
  table = nullptr;
  for (size_t i = 0; i < count; ++i)
    if (before[i] != nullptr) *place_of(before[i]->number) = before[i];
}

Page* page_of(uintptr_t address, bool make) {
  uintptr_t number = address / (kGranules * 8);
  if (last_page != nullptr && last_page->number == number) return last_page;
  Page** place = place_of(number);
  if (*place == nullptr) {
    if (!make) return nullptr;
    if (++page_count > (size_t{1} << table_bits) / 2) {
      double_table();
      place = place_of(number);
    }
    *place = static_cast<Page*>(permanent(sizeof(Page)));
    (*place)->number = number;
  }
  return last_page = *place;
}

Granule& granule_in(Page* page, uintptr_t address) { return page->granules[address / 8 % kGranules]; }

bool writes(Use use) { return use != Use::kRead && use != Use::kAtomicRead; }
bool is_atomic(Use use) { return use == Use::kAtomicRead || use == Use::kAtomicWrite; }

// ---- What belongs to one thread -------------------------------------------------------------------------------------

struct Range {
  uintptr_t low, high;
  Range* next;
};
Range* owned = nullptr;

bool in_thread_data(uintptr_t address) {
  static size_t bytes = 0; // of all libraries' thread-local data, which lie below a thread's block
  if (bytes == 0)
    dl_iterate_phdr(
        [](dl_phdr_info* file, size_t, void* sum) {
          for (int i = 0; i < file->dlpi_phnum; ++i)
            if (file->dlpi_phdr[i].p_type == PT_TLS)
              *static_cast<size_t*>(sum) += file->dlpi_phdr[i].p_memsz + file->dlpi_phdr[i].p_align;
          return 0;
        },
        &bytes);
  for (int i = 0; i < virtual_machine::width; ++i) {
    auto block = reinterpret_cast<uintptr_t>(virtual_machine::fibers[i].context.thread_block);
    if (address < block && address >= block - bytes) return true;
  }
  for (const Range* range = owned; range != nullptr; range = range->next)
    if (address >= range->low && address < range->high) return true;
  return false;
}

// Two tasks that one thread ran are unordered all the same: on another machine two threads run them. But not where the
// memory goes with the thread: its own data, or an element that the task chose by the number of its thread.
bool goes_with_thread(const Access& before, const Strand* now, uintptr_t address) {
  if (before.fiber != current->id) return false;
  if (in_thread_data(address)) return true;
  const Strand* first = strand_number(before.strand);
  return first->asks_thread && now->asks_thread;
}

// ---- Uses -----------------------------------------------------------------------------------------------------------

bool conflicts(const Access& before, uint8_t bytes, Use use, const Strand* now) {
  if (determinacy) return false; // races are looked for without it
  if ((before.bytes & bytes) == 0 || (!writes(before.use) && !writes(use))) return false;
  if (is_atomic(before.use) && is_atomic(use)) return false;
  return !happened_before(before.strand, before.epoch, now);
}

// Whoever would race with the use before, and comes later, also races with the new one.
bool replaces(uint8_t bytes, Use use, const Access& before, const Strand* now) {
  if ((before.bytes & ~bytes) != 0 || (writes(before.use) && !writes(use))) return false;
  if (is_atomic(use) && !is_atomic(before.use)) return false;
  return happened_before(before.strand, before.epoch, now);
}

void complain(const Access& before, uintptr_t address, uint8_t bytes, Use use, Strand* now, const void* pc) {
  if (goes_with_thread(before, now, address)) return;
  uintptr_t first = (address & ~uintptr_t{7}) + static_cast<unsigned>(__builtin_ctz(before.bytes & bytes));
  report_race(reinterpret_cast<const void*>(first), static_cast<size_t>(__builtin_popcount(bytes)),
              strand_number(before.strand), before.use, before.pc, now, use, pc);
}

// ---- Determinacy ----------------------------------------------------------------------------------------------------

// Sets of locks, by number; 0 is the empty one.
struct Locks {
  static constexpr int kMost = 4;
  uint64_t list[kMost];
  int count;
};
Locks lock_sets[1024];
uint16_t lock_set_count = 1;

uint16_t number_of(const Locks& locks) {
  for (uint16_t i = 0; i < lock_set_count; ++i)
    if (memcmp(lock_sets[i].list, locks.list, sizeof locks.list) == 0) return i; // what is unused is 0
  if (lock_set_count == sizeof lock_sets / sizeof *lock_sets) return 0;
  lock_sets[lock_set_count] = locks;
  return lock_set_count++;
}

bool have_one_in_common(uint16_t a, uint16_t b) {
  for (int i = 0; i < lock_sets[a].count; ++i)
    for (int j = 0; j < lock_sets[b].count; ++j)
      if (lock_sets[a].list[i] == lock_sets[b].list[j]) return true;
  return false;
}

// Reads under a lock of what others have changed: only when the section ends is it known whether it was part of a
// change.
struct Look {
  uintptr_t address;
  Access before;
  Strand* now;
  const void* pc;
};
constexpr int kLooks = 256;
Look looks[kLooks];
int look_count = 0;

void report_undetermined(const Access& before, uintptr_t address, Use use, Strand* now, const void* pc) {
  if (goes_with_thread(before, now, address)) return;
  auto first = address + static_cast<unsigned>(__builtin_ctz(before.bytes));
  report_order(reinterpret_cast<const void*>(first), static_cast<size_t>(__builtin_popcount(before.bytes)),
               strand_number(before.strand), before.use, before.pc, now, use, pc);
}

void compare_order(const Access& before, uintptr_t address, const Access& use, Strand* now) {
  address &= ~uintptr_t{7};
  if ((before.bytes & use.bytes) == 0 || (!writes(before.use) && !writes(use.use))) return;
  if (happened_before(before.strand, before.epoch, now)) return;
  bool atomics = is_atomic(before.use) && is_atomic(use.use);
  if (!atomics && !have_one_in_common(before.locks, use.locks)) return;
  if (writes(before.use) && writes(use.use) && before.change == use.change && use.change != Change::kAnything) return;
  if (atomics || writes(use.use)) return report_undetermined(before, address, use.use, now, use.pc);
  if (look_count < kLooks) looks[look_count++] = {address, before, now, use.pc};
}

// A write under a lock of what the section has read is an update: those of two sections are taken to commute.
Change change_under_lock(const Granule& granule, uintptr_t address, const Strand* now) {
  Change change = Change::kAnything;
  for (const Access& before : granule.uses)
    if (before.strand == now->id && before.epoch == now->epoch &&
        (before.use == Use::kRead || before.change == Change::kUpdatesUnderLock))
      change = Change::kUpdatesUnderLock;
  int kept = 0;
  for (int i = 0; i < look_count; ++i)
    if (looks[i].now != now || looks[i].address != (address & ~uintptr_t{7})) looks[kept++] = looks[i];
  look_count = kept;
  return change;
}

// ---- A use ----------------------------------------------------------------------------------------------------------

void use_granule(Granule& granule, uintptr_t address, uint8_t bytes, Use use, Strand* now, const void* pc,
                 Change change = Change::kAnything) {
  if (use == Use::kWrite && now->locks != 0) change = change_under_lock(granule, address, now);
  const Access own{now->id, now->epoch, static_cast<uint16_t>(current->id), bytes, use, change, now->locks, pc};
  Access* place = nullptr;
  for (Access& before : granule.uses) {
    if (before.strand == 0) {
      if (place == nullptr) place = &before;
      break; // places are taken in turn
    }
    if (before.strand == now->id && before.epoch == now->epoch && (bytes & ~before.bytes) == 0 &&
        (before.use == use || (!writes(use) && !is_atomic(before.use))))
      return;
    if (conflicts(before, bytes, use, now)) complain(before, address, bytes, use, now, pc);
    if (determinacy) compare_order(before, address, own, now);
    if (place == nullptr && replaces(bytes, use, before, now)) place = &before;
  }
  if (place == nullptr) place = &granule.uses[virtual_machine::random_below(kUses)];
  *place = own;
}

template <typename Do> void for_each_known(uintptr_t low, uintptr_t high, Do act) {
  if (table == nullptr) return;
  for (low &= ~uintptr_t{7}; low < high;) {
    Page* page = page_of(low, false);
    uintptr_t next = (low / (kGranules * 8) + 1) * (kGranules * 8);
    if (page != nullptr)
      for (uintptr_t at = low; at < next && at < high; at += 8) act(granule_in(page, at), at);
    low = next;
  }
}

bool is_known(const Granule& granule) { return granule.uses[0].strand != 0; }

} // namespace

bool determinacy = false;

void holds(Strand* strand, uint64_t lock) {
  Locks locks = lock_sets[strand->locks];
  if (locks.count == Locks::kMost) return;
  locks.list[locks.count++] = lock;
  strand->locks = number_of(locks);
}

void lets_go(Strand* strand, uint64_t lock) {
  Locks locks = lock_sets[strand->locks], rest{};
  bool found = false;
  for (int i = 0; i < locks.count; ++i) {
    bool is_it = !found && locks.list[i] == lock;
    found = found || is_it;
    if (!is_it) rest.list[rest.count++] = locks.list[i];
  }
  strand->locks = number_of(rest);
  int kept = 0;
  for (int i = 0; i < look_count; ++i) {
    const Look& look = looks[i];
    if (look.now == strand)
      report_undetermined(look.before, look.address, Use::kRead, strand, look.pc);
    else
      looks[kept++] = look;
  }
  look_count = kept;
}

void use_memory(const void* address, size_t bytes, Use use, const void* pc, Change change) {
  Strand* now = running();
  virtual_machine::last_progress = virtual_machine::report->steps;
  if (now->ignoring != 0) return;
  auto low = reinterpret_cast<uintptr_t>(address), end = low + bytes;
  if (virtual_machine::note_not_all != nullptr && now->kind == Kind::kTask && in_thread_data(low))
    virtual_machine::not_all("a task uses data of the thread that runs it");
  if (use == Use::kFree) { // only what somebody has used
    for_each_known(low, end, [=](Granule& granule, uintptr_t at) {
      if (is_known(granule)) use_granule(granule, at, 0xff, use, now, pc);
    });
    return;
  }
  while (low < end) {
    unsigned first = low & 7, count = 8 - first;
    if (count > end - low) count = static_cast<unsigned>(end - low);
    auto mask = static_cast<uint8_t>(((1u << count) - 1) << first);
    use_granule(granule_in(page_of(low, true), low), low, mask, use, now, pc, change);
    low += count;
  }
}

void forget(const void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  for_each_known(low, low + bytes, [](Granule& granule, uintptr_t) {
    if (is_known(granule)) granule = Granule{};
  });
}

void frame_begins(uintptr_t low, uintptr_t high) { forget(reinterpret_cast<const void*>(low), high - low); }

// Whoever uses a variable of the frame must have done so before; who comes later finds that it has ended.
void frame_ends(uintptr_t low, uintptr_t high, const void* pc) {
  Strand* now = running();
  for_each_known(low, high, [=](Granule& granule, uintptr_t at) {
    if (is_known(granule)) use_granule(granule, at, 0xff, Use::kScopeEnd, now, pc);
  });
}

void belongs_to_thread(const void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  for (const Range* range = owned; range != nullptr; range = range->next)
    if (range->low == low && range->high >= low + bytes) return;
  auto* range = static_cast<Range*>(permanent(sizeof(Range)));
  *range = {low, low + bytes, owned};
  owned = range;
}

// The marks of frames that have ended on this stack would be taken for those of what runs there now.
void forget_below(uintptr_t stack_pointer) {
  constexpr uintptr_t kStretch = 16 << 10;
  forget(reinterpret_cast<const void*>(stack_pointer - kStretch), kStretch);
}

} // namespace explore
