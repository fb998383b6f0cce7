// See report.h.
#include "tools/shipped/analyse/report.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <set>

#include "runtime/observe/tool_state.h"

namespace chomp::analyse {

const char* name_of_loop(uint64_t kind) {
  switch (static_cast<WorkKind>(kind)) {
  case WorkKind::kSections: return "sections";
  case WorkKind::kLoopStatic: return "static loop";
  case WorkKind::kLoopGuided: return "guided loop";
  default: return "dynamic loop";
  }
}

namespace {

std::set<uint64_t> sites_of(const recording::Recording& recording) {
  std::set<uint64_t> sites;
  for (recording::Stream stream : recording.streams) {
    recording::Event event;
    while (stream.next(event))
      if (event.kind == RecordKind::kSite) sites.insert(event.site);
  }
  return sites;
}

std::map<uint64_t, uint64_t> same_places(const std::set<uint64_t>& sites, const Symbols& symbols) {
  std::map<std::string, uint64_t> first;
  std::map<uint64_t, uint64_t> same;
  for (uint64_t site : sites) same[site] = first.try_emplace(symbols.at(site).text(), site).first->second;
  return same;
}

// ---- Text -----------------------------------------------------------------------------------------------------------

/// `mark`: before the first line.
void print_wrapped(const std::string& text, const char* mark) {
  constexpr size_t kWidth = 100, kIndent = 8;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.size();
    if (end - at > kWidth) {
      end = text.rfind(' ', at + kWidth);
      if (end == std::string::npos || end <= at) end = text.find(' ', at);
      if (end == std::string::npos) end = text.size();
    }
    std::printf("%*s%s\n", static_cast<int>(kIndent), at == 0 ? mark : "", text.substr(at, end - at).c_str());
    at = end + 1;
  }
}

void print_header(const Analysis& of) {
  std::printf("%s\n%zu thread%s, scheduler %s, %s from the first region to the end\n", of.program.c_str(), of.threads,
              of.threads == 1 ? "" : "s", of.scheduler.c_str(), duration(of.elapsed_ns).c_str());
  if (!of.missing.empty()) std::printf("A part of the run: %s\n", of.missing.c_str());
  std::printf("\n");
  std::printf("Where the time of all threads went:\n");
  for (int i = 0; i < kCategories; ++i) {
    double share = of.share(static_cast<Category>(i));
    std::printf("  %-16s %7s  %10s  %.*s\n", kCategoryNames[i], percent(share).c_str(),
                duration(of.time_ns[static_cast<size_t>(i)]).c_str(), static_cast<int>(share * 50 + 0.5),
                "##################################################");
  }
}

void print_constructs(const Report& report) {
  constexpr size_t kWide = 31, kNarrow = 29;
  const Analysis& of = report.analysis;
  auto at = [&](uint64_t site, size_t room) { return report.symbols->at(site).text_within(room); };
  if (!of.regions.empty())
    std::printf("\nRegions%35s %9s %9s %9s %9s %11s\n", "times", "time", "work", "span", "tasks", "parallelism");
  for (const auto& [site, region] : by_time(of.regions))
    std::printf("  %-31s %8s %9s %9s %9s %9s %11.1f\n", at(site, kWide).c_str(),
                grouped(static_cast<double>(region.count)).c_str(), duration(region.time_ns).c_str(),
                duration(region.work_ns).c_str(), duration(region.span_ns).c_str(),
                grouped(static_cast<double>(region.tasks)).c_str(),
                region.span_ns > 0 ? region.work_ns / region.span_ns : 0);
  // What is shorter than what recording it takes is not told from nothing.
  auto length = [&](double ns) {
    return ns < of.costs.event_ns / 10 ? "< " + duration(of.costs.event_ns) : duration(ns);
  };
  auto median = [&](const Grain& grain) {
    return grain.median_ns() < of.costs.event_ns / 10 ? "< " + duration(of.costs.event_ns) : about(grain.median_ns());
  };
  if (!of.tasks.empty())
    std::printf("\nTasks%37s %9s %9s %9s %9s %11s\n", "tasks", "mean", "median", "sum", "held", "elsewhere");
  for (const auto& [site, task] : by_time(of.tasks))
    std::printf("  %-29s %10s %9s %9s %9s %9s %11s\n", at(site, kNarrow).c_str(),
                grouped(static_cast<double>(task.grain.count)).c_str(), length(task.grain.mean_ns()).c_str(),
                median(task.grain).c_str(), duration(task.grain.sum_ns).c_str(),
                grouped(static_cast<double>(task.held)).c_str(), grouped(static_cast<double>(task.moved)).c_str());
  if (!of.loops.empty()) std::printf("\nLoops%37s %9s %9s %9s %9s\n", "times", "slowest", "mean", "lost", "iterations");
  for (const auto& [site, loop] : by_time(of.loops)) {
    double count = static_cast<double>(loop.count);
    std::printf("  %-31s %8s %9s %9s %9s %9s  %s\n", at(site, kWide).c_str(), grouped(count).c_str(),
                duration(loop.longest_ns / count).c_str(),
                duration(loop.sum_ns / count / static_cast<double>(loop.threads)).c_str(),
                duration(loop.lost.sum()).c_str(), grouped(static_cast<double>(loop.iterations)).c_str(),
                name_of_loop(loop.kind));
  }
  if (!of.locks.empty()) std::printf("\nLocks%37s %9s %9s\n", "taken", "waited", "held");
  for (const auto& [site, lock] : by_time(of.locks))
    std::printf("  %-29s %10s %9s %9s\n", at(site, kNarrow).c_str(), grouped(static_cast<double>(lock.count)).c_str(),
                duration(lock.wait_ns).c_str(), duration(lock.held_ns).c_str());
}

void print_advice(const std::vector<Advice>& advice) {
  std::printf("\n%s\n", advice.empty() ? "Nothing stands out that would make it faster." : "What holds it back:");
  int number = 0;
  for (const Advice& each : advice) {
    std::printf("%3d. [%s] %s\n", ++number, each.code, each.where.empty() ? "the program" : each.where.c_str());
    print_wrapped(each.finding + ".", "");
    print_wrapped(each.remedy, "=> ");
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

class Json {
public:
  std::string text;

  Json& open(char bracket, const char* name = nullptr) {
    begin(name);
    text += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text += bracket;
    first_ = false;
    return *this;
  }
  Json& put(const char* name, const std::string& value) {
    begin(name);
    quote(value);
    return *this;
  }
  Json& put(const char* name, double value) {
    char number[32];
    std::snprintf(number, sizeof number, "%.10g", value);
    begin(name);
    text += number;
    return *this;
  }
  Json& put(const char* name, bool value) {
    begin(name);
    text += value ? "true" : "false";
    return *this;
  }
  Json& count(const char* name, uint64_t value) { return put(name, static_cast<double>(value)); }

private:
  void begin(const char* name) {
    if (!first_ && !text.empty()) text += ", ";
    first_ = false;
    if (name == nullptr) return;
    quote(name);
    text += ": ";
  }
  void quote(const std::string& value) {
    text += '"';
    for (char c : value) {
      char escaped[8];
      if (c == '"' || c == '\\') {
        text += '\\';
        text += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
        text += escaped;
      } else {
        text += c;
      }
    }
    text += '"';
  }
  bool first_ = true;
};

void add_json(Json& json, const Report& report) {
  const Analysis& of = report.analysis;
  auto at = [&](uint64_t site) { return report.symbols->at(site).text(); };
  json.open('{').put("program", of.program).put("scheduler", of.scheduler).put("complete", of.missing.empty());
  if (!of.missing.empty()) json.put("missing", of.missing);
  json.put("host", of.host).put("version", of.runtime).count("date", static_cast<uint64_t>(of.date));
  json.count("threads", of.threads).put("elapsed_ns", of.elapsed_ns).put("serial_ns", of.serial_ns);
  json.put("recorder_ns", of.recorder_ns).count("preempted", of.preempted).put("total_ns", of.total_ns());
  json.open('{', "costs").put("task_ns", of.costs.task_ns).put("event_ns", of.costs.event_ns);
  json.put("grain_ns", of.costs.grain_ns).close('}').open('{', "time_ns");
  for (int i = 0; i < kCategories; ++i) json.put(kCategoryNames[i], of.time_ns[static_cast<size_t>(i)]);
  json.close('}').open('[', "regions");
  for (const auto& [site, region] : by_time(of.regions))
    json.open('{')
        .put("where", at(site))
        .count("count", region.count)
        .count("threads", region.threads)
        .put("time_ns", region.time_ns)
        .put("work_ns", region.work_ns)
        .put("span_ns", region.span_ns)
        .count("tasks", region.tasks)
        .count("held", region.held)
        .count("deepest", region.deepest)
        .close('}');
  json.close(']').open('[', "tasks");
  for (const auto& [site, task] : by_time(of.tasks)) {
    json.open('{')
        .put("where", at(site))
        .count("count", task.grain.count)
        .put("mean_ns", task.grain.mean_ns())
        .put("median_ns", task.grain.median_ns())
        .put("sum_ns", task.grain.sum_ns)
        .count("held", task.held)
        .count("moved", task.moved)
        .count("makers", task.makers.size())
        .open('[', "lengths");
    for (size_t power = 0; power < Grain::kPowers; ++power) json.count(nullptr, task.grain.with_power(power));
    json.close(']').close('}');
  }
  json.close(']').open('[', "loops");
  for (const auto& [site, loop] : by_time(of.loops))
    json.open('{')
        .put("where", at(site))
        .put("kind", std::string(name_of_loop(loop.kind)))
        .count("count", loop.count)
        .count("iterations", loop.iterations)
        .put("sum_ns", loop.sum_ns)
        .put("longest_ns", loop.longest_ns)
        .put("lost_ns", loop.lost.sum())
        .close('}');
  json.close(']').open('[', "locks");
  for (const auto& [site, lock] : by_time(of.locks))
    json.open('{')
        .put("where", at(site))
        .count("count", lock.count)
        .put("wait_ns", lock.wait_ns)
        .put("held_ns", lock.held_ns)
        .close('}');
  json.close(']').open('[', "advice");
  for (const Advice& each : report.advice)
    json.open('{')
        .put("code", std::string(each.code))
        .put("where", each.where)
        .put("finding", each.finding)
        .put("remedy", each.remedy)
        .put("lost_ns", each.lost_ns)
        .close('}');
  json.close(']').close('}');
}

void write_page(const std::string& path, const std::vector<Report>& reports) {
  std::string page = html_page(reports);
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool written = file != nullptr && std::fwrite(page.data(), 1, page.size(), file) == page.size();
  if (file != nullptr) written &= std::fclose(file) == 0;
  if (!written) throw recording::Error(path + ": cannot be written: " + std::strerror(errno));
}

} // namespace

Report::Report(const recording::Recording& recording, const Costs& costs) {
  std::set<uint64_t> sites = sites_of(recording);
  symbols = std::make_unique<Symbols>(recording, sites);
  analysis = analyse(recording, costs, same_places(sites, *symbols));
  advice = advise(analysis, *symbols);
}

void write_report(const std::vector<std::string>& recordings, const ReportOptions& options) {
  std::vector<Report> reports;
  recording::for_each_recording(recordings, [&](const std::string& path) {
    Report report(recording::Recording(path), options.costs);
    const Analysis& of = report.analysis;
    if (of.regions.empty() && of.tasks.empty() && of.loops.empty() && of.locks.empty())
      throw recording::Nothing(
          of.program + ": nothing was recorded: " + (of.missing.empty() ? "it has no parallel region" : of.missing));
    reports.push_back(std::move(report));
  });
  if (!options.html.empty()) write_page(options.html, reports);
  if (options.json) {
    Json json;
    json.open('[');
    for (const Report& each : reports) add_json(json, each);
    json.close(']');
    std::printf("%s\n", json.text.c_str());
    return;
  }
  for (const Report& each : reports) {
    print_header(each.analysis);
    print_constructs(each);
    print_advice(each.advice);
    std::printf("\n");
  }
  if (!options.html.empty()) std::printf("%s: the same as a page\n", options.html.c_str());
}

} // namespace chomp::analyse
