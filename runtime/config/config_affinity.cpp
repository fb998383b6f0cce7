// Reads the settings that say where threads run into config.affinity, and shows what is in force. Precedence is in
// settings_table.cpp. What several variables mean together is in resolve_affinity(). See config_values.h.
#include <climits>
#include <cstring>

#include "runtime/base/log.h"
#include "runtime/config/config_values.h"
#include "runtime/config/places.h"

namespace chomp {

namespace {

constexpr NamedValue kProcBinds[] = {{"false", 0}, {"true", 1},   {"primary", 2},  {"master", 2},
                                     {"close", 3}, {"spread", 4}, {"disabled", 0}, {"intel", 5}};
constexpr int kProcBindNames = 7; // users may write these; "intel" only shows that KMP_AFFINITY binds, as in libomp

} // namespace

Parse parse_proc_bind(const Setting&, std::string_view value, const char** nearest) {
  ProcBind binds[kMaxNestingInLists];
  int levels = 0;
  int elements = 0;
  for (std::string_view list = value; list.data(); elements++) {
    std::string_view element = next_element(&list, ',');
    int bind;
    int64_t number;
    if (parse_integer(element, 0, 4, &number) == Parse::kOk)
      bind = static_cast<int>(number);
    else if (parse_named(element, kProcBinds, kProcBindNames, &bind, nearest) != Parse::kOk)
      return Parse::kInvalid;
    // "true" and "false" stand alone.
    bool alone = bind <= 1;
    if (alone && (elements > 0 || list.data())) return Parse::kInvalid;
    if (levels < kMaxNestingInLists) binds[levels++] = static_cast<ProcBind>(bind);
  }
  memcpy(config.proc_bind, binds, sizeof binds[0] * static_cast<size_t>(levels));
  config.proc_bind_count = levels;
  if (same_name(trim(value), "disabled")) config.affinity.source = PlaceSource::kDisabled;
  imply_nesting(levels);
  return Parse::kOk;
}

void show_proc_bind(const Setting&, ValueText* text) {
  if (config.proc_bind_count == 0) text->add("false");
  for (int level = 0; level < config.proc_bind_count; level++)
    text->add("%s%s", level ? "," : "",
              name_of(static_cast<int>(config.proc_bind[level]), kProcBinds, sizeof kProcBinds / sizeof *kProcBinds));
}

Parse parse_teams_proc_bind(const Setting&, std::string_view value, const char** nearest) {
  int bind;
  if (parse_named(value, kProcBinds, kProcBindNames, &bind, nearest) != Parse::kOk || bind < 2) return Parse::kInvalid;
  config.affinity.teams_bind = static_cast<uint8_t>(bind);
  return Parse::kOk;
}

void show_teams_proc_bind(const Setting&, ValueText* text) {
  text->add("%s", name_of(config.affinity.teams_bind, kProcBinds, kProcBindNames));
}

/// As in libomp, threads are bound in spite of an error in the value: to cores, or to the level whose name could be
/// read.
Parse parse_places_setting(const Setting& setting, std::string_view value, const char**) {
  PlacesText places;
  AffinitySettings& affinity = config.affinity;
  Parse how = parse_places(value, &places);
  if (how != Parse::kOk) {
    const char* name = level_name(places.level).many;
    std::string_view all = trim(value), rest = all, word = next_element(&rest, '(');
    const char* nearest = places.explicit_list ? nullptr : nearest_level(word);
    if (nearest != nullptr && !same_name(word, nearest))
      warn(250, "%s: syntax error, using %s. Did you mean \"%s\"?", setting.name, name, nearest);
    else
      warn(250, "%s: syntax error, using %s.", setting.name, name);
    hint("%s=\"%.*s\": threads are bound all the same, to %s. It takes %s.", setting.name,
         static_cast<int>(all.size() < 200 ? all.size() : 200), all.data(), name, setting.takes);
    places.explicit_list = false;
    places.most = 0;
    places.increment = 1;
  }
  affinity.source = places.explicit_list ? PlaceSource::kPlaceList : PlaceSource::kLevel;
  affinity.level = places.level;
  affinity.most_places = places.most;
  affinity.place_increment = places.increment;
  affinity.list = trim(value);
  return Parse::kOk; // the warning has been given
}

void show_places(const Setting&, ValueText* text) {
  const AffinitySettings& affinity = config.affinity;
  auto length = static_cast<int>(affinity.list.size() < INT_MAX ? affinity.list.size() : INT_MAX);
  if (affinity.source == PlaceSource::kPlaceList || affinity.source == PlaceSource::kProcessors)
    text->add("%.*s", length, affinity.list.begin());
  if (affinity.source != PlaceSource::kLevel) return;
  text->add("%s", level_name(affinity.level).many);
  if (affinity.most_places <= 0) return;
  if (affinity.place_increment == 1)
    text->add("(%d)", affinity.most_places);
  else
    text->add("(%d:%d)", affinity.most_places, affinity.place_increment);
}

Parse parse_cpu_affinity(const Setting&, std::string_view value, const char**) {
  PlaceSink nowhere;
  if (parse_processors(value, &nowhere) != Parse::kOk) return Parse::kInvalid;
  config.affinity.source = PlaceSource::kProcessors;
  config.affinity.level = HwLevel::kThread;
  config.affinity.list = trim(value);
  return Parse::kOk;
}

static Parse read_kmp_affinity(std::string_view value, KmpAffinity* result, const char** nearest) {
  std::string_view bad;
  Parse how = parse_kmp_affinity_text(value, result, &bad);
  if (how != Parse::kOk && !bad.empty()) *nearest = nearest_affinity_word(bad);
  return how;
}

Parse parse_hidden_helper_affinity(const Setting&, std::string_view value, const char** nearest) {
  KmpAffinity unused;
  return read_kmp_affinity(value, &unused, nearest);
}

Parse parse_kmp_affinity(const Setting&, std::string_view value, const char** nearest) {
  AffinitySettings& affinity = config.affinity;
  if (Parse how = read_kmp_affinity(value, &affinity.kmp, nearest); how != Parse::kOk) return how;
  switch (affinity.kmp.type) {
  case AffinityType::kNotGiven: return Parse::kOk;
  case AffinityType::kNone: affinity.source = PlaceSource::kNone; break;
  case AffinityType::kDisabled: affinity.source = PlaceSource::kDisabled; break;
  case AffinityType::kExplicit: affinity.source = PlaceSource::kProcessors; break;
  case AffinityType::kBalanced: affinity.source = PlaceSource::kBalanced; break;
  default: affinity.source = PlaceSource::kByThread; break;
  }
  affinity.level = affinity.kmp.level;
  affinity.list = affinity.kmp.processors;
  return Parse::kOk;
}

bool names_affinity_type(std::string_view value) {
  KmpAffinity read;
  std::string_view bad;
  return parse_kmp_affinity_text(value, &read, &bad) == Parse::kOk && read.type != AffinityType::kNotGiven;
}

void show_kmp_affinity(const Setting&, ValueText* text) {
  const AffinitySettings& affinity = config.affinity;
  const KmpAffinity& kmp = affinity.kmp;
  text->add("%s,%s,%s,%s,granularity=", kmp.verbose ? "verbose" : "noverbose", kmp.warnings ? "warnings" : "nowarnings",
            kmp.respect ? "respect" : "norespect", kmp.reset ? "reset" : "noreset");
  if (kmp.levels_up >= 0)
    text->add("%d", kmp.levels_up);
  else
    text->add("%s", level_name(affinity.level).one);
  const char* type = affinity_type_name(kmp.type);
  switch (affinity.source) {
  case PlaceSource::kDefault:
  case PlaceSource::kNone: text->add(",none"); break;
  case PlaceSource::kDisabled: text->add(",disabled"); break;
  case PlaceSource::kLevel: text->add(",compact,0,0"); break;
  case PlaceSource::kPlaceList:
  case PlaceSource::kProcessors:
    text->add(",proclist=[%.*s],explicit", static_cast<int>(affinity.list.size()), affinity.list.data());
    break;
  case PlaceSource::kByThread:
  case PlaceSource::kBalanced:
    if (kmp.type == AffinityType::kLogical || kmp.type == AffinityType::kPhysical)
      text->add(",%s,%d", type, kmp.numbers[0]);
    else
      text->add(",%s,%d,%d", type, kmp.numbers[0], kmp.numbers[1]);
    break;
  }
}

Parse parse_hw_subset(const Setting& setting, std::string_view value, const char**) {
  if (parse_hw_subset_text(value, &config.affinity.subset) != Parse::kOk) return Parse::kInvalid;
  *static_cast<const char**>(setting.where) = value.data();
  return Parse::kOk;
}

void resolve_affinity() {
  AffinitySettings& affinity = config.affinity;
  bool unbound = config.proc_bind_count > 0 && config.proc_bind[0] == ProcBind::kFalse;
  bool asked = config.proc_bind_count > 0 && !unbound;
  if (unbound && affinity.source != PlaceSource::kDisabled) affinity.source = PlaceSource::kNone;
  if (asked && affinity.source == PlaceSource::kDefault) affinity.source = PlaceSource::kLevel;
  switch (affinity.source) {
  case PlaceSource::kDefault: break;
  case PlaceSource::kNone:
  case PlaceSource::kDisabled: config.proc_bind_count = 0; break;
  case PlaceSource::kLevel:
  case PlaceSource::kPlaceList:
    // "true", or places without OMP_PROC_BIND, leave the policy to the runtime: spread, as in libomp.
    if (config.proc_bind_count == 0) config.proc_bind_count = 1, config.proc_bind[0] = ProcBind::kTrue;
    if (config.proc_bind[0] == ProcBind::kTrue) config.proc_bind[0] = ProcBind::kSpread;
    break;
  case PlaceSource::kProcessors:
  case PlaceSource::kByThread:
  case PlaceSource::kBalanced:
    config.proc_bind_count = 1;
    config.proc_bind[0] = ProcBind::kByThread;
    break;
  }
}

} // namespace chomp
