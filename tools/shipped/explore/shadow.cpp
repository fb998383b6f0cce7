// The history of memory: of each 8 bytes some uses, with the strand and its epoch. Two uses of the same bytes, one of
// them a write, not both atomic, of which neither happens before the other, are a race.
#include <link.h>
#include <string.h>

#include "tools/laboratory/virtual/table.h"
#include "tools/shipped/explore/shared_calls.h"
#include "tools/shipped/explore/strand.h"

namespace explore {
namespace {

using virtual_machine::current;
using virtual_machine::permanent;

constexpr int kUses = 6, kInline = 2;
struct Access {
  uint32_t strand; // 0: none
  uint32_t epoch;
  uint64_t pc : 48;   // of the program's code
  uint64_t bytes : 8; // one bit each
  uint64_t use : 4;
  uint64_t change : 4;
  uint32_t calls;
  uint16_t fiber;
  uint16_t locks; // held then

  Use how() const { return static_cast<Use>(use); }
  Change what() const { return static_cast<Change>(change); }
  Place place() const { return {reinterpret_cast<const void*>(uintptr_t{pc}), calls}; }
};
static_assert(sizeof(Access) == 24);
// Most have few uses: places for more are made where they are needed, and stay.
struct Granule {
  Access uses[kInline];
  Access* more;
  Access* place(int i) { return i < kInline ? &uses[i] : more != nullptr ? &more[i - kInline] : nullptr; }
};
constexpr size_t kGranules = 512;
struct Page {
  uintptr_t number;
  uint64_t known[kGranules / 64]; // which granules have uses, a bit each
  Granule granules[kGranules];
};

virtual_machine::Table<Page, &Page::number> pages;
Page* latest[64]; // by a few bits of their numbers

__attribute__((always_inline)) inline Page* page_of(uintptr_t address, bool make) {
  uintptr_t number = address / (kGranules * 8);
  Page*& last = latest[(number ^ number >> 6 ^ number >> 12) % 64];
  if (__builtin_expect(last == nullptr || last->number != number, 0)) {
    Page* page = make ? &pages.at(number) : pages.find(number);
    if (page == nullptr) return nullptr;
    last = page;
  }
  return last;
}

Granule& granule_in(Page* page, uintptr_t address) {
  size_t index = address / 8 % kGranules;
  Granule& granule = page->granules[index];
  if (granule.uses[0].strand == 0) page->known[index / 64] |= uint64_t{1} << index % 64;
  return granule;
}

void make_places(Granule& granule) {
  constexpr int kAtOnce = 64, kMore = kUses - kInline;
  static Access* next = nullptr;
  static int left = 0;
  if (left == 0) {
    next = static_cast<Access*>(permanent(kAtOnce * kMore * sizeof(Access)));
    left = kAtOnce;
  }
  granule.more = next;
  next += kMore;
  --left;
}

bool writes(Use use) { return use != Use::kRead && use != Use::kAtomicRead; }
bool is_atomic(Use use) { return use == Use::kAtomicRead || use == Use::kAtomicWrite; }

// The history of an atomic object goes with the last atomic use of it.
void forget_object(const Access& use, uintptr_t address) {
  if (use.strand != 0 && is_atomic(use.how()))
    forget_old_values((address & ~uintptr_t{7}) + static_cast<unsigned>(__builtin_ctz(use.bytes)));
}

void forget_uses(Granule& granule, uintptr_t address) {
  for (int i = 0; i < kUses; ++i)
    if (Access* use = granule.place(i)) {
      forget_object(*use, address);
      *use = Access{};
    }
}

// ---- What belongs to one thread -------------------------------------------------------------------------------------

struct Range {
  uintptr_t low, high;
  Range* next;
};
Range* owned = nullptr;

// Of all libraries' thread-local data, which lie below a thread's block.
size_t thread_data_bytes = 0;
__attribute__((constructor)) void measure_thread_data() {
  dl_iterate_phdr(
      [](dl_phdr_info* file, size_t, void*) {
        for (int i = 0; i < file->dlpi_phnum; ++i)
          if (file->dlpi_phdr[i].p_type == PT_TLS)
            thread_data_bytes += file->dlpi_phdr[i].p_memsz + file->dlpi_phdr[i].p_align;
        return 0;
      },
      nullptr);
}

bool in_own_thread_data(uintptr_t address) {
  return reinterpret_cast<uintptr_t>(current->context.thread_block) - 1 - address < thread_data_bytes;
}

// What a thread's tasks reduce into, and its threadprivate copies.
bool is_owned(uintptr_t address) {
  for (const Range* range = owned; range != nullptr; range = range->next)
    if (address >= range->low && address < range->high) return true;
  return false;
}

// Variables of a function that teams execute in turn.
struct Turns {
  uintptr_t low, high;
  Clock earlier;
  Turns* next;
};
Turns* turns = nullptr;

bool is_of_earlier_team(const Access& before, uintptr_t address) {
  for (const Turns* each = turns; each != nullptr; each = each->next)
    if (address >= each->low && address < each->high) return before.epoch <= each->earlier.of(before.strand);
  return false;
}

// Two tasks that one thread ran are unordered all the same: on another machine two threads run them. But not where the
// memory goes with the thread. What such a task reaches from there is ordered too: uses_thread().
bool goes_with_thread(const Access& before, uintptr_t address) {
  return before.fiber == current->id && (in_own_thread_data(address) || is_owned(address));
}

// ---- Uses -----------------------------------------------------------------------------------------------------------

bool conflicts(const Access& before, uint8_t bytes, Use use, const Strand* now) {
  if (determinacy) return false; // races are looked for without it
  if ((before.bytes & bytes) == 0 || (!writes(before.how()) && !writes(use))) return false;
  if (is_atomic(before.how()) && is_atomic(use)) return false;
  return !happened_before(before.strand, before.epoch, now);
}

// Whoever would race with the use before, and comes later, also races with the new one.
bool replaces(uint8_t bytes, Use use, const Access& before, const Strand* now) {
  if ((before.bytes & ~bytes) != 0 || (writes(before.how()) && !writes(use))) return false;
  if (is_atomic(use) && !is_atomic(before.how())) return false;
  return happened_before(before.strand, before.epoch, now);
}

void complain(const Access& before, uintptr_t address, uint8_t bytes, Use use, Strand* now, const void* pc) {
  if (goes_with_thread(before, address) || is_of_earlier_team(before, address)) return;
  if (is_of_library(address) && library_state(reinterpret_cast<const void*>(address)) == nullptr) return;
  uintptr_t first = (address & ~uintptr_t{7}) + static_cast<unsigned>(__builtin_ctz(before.bytes & bytes));
  report_race(reinterpret_cast<const void*>(first), static_cast<size_t>(__builtin_popcount(bytes)),
              {strand_number(before.strand), before.how(), before.place()}, {now, use, {pc, calls_now()}});
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
  Place place;
};
constexpr int kLooks = 256;
Look looks[kLooks];
int look_count = 0;

void report_undetermined(const Access& before, uintptr_t address, Use use, Strand* now, Place place) {
  if (goes_with_thread(before, address)) return;
  auto first = address + static_cast<unsigned>(__builtin_ctz(before.bytes));
  report_order(reinterpret_cast<const void*>(first), static_cast<size_t>(__builtin_popcount(before.bytes)),
               {strand_number(before.strand), before.how(), before.place()}, {now, use, place});
}

void compare_order(const Access& before, uintptr_t address, uint8_t bytes, Use use, Change change, Strand* now,
                   const void* pc) {
  address &= ~uintptr_t{7};
  if ((before.bytes & bytes) == 0 || (!writes(before.how()) && !writes(use))) return;
  if (happened_before(before.strand, before.epoch, now)) return;
  bool atomics = is_atomic(before.how()) && is_atomic(use);
  if (!atomics && !have_one_in_common(before.locks, now->locks)) return;
  if (writes(before.how()) && writes(use) && before.what() == change && change != Change::kAnything) return;
  if (atomics || writes(use)) return report_undetermined(before, address, use, now, {pc, calls_now()});
  if (look_count < kLooks) looks[look_count++] = {address, before, now, {pc, calls_now()}};
}

// A write under a lock of what the section has read is an update: those of two sections are taken to commute.
Change change_under_lock(Granule& granule, uintptr_t address, const Strand* now) {
  Change change = Change::kAnything;
  for (int i = 0; i < kUses; ++i)
    if (const Access* before = granule.place(i);
        before != nullptr && before->strand == now->id && before->epoch == now->epoch &&
        (before->how() == Use::kRead || before->what() == Change::kUpdatesUnderLock))
      change = Change::kUpdatesUnderLock;
  int kept = 0;
  for (int i = 0; i < look_count; ++i)
    if (looks[i].now != now || looks[i].address != (address & ~uintptr_t{7})) looks[kept++] = looks[i];
  look_count = kept;
  return change;
}

// ---- A use ----------------------------------------------------------------------------------------------------------

// Whether the strand has used all of that so already, and let nobody go on since: whoever came meanwhile was compared
// with that.
__attribute__((always_inline)) inline bool is_again(const Granule& granule, uint8_t bytes, Use use, const Strand* now) {
  for (const Access& before : granule.uses) {
    if (before.strand != now->id || before.epoch != now->epoch || (bytes & ~before.bytes) != 0) continue;
    if (before.how() == use || (!writes(use) && !is_atomic(before.how()))) return !determinacy;
  }
  return false;
}

void use_granule(Granule& granule, uintptr_t address, uint8_t bytes, Use use, Strand* now, const void* pc,
                 Change change = Change::kAnything) {
  if (use == Use::kWrite && now->locks != 0) change = change_under_lock(granule, address, now);
  Access* place = nullptr;
  for (int i = 0; i < kUses; ++i) {
    if (i == kInline && granule.more == nullptr) {
      if (place != nullptr) break;
      make_places(granule);
    }
    Access& before = *granule.place(i);
    if (before.strand == 0) {
      if (place == nullptr) place = &before;
      break; // places are taken in turn
    }
    if (before.strand == now->id && before.epoch == now->epoch && (bytes & ~before.bytes) == 0 &&
        (before.how() == use || (!writes(use) && !is_atomic(before.how()))))
      return;
    if (conflicts(before, bytes, use, now)) complain(before, address, bytes, use, now, pc);
    if (determinacy) compare_order(before, address, bytes, use, change, now, pc);
    if (place == nullptr && replaces(bytes, use, before, now)) place = &before;
  }
  if (place == nullptr) place = granule.place(static_cast<int>(virtual_machine::random_below(kUses)));
  if (!is_atomic(use)) forget_object(*place, address);
  place->strand = now->id;
  place->epoch = now->epoch;
  place->pc = reinterpret_cast<uintptr_t>(pc);
  place->bytes = bytes;
  place->use = static_cast<uint8_t>(use);
  place->change = static_cast<uint8_t>(change);
  place->calls = calls_now();
  place->fiber = static_cast<uint16_t>(current->id);
  place->locks = now->locks;
}

uintptr_t address_of(const Page* page, size_t index) { return (page->number * kGranules + index) * 8; }

// Of a page, what lies from `low` to `high`.
template <typename Do> void for_each_known_in(Page* page, uintptr_t low, uintptr_t high, Do act) {
  uintptr_t begin = page->number * kGranules * 8;
  size_t first = low > begin ? (low - begin) / 8 : 0;
  size_t end = high - begin >= kGranules * 8 ? kGranules : (high - begin + 7) / 8;
  for (size_t word = first / 64; word * 64 < end; ++word) {
    uint64_t bits = page->known[word];
    if (word == first / 64) bits &= ~uint64_t{0} << first % 64;
    for (; bits != 0; bits &= bits - 1) {
      size_t index = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      if (index >= end) return;
      act(page, index);
    }
  }
}

template <typename Do> void for_each_known(uintptr_t low, uintptr_t high, Do act) {
  if (low >= high) return;
  constexpr uintptr_t kBytes = kGranules * 8;
  uintptr_t first = low / kBytes, last = (high - 1) / kBytes;
  if (last - first < pages.room()) {
    for (uintptr_t number = first; number <= last; ++number)
      if (Page* page = page_of(number * kBytes, false)) for_each_known_in(page, low, high, act);
    return;
  }
  pages.for_each([&](Page* page) {
    if (page->number >= first && page->number <= last) for_each_known_in(page, low, high, act);
  });
}

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
      report_undetermined(look.before, look.address, Use::kRead, strand, look.place);
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
  if (now->must_forget) forget_left_behind(now, 0);
  if (in_own_thread_data(low)) {
    uses_thread(now);
    if (now->kind == Kind::kTask) virtual_machine::not_all("a task uses data of the thread that runs it");
  }
  if (use == Use::kFree) { // what somebody has used, and all of a block that is not large, for a use that comes later
    for_each_known(low, end, [=](Page* page, size_t index) {
      use_granule(page->granules[index], address_of(page, index), 0xff, use, now, pc);
    });
    constexpr uintptr_t kBeginning = 128 << 10;
    for (uintptr_t at = (low + 7) & ~uintptr_t{7}; at < end && at < low + kBeginning; at += 8)
      use_granule(granule_in(page_of(at, true), at), at, 0xff, use, now, pc);
    return;
  }
  while (low < end) {
    unsigned first = low & 7, count = 8 - first;
    if (count > end - low) count = static_cast<unsigned>(end - low);
    auto mask = static_cast<uint8_t>(((1u << count) - 1) << first);
    Granule& granule = granule_in(page_of(low, true), low);
    if (!is_again(granule, mask, use, now)) use_granule(granule, low, mask, use, now, pc, change);
    low += count;
  }
}

void forget(const void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  for_each_known(low, low + bytes, [](Page* page, size_t index) {
    forget_uses(page->granules[index], address_of(page, index));
    page->known[index / 64] &= ~(uint64_t{1} << index % 64);
  });
}

void frame_begins(uintptr_t low, uintptr_t high) { forget(reinterpret_cast<const void*>(low), high - low); }

// Whoever uses a variable of the frame must have done so before; who comes later finds that it has ended.
void frame_ends(uintptr_t low, uintptr_t high, const void* pc) {
  Strand* now = running();
  for_each_known(low, high, [=](Page* page, size_t index) {
    use_granule(page->granules[index], address_of(page, index), 0xff, Use::kScopeEnd, now, pc);
  });
}

void forget_thread_data() {
  auto block = reinterpret_cast<uintptr_t>(current->context.thread_block);
  forget(reinterpret_cast<const void*>(block - thread_data_bytes), thread_data_bytes);
}

void teams_take_turns(uintptr_t low, uintptr_t high, Clock earlier) {
  teams_are_done(low);
  auto* frame = static_cast<Turns*>(permanent(sizeof(Turns)));
  *frame = {low, high, earlier, turns};
  turns = frame;
}

void teams_are_done(uintptr_t low) {
  for (Turns** each = &turns; *each != nullptr; each = &(*each)->next)
    if ((*each)->low == low) {
      *each = (*each)->next;
      return;
    }
}

void belongs_to_thread(const void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  for (const Range* range = owned; range != nullptr; range = range->next)
    if (range->low == low && range->high >= low + bytes) return;
  auto* range = static_cast<Range*>(permanent(sizeof(Range)));
  *range = {low, low + bytes, owned};
  owned = range;
}

} // namespace explore
