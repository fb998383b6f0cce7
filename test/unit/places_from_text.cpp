// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/config/places.cpp %root/runtime/config/places_text.cpp %root/runtime/machine/hardware.cpp %root/runtime/machine/hw_subset.cpp %root/runtime/config/affinity_settings.cpp -pthread -o %t && %t
// What the texts of OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY and KMP_HW_SUBSET say, on 8 CPUs: 0-3 and 8-11.
#include <initializer_list>

#include "runtime/config/affinity_settings.h"
#include "runtime/config/places.h"
#include "test/unit/check_that.h"

using namespace chomp;

static PlaceList list;
static int missing;

static CpuMask eight_cpus() {
  CpuMask mask = {};
  for (int cpu : {0, 1, 2, 3, 8, 9, 10, 11}) mask.set(cpu);
  return mask;
}

/// The list as text: "0,1|2" is {0,1},{2}.
static const char* shown() {
  static char text[4000];
  size_t length = 0;
  text[0] = 0;
  for (int place = 0; place < list.count(); place++)
    for (int i = 0; i < list.size(place); i++)
      length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s%d",
                                             i > 0       ? ","
                                             : place > 0 ? "|"
                                                         : "",
                                             list.cpus(place)[i]));
  return text;
}

static bool is(Parse (*parse)(std::string_view, PlaceSink*), const char* text, const char* expected,
               int expected_missing = -1) {
  CpuMask available = eight_cpus();
  PlaceSink sink{.available = &available, .list = &list};
  PlaceSink nowhere;
  list.clear();
  Parse how = parse(text, &sink);
  missing = sink.missing;
  bool agrees = (how == Parse::kInvalid) == (parse(text, &nowhere) == Parse::kInvalid);
  bool right = expected ? how == Parse::kOk && strcmp(shown(), expected) == 0 && missing == expected_missing
                        : how == Parse::kInvalid;
  if (!right || !agrees)
    fprintf(stderr, "%s: result %d, places %s, missing %d\n", text, static_cast<int>(how), shown(), missing);
  return right && agrees;
}

static void place_lists() {
  auto places = parse_place_list;
  THAT(is(places, "{0},{1}", "0|1"));
  THAT(is(places, " { 0 , 1 } , { 2 } ", "0,1|2"));
  THAT(is(places, "0,2", "0|2"));
  THAT(is(places, "{3,1,1}", "1,3"));
  THAT(is(places, "{0:4}", "0,1,2,3"));
  THAT(is(places, "{0:2:2}", "0,2"));
  THAT(is(places, "{3:4:-1}", "0,1,2,3"));
  THAT(is(places, "{0:2}:2:2", "0,1|2,3"));
  THAT(is(places, "{0,8}:4", "0,8|1,9|2,10|3,11"));
  THAT(is(places, "{3}:3:-1", "3|2|1"));
  THAT(is(places, "{8:4}:2:-8", "8,9,10,11|0,1,2,3"));
  THAT(is(places, "{0}:4,{8,9}", "0|1|2|3|8,9"));
  THAT(is(places, "0:4", "0|1|2|3"));
  THAT(is(places, "{0}:3:0", "0|0|0"));
  // Exclusions count whatever their order; alone they exclude from all that there is.
  THAT(is(places, "{0:4,!2}", "0,1,3"));
  THAT(is(places, "{!2,0:4}", "0,1,3"));
  THAT(is(places, "{!0,!8}", "1,2,3,9,10,11"));
  THAT(is(places, "{0}:4,!{2}", "0|1|3"));
  THAT(is(places, "!2,{0}:4", "0|1|3"));
  THAT(is(places, "!{0:4}", "8,9,10,11"));
  THAT(is(places, "!0,!{1,2,3}", "8,9,10,11"));
  THAT(is(places, "{0},!{77}", "0"));
  // CPUs that are not there are left out, and so are places without any.
  THAT(is(places, "{3:3}", "3", 4));
  THAT(is(places, "{4},{0}", "0", 4));
  THAT(is(places, "{0:2}:9:2", "0,1|2,3|8,9|10,11", 4));
  THAT(is(places, "{99999999999999999999}", "", 1 << 24));
  THAT(is(places, "{0:99999999999}", "0,1,2,3,8,9,10,11", 16384));
  THAT(is(places, "{1}:999999999:-1", "1|0"));
  for (const char* bad :
       {"",         "{",         "}",   "{}",    "{0",     "0}",     "{0}}",   "{{0}}",     "{0},",      ",{0}",
        "{0},,{1}", "{0}{1}",    "{a}", "{-1}",  "{0:0}",  "{0:}",   "{0:1:}", "{0:1:2:3}", "{0}:",      "{0}:0",
        "{0}:1:",   "{0}:1:2:3", "!",   "!!{0}", "!{0}:2", "{!0:2}", "{0 1}",  "{0};{1}",   "{0:2:--1}", "{0}:2:+-1"})
    THAT(is(places, bad, nullptr));
  // As many as there may be, and no more.
  list.clear();
  PlaceSink sink{.list = &list};
  THAT(parse_place_list("{0}:16384:0", &sink) == Parse::kOk && list.count() == kMaxPlaces);
  list.clear();
  THAT(parse_place_list("{0}:16385:0", &sink) == Parse::kTooLarge && list.count() == kMaxPlaces);
  list.clear();
  THAT(parse_place_list("{0:16384}:16384:0", &sink) == Parse::kTooLarge);
}

static void processors() {
  auto parse = parse_processors;
  THAT(is(parse, "0-3", "0|1|2|3"));
  THAT(is(parse, "0 3,1  2", "0|3|1|2"));
  THAT(is(parse, "8-11:2 0", "8|10|0"));
  THAT(is(parse, "3-0:-1", "3|2|1|0"));
  THAT(is(parse, "3-0:-2", "3|1"));
  THAT(is(parse, "1,1,1", "1|1|1"));
  THAT(is(parse, "{0,1},{2 3} , 8", "0,1|2,3|8"));
  THAT(is(parse, "2-9", "2|3|8|9", 4));
  THAT(is(parse, "0-99999999999", "0|1|2|3|8|9|10|11", 4));
  for (const char* bad :
       {"", "a", "-1", "3-0", "0-3:0", "0-3:-1", "0-", "0-3:", "{}", "{0", "0}", "{0-1}", "0;1", ",0"})
    THAT(is(parse, bad, nullptr));
}

static void whole_texts() {
  auto level = [](const char* text, HwLevel expected, int most, bool good = true) {
    PlacesText places;
    bool ok = parse_places(text, &places) == Parse::kOk;
    return ok == good && !places.explicit_list && places.level == expected && places.most == most;
  };
  THAT(level("threads", HwLevel::kThread, 0));
  THAT(level(" Cores ( 4 ) ", HwLevel::kCore, 4));
  THAT(level("ll_caches(2)", HwLevel::kLastCache, 2));
  THAT(level("numa_domains", HwLevel::kNuma, 0));
  THAT(level("sockets", HwLevel::kSocket, 0));
  THAT(level("dice", HwLevel::kDie, 0));
  THAT(level("modules", HwLevel::kTile, 0) && level("tiles", HwLevel::kTile, 0));
  THAT(level("l1_caches", HwLevel::kL1, 0) && level("l2_caches", HwLevel::kL2, 0) &&
       level("l3_caches", HwLevel::kL3, 0));
  THAT(level("sockets(", HwLevel::kSocket, 0, false) && level("threads()", HwLevel::kThread, 0, false));
  THAT(level("sockets(0)", HwLevel::kSocket, 0, false) && level("sockets(2)x", HwLevel::kSocket, 0, false));
  THAT(level("", HwLevel::kCore, 0, false) && level("core", HwLevel::kCore, 0, false));
  PlacesText places;
  THAT(parse_places(" {0:4}:2:4 ", &places) == Parse::kOk && places.explicit_list);
}

static void kmp_affinity() {
  auto parse = [](const char* text, KmpAffinity* result) {
    std::string_view bad;
    *result = {};
    return parse_kmp_affinity_text(text, result, &bad) == Parse::kOk;
  };
  KmpAffinity read;
  THAT(parse("verbose", &read) && read.verbose && read.type == AffinityType::kNotGiven);
  THAT(parse("granularity=fine,compact,1,0", &read) && read.type == AffinityType::kCompact);
  THAT(read.level_given && read.level == HwLevel::kThread && read.number_count == 2 && read.numbers[0] == 1);
  THAT(parse(" SCATTER , Gran = socket , norespect, nowarnings , reset ", &read));
  THAT(read.type == AffinityType::kScatter && read.level == HwLevel::kSocket);
  THAT(!read.respect && !read.warnings && read.reset);
  THAT(parse("granularity=2,balanced", &read) && read.levels_up == 2);
  THAT(parse("proclist=[0,{1,2},4-7:2],explicit,verbose", &read) && read.type == AffinityType::kExplicit);
  THAT(read.processors.size() == 13 && memcmp(read.processors.data(), "0,{1,2},4-7:2", 13) == 0);
  THAT(parse("proclist=[3]", &read) && read.type == AffinityType::kExplicit);
  for (const char* bad : {"", ",", "x", "compact,scatter", "explicit", "proclist=3", "proclist=[", "proclist=[]",
                          "granularity", "granularity=", "granularity=lake", "1,2,3", "-1", "verbose="})
    THAT(!parse(bad, &read));
}

static void hw_subset() {
  HwSubset subset;
  auto parse = [&](const char* text) { return parse_hw_subset_text(text, &subset) == Parse::kOk; };
  THAT(parse("2s,4c@1,2t") && subset.count == 3 && !subset.absolute);
  THAT(subset.items[1].level == HwLevel::kCore && subset.items[1].number == 4 && subset.items[1].offset == 1);
  THAT(parse("2Tx1Socketx3cores") && subset.items[0].level == HwLevel::kSocket); // in the machine's order
  THAT(parse(":1s,3t") && subset.absolute && subset.count == 2);
  THAT(parse("*c@2") && subset.items[0].number == 0 && subset.items[0].offset == 2);
  THAT(parse("1numa,1l2") && subset.items[0].level == HwLevel::kNuma && subset.items[1].level == HwLevel::kL2);
  THAT(parse("1ti,1d") && subset.items[1].level == HwLevel::kTile && subset.items[0].level == HwLevel::kDie);
  for (const char* bad :
       {"", ":", ",", "2", "0c", "-1c", "2c,2c", "1c,", "1l", "1q", "1c@", "1c@x", "1cores1", "c:eff1"})
    THAT(!parse(bad));
}

int main() {
  place_lists();
  processors();
  whole_texts();
  kmp_affinity();
  hw_subset();
  return result();
}
