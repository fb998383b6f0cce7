// See lane.h.
#include "tools/shipped/analyse/lane.h"

#include <algorithm>

namespace chomp::analyse {

Context::Context(const recording::Recording& recording) {
  std::unordered_map<uint64_t, uint32_t> numbers;
  for (recording::Stream stream : recording.streams) {
    std::vector<uint64_t> tasks; // on the worker's stack
    recording::Event event;
    while (stream.next(event)) {
      last_ticks = std::max(last_ticks, event.at);
      switch (event.kind) {
      case RecordKind::kSite:
        if (numbers.try_emplace(event.site, sites.size()).second) sites.push_back(event.site);
        break;
      case RecordKind::kCreate:
      case RecordKind::kCreateTied:
        ++created;
        if (auto found = numbers.find(event.site); found != numbers.end()) task_sites_[event.id] = found->second;
        break;
      case RecordKind::kPublish: published += event.number; break;
      case RecordKind::kBegin:
      case RecordKind::kGoOn:
      case RecordKind::kImplicitBegin: tasks.push_back(event.id); break;
      case RecordKind::kEnd:
      case RecordKind::kStop:
      case RecordKind::kImplicitEnd:
        if (!tasks.empty()) tasks.pop_back();
        break;
      case RecordKind::kRegionBegin:
        if (!tasks.empty()) regions_[tasks.back()].push_back({event.at, UINT64_MAX});
        break;
      case RecordKind::kRegionEnd:
        if (!tasks.empty() && !regions_[tasks.back()].empty()) regions_[tasks.back()].back().ended = event.at;
        break;
      default: break;
      }
    }
  }
}

uint64_t Context::site_of_task(uint64_t id) const {
  uint32_t number = task_sites_.at(id);
  return number < sites.size() ? sites[number] : 0;
}

uint64_t Context::end_of_region(uint64_t encountering, uint64_t ticks) const {
  auto found = regions_.find(encountering);
  if (found == regions_.end()) return UINT64_MAX;
  // The member begins after the region does; the counters of two CPUs may differ by a little.
  auto after = std::upper_bound(found->second.begin(), found->second.end(), ticks,
                                [](uint64_t at, const Region& region) { return at < region.began; });
  return after == found->second.begin() ? UINT64_MAX : (after - 1)->ended;
}

} // namespace chomp::analyse
