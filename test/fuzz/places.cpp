// Places: explicit lists, levels, processors, subsets of the hardware, KMP_AFFINITY; on a machine of two sockets, four
// cores in each, two hardware threads in each core, of which a few are not available. The first byte of the input
// chooses among these.
//
// SOURCES: runtime/config/places.cpp runtime/config/places_text.cpp runtime/machine/hw_subset.cpp
// runtime/machine/hardware.cpp runtime/config/affinity_settings.cpp runtime/base/env.cpp runtime/base/log.cpp
// runtime/base/os_linux.cpp
#include <string>

#include "runtime/config/affinity_settings.h"
#include "runtime/machine/hw_subset.h"
#include "runtime/config/places.h"
#include "test/fuzz/fuzz.h"

using namespace chomp;

namespace {

constexpr int kThreads = 16;

struct Machine {
  HwThread threads[kThreads] = {};
  Hardware hardware;
  CpuMask available = {};
  PlaceList list;

  Machine() {
    for (uint16_t cpu = 0; cpu < kThreads; cpu++) {
      threads[cpu].cpu = cpu;
      const auto socket = static_cast<uint16_t>(cpu / 8), core = static_cast<uint16_t>(cpu / 2);
      threads[cpu].unit[static_cast<int>(HwLevel::kSocket)] = socket;
      threads[cpu].unit[static_cast<int>(HwLevel::kL3)] = socket;
      threads[cpu].unit[static_cast<int>(HwLevel::kCore)] = core;
      threads[cpu].unit[static_cast<int>(HwLevel::kThread)] = cpu;
      if (cpu % 5 != 4) available.set(cpu);
    }
    hardware.count = kThreads;
    hardware.threads = threads;
    for (HwLevel level : {HwLevel::kSocket, HwLevel::kL3, HwLevel::kCore, HwLevel::kThread})
      hardware.known = static_cast<uint16_t>(hardware.known | level_bit(level));
    hardware_order(&hardware);
  }
};

Machine& machine() {
  static Machine machine;
  return machine;
}

void expect_good_places(const PlaceList& list) {
  if (list.count() < 0 || list.count() > kMaxPlaces) fuzz_failed("the number of places", "");
  for (int place = 0; place < list.count(); place++) {
    if (list.size(place) < 1) fuzz_failed("an empty place", "");
    for (int i = 0; i < list.size(place); i++) {
      if (!machine().available.has(list.cpus(place)[i])) fuzz_failed("a CPU that is not available", "");
      if (i > 0 && list.cpus(place)[i] <= list.cpus(place)[i - 1]) fuzz_failed("a place not in order", "");
    }
  }
}

/// A text is checked when it is read and used later: both must agree whether it is right.
void a_list(Parse (*parse)(std::string_view, PlaceSink*), std::string_view text, HwLevel grain) {
  PlaceSink check;
  Parse checked = parse(text, &check);
  Machine& m = machine();
  m.list.clear();
  PlaceSink sink;
  sink.available = &m.available;
  sink.hardware = &m.hardware;
  sink.grain = grain;
  sink.list = &m.list;
  Parse made = parse(text, &sink);
  if (checked == Parse::kInvalid && made != Parse::kInvalid) fuzz_failed("refused, but good for a list", "");
  if (checked == Parse::kOk && made == Parse::kInvalid) fuzz_failed("good, but refused for a list", "");
  if (made == Parse::kOk && grain == HwLevel::kThread) expect_good_places(m.list);
}

void a_level(std::string_view text) {
  PlacesText places;
  if (parse_places(text, &places) != Parse::kOk || places.explicit_list) return;
  Machine& m = machine();
  m.list.clear();
  if (!places_of_level(m.hardware, places.level, places.most, places.increment, &m.list)) return;
  if (places.most > 0 && m.list.count() > places.most) fuzz_failed("more places than wanted", "");
}

void a_subset(std::string_view text) {
  HwSubset subset;
  if (parse_hw_subset_text(text, &subset) != Parse::kOk) return;
  if (subset.count < 0 || subset.count > kHwLevels) fuzz_failed("the number of items", "");
  Machine& m = machine();
  CpuMask cpus = {};
  for (int i = 0; i < kThreads; i++) cpus.set(m.threads[i].cpu);
  HwLevel culprit = HwLevel::kThread;
  bool chosen = choose_subset(m.hardware, subset, &cpus, &culprit);
  if (cpus.count() < 1 || (!chosen && cpus.count() != kThreads)) fuzz_failed("a subset", chosen ? "chosen" : "refused");
}

void an_affinity(std::string_view text) {
  KmpAffinity affinity;
  std::string_view bad;
  if (parse_kmp_affinity_text(text, &affinity, &bad) == Parse::kInvalid && !bad.empty()) nearest_affinity_word(bad);
  if (affinity.number_count < 0 || affinity.number_count > 2) fuzz_failed("the number of numbers", "");
  if (!affinity.processors.empty()) a_list(parse_processors, affinity.processors, affinity.level);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string copy(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string_view text = std::string_view(copy.c_str()); // up to a zero: environment variables hold none
  switch (data[0] % 6) {
  case 0: a_list(parse_place_list, text, HwLevel::kThread); break;
  case 1: a_list(parse_processors, text, HwLevel::kThread); break;
  case 2: a_list(parse_processors, text, HwLevel::kCore); break;
  case 3: a_level(text); break;
  case 4: a_subset(text); break;
  default: an_affinity(text); break;
  }
  return 0;
}
