// chomp-analyse: what `chomp trace` and `chomp report` make of recordings (CHOMP_RECORD). The command `chomp` runs it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/shipped/analyse/report.h"
#include "tools/shipped/analyse/timeline.h"
#include "tools/shipped/recording/recording.h"

using namespace chomp::analyse;
using chomp::recording::Error;

namespace {

struct Words {
  char** next;
  char** end;

  bool more() const { return next != end; }
  std::string take() { return *next++; }
  std::string value_of(const std::string& option) {
    if (!more()) throw Error(option + " needs a value");
    return take();
  }
};

void report(Words words) {
  ReportOptions options;
  std::vector<std::string> recordings;
  while (words.more()) {
    std::string word = words.take();
    if (word == "--json")
      options.json = true;
    else if (word == "--html")
      options.html = words.value_of(word);
    else if (word == "--task-ns")
      options.costs.task_ns = std::atof(words.value_of(word).c_str());
    else if (word == "--event-ns")
      options.costs.event_ns = std::atof(words.value_of(word).c_str());
    else if (word == "--grain-ns")
      options.costs.grain_ns = std::atof(words.value_of(word).c_str());
    else
      recordings.push_back(word);
  }
  if (recordings.empty()) throw Error("usage: chomp-analyse report [--json] [--html FILE] RECORDING …");
  write_report(recordings, options);
}

void trace(Words words) {
  TimelineOptions options;
  std::vector<std::string> recordings;
  while (words.more()) {
    std::string word = words.take();
    if (word == "--output")
      options.output = words.value_of(word);
    else if (word == "--slices")
      options.most_slices = std::strtoull(words.value_of(word).c_str(), nullptr, 10);
    else
      recordings.push_back(word);
  }
  if (options.output.empty() || recordings.empty()) throw Error("usage: chomp-analyse trace --output FILE RECORDING …");
  write_timeline(recordings, options);
}

} // namespace

int main(int count, char** words) {
  enum { kTrouble = 2, kNothingRecorded = 3 };
  std::string command = count > 1 ? words[1] : "";
  try {
    if (command == "trace")
      trace({words + 2, words + count});
    else if (command == "report")
      report({words + 2, words + count});
    else
      throw Error("chomp-analyse is run by `chomp trace` and `chomp report`");
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw Error(std::string("the output cannot be written to its end: ") + std::strerror(errno));
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "chomp: %s: %s\n", command.c_str(), error.what());
    return dynamic_cast<const chomp::recording::Nothing*>(&error) != nullptr ? kNothingRecorded : kTrouble;
  }
}
