// See verdict.h.
#include "tools/shipped/explore/verdict.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/chance.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/options.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/telling.h"

namespace explore {

uint64_t undecided_runs = 0;

Output contents(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  auto bytes = static_cast<size_t>(size < 0 ? 0 : size);
  auto* text = static_cast<char*>(malloc(bytes + 1));
  ssize_t got = pread(file, text, bytes, 0);
  bytes = got < 0 ? 0 : static_cast<size_t>(got);
  text[bytes] = 0;
  return {text, bytes};
}

namespace {

__attribute__((format(printf, 2, 3))) void find(const char* kind, const char* format, ...) {
  Finding* finding = new_finding(kind);
  if (finding == nullptr) return;
  finding->step = 0; // the run has ended
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text, sizeof finding->text, format, arguments);
  va_end(arguments);
  tell_finding();
}

// ---- What decides nothing -------------------------------------------------------------------------------------------

enum class Doubt : uint8_t { kOrder, kRounding, kChance, kShape, kTooLong, kOutside, kCount };

// The first of each kind, to be told if nothing worse comes.
char doubts[static_cast<int>(Doubt::kCount)][1500];

__attribute__((format(printf, 2, 3))) void undecided(Doubt doubt, const char* format, ...) {
  ++undecided_runs;
  char(&text)[1500] = doubts[static_cast<int>(doubt)];
  if (text[0] != 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
}

// ---- Outputs --------------------------------------------------------------------------------------------------------

// What the first run printed that had so many threads and teams.
struct First {
  int threads, teams, status;
  Output output;
  uint64_t pieces; // of what was printed, in any order
  char chance[sizeof Findings::chance];
  char order[200];
};
constexpr int kMostFirsts = 64;
First firsts[kMostFirsts];
int first_count = 0;

bool is_alike(const First& first, const Run& run) {
  return first.threads == run.threads && (first.teams == run.teams || !findings->has_league);
}

First* first_like(const Run& run) {
  for (int i = 0; i < first_count; ++i)
    if (is_alike(firsts[i], run)) return &firsts[i];
  return nullptr;
}

void keep_first(const Run& run, uint64_t seed, const Output& output) {
  if (first_count == kMostFirsts) return;
  First& first = firsts[first_count++];
  first = {run.threads,
           run.teams,
           WEXITSTATUS(run.status),
           {nullptr, output.bytes},
           findings->odd_output ? 0 : findings->pieces,
           {},
           {}};
  first.output.text = static_cast<char*>(malloc(output.bytes + 1));
  memcpy(first.output.text, output.text, output.bytes + 1);
  snprintf(first.chance, sizeof first.chance, "%s", findings->chance);
  int length = snprintf(first.order, sizeof first.order, trace != nullptr ? "in the order " : "in the order of seed ");
  name_order(seed, first.order + length, sizeof first.order - static_cast<size_t>(length));
  size_t end = strlen(first.order);
  if (first.order[end - 1] == ':') first.order[end - 1] = 0; // no decision is unusual
}

// The same whatever the order of the lines.
uint64_t sum_of_lines(const Output& output) {
  uint64_t sum = 0, line = 0;
  for (size_t at = 0; at < output.bytes; ++at) {
    line = (line ^ static_cast<unsigned char>(output.text[at])) * 0x100000001b3 + 1;
    if (output.text[at] != '\n') continue;
    sum += line * line;
    line = 0;
  }
  return sum + line * line;
}

// Whether they are the same but for fractions that differ little: sums are rounded in the order in which they come.
bool differ_by_rounding(const Output& one, const Output& other) {
  constexpr double kLittle = 1e-6;
  const char *a = one.text, *b = other.text;
  for (const char *number_a = a, *number_b = b;;) {
    if (*a == *b) {
      if (*a == 0) return static_cast<size_t>(a - one.text) == one.bytes;
      bool in_number = strchr("0123456789+-.eE", *a) != nullptr;
      ++a, ++b;
      if (!in_number) number_a = a, number_b = b;
      continue;
    }
    char *end_a, *end_b;
    double value_a = strtod(number_a, &end_a), value_b = strtod(number_b, &end_b);
    double largest = value_a < 0 ? -value_a : value_a,
           apart = value_a < value_b ? value_b - value_a : value_a - value_b;
    bool fractions = memchr(number_a, '.', static_cast<size_t>(end_a - number_a)) != nullptr &&
                     memchr(number_b, '.', static_cast<size_t>(end_b - number_b)) != nullptr;
    if (!fractions || apart > kLittle * largest || end_a < a || end_b < b) return false;
    number_a = a = end_a;
    number_b = b = end_b;
  }
}

struct Difference {
  bool any;
  char text[600];
};

// Where two outputs differ first.
Difference difference(const Output& right, const Output& other, const char* whose) {
  Difference result{};
  size_t at = 0, line_begin = 0, line = 1;
  while (at < right.bytes && at < other.bytes && right.text[at] == other.text[at])
    if (right.text[at++] == '\n') line_begin = at, ++line;
  if (at == right.bytes && at == other.bytes) return result;
  result.any = true;
  auto length = [line_begin](const Output& output) {
    auto bytes = static_cast<int>(strcspn(output.text + line_begin, "\n"));
    return bytes < 200 ? bytes : 200;
  };
  snprintf(result.text, sizeof result.text, "line %zu of the output\n    %s: %.*s\n    here: %.*s", line, whose,
           length(right), right.text + line_begin, length(other), other.text + line_begin);
  return result;
}

// The first difference that is of no account by its looks; told, but not judged.
char looks_like_chance[1500];

Output without_chance(const Output& output) {
  auto* text = static_cast<char*>(malloc(output.bytes + 1));
  return {text, copy_without_chance(output.text, output.bytes, findings->asked, text)};
}

// Whether two outputs are the same but for what is another thing each time by its looks.
bool differ_by_chance(const Output& one, const Output& other, const Difference& what) {
  if (options.strict_output) return false;
  Output a = without_chance(one), b = without_chance(other);
  bool same = a.bytes == b.bytes && memcmp(a.text, b.text, a.bytes) == 0;
  free(a.text);
  free(b.text);
  if (same && looks_like_chance[0] == 0) snprintf(looks_like_chance, sizeof looks_like_chance, "%s", what.text);
  return same;
}

constexpr char kDecides[] = "--expect or --check says what is right, --any-output that both are";

void compare_alike(const First& first, const Run& run, const Output& output) {
  const char* chance = findings->chance[0] != 0 ? findings->chance : first.chance;
  int status = WEXITSTATUS(run.status);
  if (status != first.status && chance[0] == 0)
    find("exit status", "the program ends with status %d; with status %d %s", status, first.status, first.order);
  else if (status != first.status)
    undecided(Doubt::kChance, "it ends with status %d, and with %d %s; but it asks for %s", status, first.status,
              first.order, chance);
  if (options.any_output || options.expected != nullptr || options.check != nullptr) return;
  Difference what = difference(first.output, output, first.order);
  if (!what.any || differ_by_chance(first.output, output, what)) return;
  bool same_pieces = !findings->odd_output && findings->pieces == first.pieces && first.pieces != 0;
  if (chance[0] != 0)
    undecided(Doubt::kChance, "%s\n    It asks for %s. %s.", what.text, chance, kDecides);
  else if (same_pieces || sum_of_lines(first.output) == sum_of_lines(output))
    undecided(Doubt::kOrder, "%s\n    It prints the same, in another order. %s.", what.text, kDecides);
  else if (differ_by_rounding(first.output, output))
    undecided(Doubt::kRounding, "%s\n    The numbers differ by rounding alone. %s.", what.text, kDecides);
  else
    find("wrong output", "%s", what.text);
}

// Of another number of threads or teams, as far as anybody may expect the same.
void compare_shapes(const First& first, const Run& run, const Output& output) {
  bool threads = first.threads != run.threads;
  const char* what = threads ? "threads" : "teams";
  int here = threads ? run.threads : run.teams, there = threads ? first.threads : first.teams;
  int status = WEXITSTATUS(run.status);
  if (status != first.status)
    undecided(Doubt::kShape, "it ends with status %d with %d %s, with %d with %d\n    --threads N tries one number.",
              status, here, what, first.status, there);
  if (options.any_output || options.expected != nullptr || options.check != nullptr) return;
  char whose[40];
  snprintf(whose, sizeof whose, "with %d %s", there, what);
  Difference differ = difference(first.output, output, whose);
  if (!differ.any || differ_by_chance(first.output, output, differ)) return;
  if (sum_of_lines(first.output) != sum_of_lines(output))
    undecided(Doubt::kShape, "%s\n    That is with %d. --threads N tries one number; %s.", differ.text, here, kDecides);
}

void ask_check(int out) {
  pid_t child = fork();
  if (child == 0) {
    forget_options();
    lseek(out, 0, SEEK_SET);
    dup2(out, 0);
    execl("/bin/sh", "sh", "-c", options.check, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) find("wrong output", "the check says so: %s", options.check);
}

void compare_expected(Output& output) {
  while (output.bytes > 0 && output.text[output.bytes - 1] == '\n') output.text[--output.bytes] = 0;
  Output right{const_cast<char*>(options.expected), strlen(options.expected)};
  Difference what = difference(right, output, "expected");
  if (what.any) find("wrong output", "%s", what.text);
}

// A run that had more steps than it may says so as a finding of its own.
bool was_too_long() {
  if (strcmp(findings->list[0].kind, "too long") != 0) return false;
  findings->count = 0;
  undecided(Doubt::kTooLong,
            "too long: %s\n    --steps N allows more steps, --seconds N more of both; smaller inputs, or --only-region "
            "FILE:LINE, need less.",
            findings->list[0].text);
  return true;
}

bool has_not_ended(const Run& run) {
  switch (run.end) {
  case End::kItself: return findings->count == 1 && was_too_long();
  case End::kCut:
    if (findings->count == 1) was_too_long();
    return true;
  case End::kTooLong:
    if (findings->count != 1 || !was_too_long())
      undecided(Doubt::kTooLong, "a run took two minutes of CPU time, and has not ended");
    return true;
  case End::kWaitsOutside:
    undecided(Doubt::kOutside, "a run did nothing for half a minute: it waits for something outside (a pipe, a socket, "
                               "a terminal)");
    return true;
  }
  return true;
}

} // namespace

void tell_doubts() {
  for (const char* text : doubts)
    if (text[0] != 0) dprintf(2, "chomp explore: not decided: %s\n", text);
  if (looks_like_chance[0] != 0)
    dprintf(2,
            "chomp explore: not judged: %s\n    Only what looks like times, rates, addresses or numbers of threads "
            "differs; --strict-output judges that, too.\n",
            looks_like_chance);
}

void tell_unfinished_run() {
  if (undecided_runs != 0) return; // it has said itself where it was
  undecided(Doubt::kTooLong,
            "the first run has not ended within --seconds %d\n    A smaller input, --only-region FILE:LINE "
            "or more seconds let it end.",
            options.seconds);
}

void forget_first_outputs() {
  while (first_count > 0) free(firsts[--first_count].output.text);
}

void judge(const Run& run, uint64_t seed) {
  if (has_not_ended(run)) return;
  if (virtual_machine::report->failure[0] != 0) return; // the run has said it itself
  if (findings->count != 0) return;                     // what else was wrong may follow from that
  if (WIFSIGNALED(run.status)) return find("crash", "the program ended by signal %d", WTERMSIG(run.status));
  Output output = contents(run.out);
  if (!options.replay && !findings->drawn_shares) {
    const First* first = first_like(run);
    if (first != nullptr)
      compare_alike(*first, run, output);
    else if (first_count > 0 && trace == nullptr)
      compare_shapes(firsts[0], run, output);
    if (first == nullptr) keep_first(run, seed, output);
  }
  if (options.check != nullptr)
    ask_check(run.out);
  else if (options.expected != nullptr)
    compare_expected(output);
  free(output.text);
}

} // namespace explore
