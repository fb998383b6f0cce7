// Lists of places, places made from units of hardware, and the policies of proc_bind. See places.h; places_text.cpp
// reads the texts.
#include "runtime/config/places.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace chomp {

bool PlaceList::make_room() {
  auto begin = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * (kMaxPlaces + 1)));
  auto cpus = static_cast<uint16_t*>(map_pages(sizeof(uint16_t) * kMaxPlaceCpus));
  if (begin == nullptr || cpus == nullptr) {
    unmap_pages(begin, sizeof(uint32_t) * (kMaxPlaces + 1));
    unmap_pages(cpus, sizeof(uint16_t) * kMaxPlaceCpus);
    return false;
  }
  memcpy(begin, begin_, sizeof few_begin_);
  memcpy(cpus, cpus_, sizeof few_cpus_);
  begin_ = begin;
  cpus_ = cpus;
  return true;
}

bool PlaceList::add(const CpuMask& cpus) {
  if (count_ == kMaxPlaces) return false;
  if (begin_ == nullptr) {
    begin_ = few_begin_;
    cpus_ = few_cpus_;
  }
  uint32_t end = begin_[count_], after = end + static_cast<uint32_t>(cpus.count());
  if (after > kMaxPlaceCpus) return false;
  if (begin_ == few_begin_ && (count_ == 1 || after > kFewCpus) && !make_room()) return false;
  for (int word = 0; word < kMaxCpus / 64; word++)
    for (uint64_t bits = cpus.words[word]; bits != 0; bits &= bits - 1)
      cpus_[end++] = static_cast<uint16_t>(word * 64 + std::countr_zero(bits));
  if (end == begin_[count_]) return true; // an empty place is left out
  begin_[++count_] = end;
  return true;
}

CpuMask PlaceList::mask(int place) const {
  CpuMask mask = {};
  for (int i = 0; i < size(place); i++) mask.set(cpus(place)[i]);
  return mask;
}

void PlaceList::remove(const CpuMask& cpus) {
  if (count_ == 0) return;
  int kept = 0;
  uint32_t end = 0;
  for (int place = 0, old_count = count_; place < old_count; place++) {
    uint32_t from = begin_[place], to = begin_[place + 1];
    CpuMask own = mask(place);
    if (memcmp(&own, &cpus, sizeof own) == 0) continue;
    begin_[kept++] = end;
    for (uint32_t i = from; i < to; i++) cpus_[end++] = cpus_[i];
  }
  begin_[kept] = end;
  count_ = kept;
}

bool places_of_level(const Hardware& hardware, HwLevel level, int most, int increment, PlaceList* list) {
  int units = hardware.unit_count(level);
  int wanted = units > 0 ? (units - 1) / increment + 1 : 0;
  if (most > 0 && most < wanted) wanted = most;
  // Units are numbered in the order of their first threads.
  for (int place = 0; place < wanted; place++) {
    int unit = place * increment;
    CpuMask cpus = {};
    for (int i = 0; i < hardware.count; i++)
      if (unit_of(hardware.threads[i], level) == unit) cpus.set(hardware.threads[i].cpu);
    if (!list->add(cpus)) return false;
  }
  return true;
}

namespace {

/// A hardware thread and the numbers of its units inside the next larger ones, the most significant first.
struct SortedThread {
  uint16_t index; // in Hardware::threads
  uint16_t key[kHwLevels];
};

int compare_keys(const void* left, const void* right) {
  auto a = static_cast<const SortedThread*>(left);
  auto b = static_cast<const SortedThread*>(right);
  for (int i = 0; i < kHwLevels; i++)
    if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/// The number that thread `index`'s unit of `level` has inside its unit of `outer`. Units of a tree are contiguous in
/// logical order, so counting begins with the first thread of the outer unit.
int number_inside(const Hardware& hardware, int index, HwLevel level, HwLevel outer) {
  const HwThread& own = hardware.threads[index];
  int first = index;
  while (first > 0 && unit_of(hardware.threads[first - 1], outer) == unit_of(own, outer)) first--;
  return unit_of(own, level) - unit_of(hardware.threads[first], level);
}

} // namespace

bool places_by_thread(const Hardware& hardware, int permute, HwLevel grain, PlaceList* list) {
  HwLevel tree[kHwLevels];
  int depth = hardware_tree(hardware, tree);
  if (permute >= depth) permute = depth - 1;
  size_t bytes = sizeof(SortedThread) * static_cast<size_t>(hardware.count);
  auto sorted = static_cast<SortedThread*>(map_pages(bytes));
  if (sorted == nullptr) return false;
  for (int i = 0; i < hardware.count; i++) {
    sorted[i].index = static_cast<uint16_t>(i);
    for (int at = 0; at < depth; at++) {
      int inside = at == 0 ? unit_of(hardware.threads[i], tree[0]) : number_inside(hardware, i, tree[at], tree[at - 1]);
      int rank = at >= depth - permute ? depth - 1 - at : at + permute; // the `permute` innermost come first
      sorted[i].key[rank] = static_cast<uint16_t>(inside);
    }
  }
  qsort(sorted, static_cast<size_t>(hardware.count), sizeof(SortedThread), compare_keys);
  bool room = true;
  for (int i = 0; i < hardware.count && room; i++) {
    CpuMask cpus = {};
    uint16_t unit = unit_of(hardware.threads[sorted[i].index], grain);
    for (int j = 0; j < hardware.count; j++)
      if (unit_of(hardware.threads[j], grain) == unit) cpus.set(hardware.threads[j].cpu);
    room = list->add(cpus);
  }
  unmap_pages(sorted, bytes);
  return room;
}

Placement placement_of(ProcBind policy, const Placement& primary, int threads, int tid) {
  if (policy == ProcBind::kPrimary || tid == 0) {
    if (policy != ProcBind::kSpread) return primary;
  }
  int places = primary.count;
  int here = primary.place - primary.first;
  auto at = [&](int position) { return static_cast<int16_t>(primary.first + position % places); };

  if (threads > places) { // `places` groups of consecutive threads, whose sizes differ by one at most
    int16_t place = at(here + static_cast<int>(int64_t{tid} * places / threads));
    if (policy == ProcBind::kClose) return {place, primary.first, primary.count};
    return {place, static_cast<uint16_t>(place), 1};
  }
  if (policy == ProcBind::kClose) return {at(here + tid), primary.first, primary.count};

  // Part k is [k * places / threads, (k + 1) * places / threads). The primary's part is the last that does not begin
  // behind the primary's place.
  auto begin_of = [&](int64_t part) { return static_cast<int>(part * places / threads); };
  int own = static_cast<int>((int64_t{here + 1} * threads - 1) / places);
  int part = (own + tid) % threads;
  auto count = static_cast<uint16_t>(begin_of(part + 1) - begin_of(part));
  int16_t first = at(begin_of(part));
  return {tid == 0 ? primary.place : first, static_cast<uint16_t>(first), count};
}

BalancedPosition balanced_position(int cores, int threads, int tid) {
  int each = threads / cores;
  int larger = threads % cores; // the first cores, which have one more
  if (tid < larger * (each + 1)) return {tid / (each + 1), tid % (each + 1)};
  return {larger + (tid - larger * (each + 1)) / each, (tid - larger * (each + 1)) % each};
}

} // namespace chomp
