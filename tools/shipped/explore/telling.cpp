// See telling.h.
#include "tools/shipped/explore/telling.h"

#include <errno.h>
#include <initializer_list>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/options.h"
#include "tools/shipped/explore/places.h"
#include "tools/shipped/explore/reduce.h"
#include "tools/shipped/explore/results.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/verdict.h"

namespace explore {

Progress progress{};

void Orders::add(uint64_t number, uint64_t run) {
  number |= 1;
  size_t at = (number * 0x9e3779b97f4a7c15) >> 44;
  while (numbers[at] != 0 && numbers[at] != number) at = (at + 1) % kPlaces;
  if (numbers[at] == number || count > kPlaces / 2) return;
  numbers[at] = number;
  ++count;
  last_new = run;
}

// ---- A line on a terminal, and elsewhere one now and then -----------------------------------------------------------

static bool line_shown = false;

void hide_progress() {
  if (line_shown) dprintf(2, "\r%-60s\r", "");
  line_shown = false;
}

void show_progress() {
  static const bool on_terminal = isatty(2) == 1;
  constexpr int kEachMs = 100, kElsewhereMs = 5000;
  static int64_t next_ms = on_terminal ? 0 : progress.begun_ms + kElsewhereMs;
  if (options.replay) return;
  int64_t now = explore::now_ms();
  if (now < next_ms) return;
  next_ms = now + (on_terminal ? kEachMs : kElsewhereMs);
  char text[80];
  snprintf(text, sizeof text, "%s %llu, %llu different, %.0f s", progress.what,
           static_cast<unsigned long long>(progress.runs) + 1, static_cast<unsigned long long>(progress.orders),
           static_cast<double>(now - progress.begun_ms) / 1000);
  line_shown = on_terminal;
  on_terminal ? dprintf(2, "\r%-60s\r%s", "", text) : dprintf(2, "chomp explore: %s\n", text);
}

// ---- What was found -------------------------------------------------------------------------------------------------

static uint32_t told = 0, seen = 0;

void nothing_told() { told = seen = 0; }

static void tell(uint32_t end) {
  if (told < end) hide_progress();
  for (; told < end; ++told)
    dprintf(2, "chomp explore: %s: %s\n", findings->list[told].kind, findings->list[told].text);
}

void tell_found_so_far() {
  if (strcmp(findings->list[0].kind, "too long") == 0) return; // it is not decided
  if (findings->count == 0 || options.reduce || (options.all && all_known(*findings))) return;
  tell(seen);
  seen = findings->count;
}

static void write_all(int to, const char* text, size_t bytes) {
  while (bytes > 0) {
    ssize_t written = write(to, text, bytes);
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<size_t>(written);
  }
}

void name_order(uint64_t seed, char* text, size_t room) {
  if (trace != nullptr) {
    int length = snprintf(text, room, "x%d:", search_threads);
    return write_choices(text + length, room - static_cast<size_t>(length));
  }
  int length = snprintf(text, room, "%llu", static_cast<unsigned long long>(seed));
  if (virtual_machine::written == nullptr) return;
  text[length++] = ':';
  write_order(*virtual_machine::written, text + length, room - static_cast<size_t>(length));
}

static void tell_unusual() {
  constexpr int kMost = 24;
  SourcePlace list[kMost];
  int count = findings->unusual != nullptr ? source_places(findings->unusual_at, list, kMost) : 0, user = 0;
  if (count == 0) return;
  while (user + 1 < count && list[user].of_system) ++user;
  dprintf(2, "That run makes use of this, at %s:%d: %s.\n", list[user].file, list[user].line, findings->unusual);
}

void say(const Run& run, uint64_t seed) {
  const char* again = command();
  char order[2000];
  name_order(seed, order, sizeof order);
  bool known = all_known(*findings);
  keep(*findings, order);
  if (known && options.all) return;
  tell(findings->count);
  tell_unusual();
  if (options.replay) return;
  Output errors = contents(run.errors);
  constexpr size_t kMost = 2000;
  if (errors.bytes > 0) {
    dprintf(2, "What the program wrote to its standard error in that run:\n");
    write_all(2, errors.text, errors.bytes < kMost ? errors.bytes : kMost);
  }
  free(errors.text);
  dprintf(2, "Again: chomp explore --replay %s %s\n", order, again);
  if (findings->list[0].step != 0)
    dprintf(2,
            "In gdb: gdb -ex 'set follow-fork-mode child' -ex run --args chomp explore --replay %s --until "
            "%llu %s\n",
            order, static_cast<unsigned long long>(findings->list[0].step), again);
}

void write_results() {
  struct ResultFile {
    const char* variable;
    bool (*write)(const char* path, const char* command);
  };
  for (auto [variable, write] :
       {ResultFile{"CHOMP_EXPLORE_JUNIT", write_junit}, ResultFile{"CHOMP_EXPLORE_SARIF", write_sarif}}) {
    const char* path = getenv(variable);
    if (path != nullptr && !write(path, command())) dprintf(2, "chomp explore: %s: %s\n", path, strerror(errno));
  }
}

const char* unseen_region() {
  return options.only_region == nullptr || findings->region_seen ? "" : "; no parallel region begins at that line";
}

} // namespace explore
