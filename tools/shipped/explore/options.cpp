// See options.h.
#include "tools/shipped/explore/options.h"

#include <initializer_list>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/strand.h"

namespace explore {

Options options;

namespace {

bool is(const char* word, const char* name, const char** value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || word[length] != '=') return false;
  *value = word + length + 1;
  return true;
}

void read_threads(const char* list) {
  options.thread_counts = 0;
  options.given_threads = true;
  for (const char* at = list; at != nullptr && options.thread_counts < Options::kMostCounts; at = strchr(at, ',')) {
    at += *at == ',';
    options.threads[options.thread_counts++] = atoi(at);
  }
}

} // namespace

void read_options(const char* text) {
  constexpr uint64_t kStepsASecond = 2'000'000, kUntilEnded = uint64_t{1} << 40;
  bool given_steps = false;
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", text);
  char* rest = copy;
  while (char* word = strtok_r(nullptr, " ", &rest)) {
    const char* value;
    auto number = [&value] { return strtoull(value, nullptr, 10); };
    if (is(word, "runs", &value)) options.runs = number(), options.bounded = true;
    if (is(word, "exhaustive", &value)) options.exhaustive = true, options.naive = number() == 2;
    if (is(word, "seed", &value)) options.seed = number(), options.given_seed = true;
    if (is(word, "seconds", &value)) options.seconds = static_cast<int>(number()), options.given_seconds = true;
    if (is(word, "steps", &value)) virtual_machine::settings.step_limit = number(), given_steps = true;
    if (is(word, "until", &value)) virtual_machine::settings.stop_at = number();
    if (is(word, "any_output", &value)) options.any_output = number() != 0;
    if (is(word, "strict_output", &value)) options.strict_output = number() != 0;
    if (is(word, "determinacy", &value)) determinacy = number() != 0;
    if (is(word, "all", &value)) options.all = number() != 0;
    if (is(word, "replay", &value)) options.replay = true, options.seed = number(), options.runs = 1;
    if (is(word, "reduce", &value)) options.reduce = true, options.reduced = number();
    if (is(word, "threads", &value)) read_threads(value);
  }
  if (!given_steps && options.given_seconds)
    virtual_machine::settings.steps_allowed = static_cast<uint64_t>(options.seconds) * kStepsASecond;
  bool debugged = options.replay && virtual_machine::settings.stop_at != 0;
  if (!given_steps && debugged) virtual_machine::settings.steps_allowed = kUntilEnded;
  options.expected = getenv("CHOMP_EXPLORE_EXPECT");
  options.check = getenv("CHOMP_EXPLORE_CHECK");
  options.only_region = getenv("CHOMP_EXPLORE_REGION");
}

void forget_options() {
  char** kept = environ;
  for (char** each = environ; *each != nullptr; ++each) {
    bool own = false;
    for (const char* start : {"CHOMP_EXPLORE", "LD_BIND_NOW=", "LD_PRELOAD="})
      own = own || strncmp(*each, start, strlen(start)) == 0;
    if (!own) *kept++ = *each;
  }
  *kept = nullptr;
}

const char* command() {
  const char* words = getenv("CHOMP_EXPLORE_AGAIN");
  return words != nullptr ? words : "program";
}

} // namespace explore
