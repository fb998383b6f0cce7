// See lane.h.
#include "tools/analyse/lane.h"

#include <algorithm>

namespace chomp::analyse {

namespace {
constexpr uint64_t kCountMask = (uint64_t{1} << 48) - 1;
}

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
      case RecordKind::kCreateTied: {
        ++created;
        size_t worker = event.id >> 48, count = event.id & kCountMask;
        if (worker >= task_sites_.size()) task_sites_.resize(worker + 1);
        if (count > uint64_t{1} << 34) throw recording::Error("the recording is damaged: an impossible task");
        std::vector<uint32_t>& of_worker = task_sites_[worker];
        if (count >= of_worker.size()) of_worker.resize(std::max(count + 1, of_worker.size() * 3 / 2), UINT32_MAX);
        if (auto found = numbers.find(event.site); found != numbers.end()) of_worker[count] = found->second;
        break;
      }
      case RecordKind::kPublish: published += event.number; break;
      case RecordKind::kBegin:
      case RecordKind::kImplicitBegin: tasks.push_back(event.id); break;
      case RecordKind::kEnd:
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
  size_t worker = id >> 48, count = id & kCountMask;
  if (worker >= task_sites_.size() || count >= task_sites_[worker].size()) return 0;
  uint32_t number = task_sites_[worker][count];
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
