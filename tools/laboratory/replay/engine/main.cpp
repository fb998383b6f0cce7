// chomp-simulate: reads recordings and graphs, for tools/scale replay. chomp-replay (replay.cpp) performs them.
//
//   chomp-simulate describe [--overheads FILE] SOURCE…    as JSON: work, span, how many tasks
//   chomp-simulate dump SOURCE        the graph as text
//   chomp-simulate convert SOURCE F   as a recording
//   chomp-simulate gaps F…            mean times between events, for calibration
//
// SOURCE: see sources.h. Several are recordings of one program.
#include <cstdio>
#include <iostream>

#include "sources.h"

using namespace chomp;
using namespace chomp::simulate;

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result + "\"";
}

void describe(std::vector<std::string> words) {
  RecordingCosts overheads;
  if (words.size() > 2 && words[0] == "--overheads") {
    overheads = read_overheads(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  Graph graph = load(words, overheads);
  Analysis analysis = analyse(graph);
  int priority = 0;
  for (const auto& [task, its] : graph.priorities) priority = std::max(priority, its);
  std::printf("{\"program\": %s, \"recorded_under\": %s, \"recorded_threads\": %d, \"regions\": %zu, \"tasks\": %llu, "
              "\"outside_ns\": %.1f, \"work_ns\": %.1f, \"span_ns\": %.1f, \"parallelism\": %.3f, \"deepest\": %u, "
              "\"priority\": %d}\n",
              quoted(graph.program).c_str(), quoted(graph.scheduler).c_str(), graph.workers_recorded,
              graph.regions.size(), static_cast<unsigned long long>(analysis.tasks), to_ns(graph.outside),
              to_ns(analysis.work), to_ns(analysis.span), analysis.parallelism(), analysis.deepest, priority);
}

void perform(const std::vector<std::string>& words) {
  if (words.size() < 2)
    throw Error("usage: chomp-simulate describe|dump|convert|gaps SOURCE …; see tools/scale replay --help");
  const std::string& command = words[0];
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (command == "describe") {
    describe(rest);
  } else if (command == "dump") {
    std::cout << write_text(load({rest[0]}, {}));
  } else if (command == "convert" && rest.size() == 2) {
    write_recording(load({rest[0]}, {}), rest[1]);
  } else if (command == "gaps") {
    RecordingCosts gaps = measure_gaps(rest);
    for (unsigned from = 0; from < kRecordKinds; ++from)
      for (unsigned to = 0; to < kRecordKinds; ++to)
        if (gaps.ns[from][to] >= 0) std::printf("%u %u %.3f\n", from, to, gaps.ns[from][to]);
  } else {
    throw Error("unknown command " + command);
  }
}

} // namespace

int main(int count, char** words) {
  try {
    perform({words + 1, words + count});
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "chomp-simulate: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "chomp-simulate: out of memory\n");
  }
  return 1;
}
