// See place_list.h. Warnings are libomp's, with their numbers; KMP_AFFINITY=nowarnings silences them.
#include "runtime/threads/place_list.h"

#include "runtime/base/log.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/place_report.h"

namespace chomp {

namespace {

constexpr const char* kRoot = "/sys";

/// For messages: the variable that the place list comes from.
const char* variable_of(PlaceSource source) {
  return source == PlaceSource::kLevel || source == PlaceSource::kPlaceList ? "OMP_PLACES" : "KMP_AFFINITY";
}

uint16_t levels_needed(const AffinitySettings& settings) {
  auto levels = level_bit(settings.level);
  if (settings.kmp.level_given) levels |= level_bit(settings.kmp.level);
  for (int i = 0; i < settings.subset.count; ++i) levels |= level_bit(settings.subset.items[i].level);
  return levels;
}

} // namespace

void MachinePlaces::unbind() {
  bind = confine = balanced = false;
  available = initial;
  places.clear();
  if (!places.add(available)) fatal("out of memory: the list of places");
}

void MachinePlaces::choose_available(const AffinitySettings& settings) {
  bool respect = settings.kmp.respect || !online_cpus_from_sysfs(kRoot, &available);
  if (respect) available = topology_allowed_cpus();
  if (settings.kmp.verbose) report_mask(initial, respect);
  if (!hardware_from_sysfs(kRoot, available, levels_needed(settings), &hardware_)) return;
  if (settings.subset.count > 0) {
    HwLevel culprit;
    HwSubset::Item unmet = {};
    if (choose_subset(hardware_, settings.subset, &available, &culprit, &unmet)) {
      if (unmet.number > 0 && settings.kmp.warnings)
        warn(285, "KMP_HW_SUBSET: more of the level %s requested than the %d that are there; all of those are used.",
             level_name(unmet.level).title, unmet.number);
      hardware_keep(&hardware_, available);
    } else if (settings.kmp.warnings) {
      bool known = hardware_.knows(culprit);
      const char* why = known ? "too many requested" : "level not detected in machine topology";
      warn(known ? 285 : 286, "KMP_HW_SUBSET ignored: %s: %s.", level_name(culprit).title, why);
    }
  }
  if (!respect || settings.subset.count > 0) topology_restrict(available);
  if (settings.kmp.verbose) report_hardware(hardware_);
}

HwLevel MachinePlaces::grain(const AffinitySettings& settings) const {
  HwLevel tree[kHwLevels];
  int depth = hardware_tree(hardware_, tree);
  if (settings.kmp.levels_up >= 0 && settings.source != PlaceSource::kLevel)
    return tree[settings.kmp.levels_up < depth ? depth - 1 - settings.kmp.levels_up : 0];
  if (hardware_.knows(settings.level)) return settings.level;
  if (settings.kmp.warnings)
    warn(192, "%s: granularity setting: %s does not exist in topology.  Using granularity=core instead.",
         variable_of(settings.source), level_name(settings.level).title);
  return HwLevel::kCore;
}

bool MachinePlaces::add_places(const AffinitySettings& settings) {
  PlaceSink sink{&available, &hardware_, HwLevel::kThread, &places};
  const KmpAffinity& kmp = settings.kmp;
  HwLevel tree[kHwLevels];
  bool complete = true;
  switch (settings.source) {
  case PlaceSource::kLevel:
    complete = places_of_level(hardware_, grain(settings), settings.most_places, settings.place_increment, &places);
    break;
  case PlaceSource::kPlaceList: complete = parse_place_list(settings.list, &sink) == Parse::kOk; break;
  case PlaceSource::kProcessors:
    sink.grain = grain(settings);
    complete = parse_processors(settings.list, &sink) == Parse::kOk;
    break;
  case PlaceSource::kBalanced: complete = places_by_thread(hardware_, 0, grain(settings), &places); break;
  case PlaceSource::kByThread: {
    int depth = hardware_tree(hardware_, tree);
    int per_core = hardware_.count / hardware_.unit_count(HwLevel::kCore);
    int permute = kmp.numbers[0] < depth ? kmp.numbers[0] : depth - 1;
    offset = kmp.numbers[1];
    if (kmp.type == AffinityType::kScatter) permute = depth - 1 - permute;
    if (kmp.type == AffinityType::kLogical || kmp.type == AffinityType::kPhysical) { // cores in order, counted in cores
      permute = kmp.type == AffinityType::kPhysical && per_core > 1 ? 1 : 0;
      offset = static_cast<int>(int64_t{kmp.numbers[0]} * per_core % hardware_.count);
    }
    complete = places_by_thread(hardware_, permute, grain(settings), &places);
    break;
  }
  default: break;
  }
  if (sink.missing >= kMaxNumber && kmp.warnings)
    warn(124, "Ignoring an invalid OS proc ID of %d or more.", kMaxNumber);
  else if (sink.missing >= 0 && kmp.warnings)
    warn(124, "Ignoring invalid OS proc ID %d.", sink.missing);
  if (!complete && kmp.warnings)
    warn(0, "%s: too many places; the first %d are used.", variable_of(settings.source), places.count());
  if (places.count() == 0 && kmp.warnings) warn(125, "No valid OS proc IDs specified - not using affinity.");
  return places.count() > 0;
}

void MachinePlaces::build(const AffinitySettings& settings) {
  initial = topology_process_cpus();
  available = topology_allowed_cpus();
  disabled = settings.source == PlaceSource::kDisabled;
  bool asked = settings.source > PlaceSource::kDisabled;
  if (asked || settings.kmp.verbose || settings.subset.count > 0) choose_available(settings);
  if (asked && hardware_.threads != nullptr) {
    bind = add_places(settings);
    balanced = bind && settings.source == PlaceSource::kBalanced;
    if (settings.source == PlaceSource::kBalanced) {
      offset = settings.kmp.numbers[1];
      first_of_core_ = cores_begin(hardware_);
      balanced = balanced && first_of_core_ != nullptr;
    }
  }
  if (bind) return topology_limit_running(covered());
  bool subset = settings.subset.count > 0 && !disabled;
  confine = bind = subset && available.count() < initial.count();
  places.clear();
  if (!places.add(available)) fatal("out of memory: the list of places");
}

int MachinePlaces::covered() const {
  CpuMask cpus = {};
  for (int place = 0; place < places.count(); ++place)
    for (int i = 0; i < places.size(place); ++i) cpus.set(places.cpus(place)[i]);
  return cpus.count();
}

int16_t MachinePlaces::balanced_place(int threads, int tid) const {
  BalancedPosition position = balanced_position(hardware_.unit_count(HwLevel::kCore), threads, tid);
  int first = first_of_core_[position.core];
  int threads_of_core = first_of_core_[position.core + 1] - first;
  return static_cast<int16_t>(first + position.thread % threads_of_core);
}

} // namespace chomp
