// CHOMP_STATS=1 prints a table to standard error when the process ends. CHOMP_STATS=FILE writes the same as JSON. In
// the name %p stands for the process's number. Without %p a forked child appends its number, so that it does not
// overwrite its parent's file. Both forms show what each worker, each domain and all together have counted
// (counters.h). The table also says in words what is plainly wrong (stats_hints.h).
#include "runtime/observe/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/env.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/version.h"
#include "runtime/config/config.h"
#include "runtime/core/counters.h"
#include "runtime/core/events.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/stats_hints.h"
#include "schedulers/scheduler.h"

namespace chomp {
namespace {

constexpr size_t kLongestPath = 4096;

constinit int64_t began_ns = 0;

/// Text that is written at once, so that the lines of several MPI processes do not mix.
class Page {
public:
  explicit Page(size_t bytes) : bytes_(bytes), text_(static_cast<char*>(map_pages(bytes))) {}
  ~Page() { unmap_pages(text_, bytes_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    if (text_ == nullptr) return;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text_ + length_, bytes_ - length_, format, arguments);
    va_end(arguments);
    if (wanted > 0) length_ += static_cast<size_t>(wanted);
    if (length_ > bytes_ - 1) length_ = bytes_ - 1;
  }
  void write(int file) const {
    if (text_ != nullptr) write_all(file, text_, length_);
  }

private:
  size_t bytes_;
  char* text_;
  size_t length_ = 0;
};

size_t room_for(const CounterReport& report) {
  return 16384 + static_cast<size_t>(report.worker_count + report.domain_count) * 1024;
}

// ---- A table, for people --------------------------------------------------------------------------------------------

constexpr int kLabelWidth = 24, kPageWidth = 80; // of a terminal
constexpr int kMostColumns = sizeof kCounterFields / sizeof *kCounterFields;

/// A counter. The two lines of its heading are the words of its name. Nanoseconds are shown as milliseconds.
struct Column {
  char words[2][24] = {};
  uint64_t CounterValues::* field = nullptr;
  uint64_t unit = 1;
};

Column column_of(const CounterField& field) {
  Column column{.field = field.field};
  const char* last = strrchr(field.name, '_');
  if (last != nullptr) {
    snprintf(column.words[0], sizeof column.words[0], "%.*s", static_cast<int>(last - field.name), field.name);
  }
  for (char* at = column.words[0]; (at = strchr(at, '_')) != nullptr;) *at = ' ';
  snprintf(column.words[1], sizeof column.words[1], "%s", last != nullptr ? last + 1 : field.name);
  if (strcmp(column.words[1], "ns") != 0) return column;
  column.words[1][0] = 'm';
  column.unit = 1'000'000;
  return column;
}

uint64_t shown(const Column& column, const CounterValues& values) { return values.*column.field / column.unit; }

/// The width of the column, with the blanks before it.
int width_of(const Column& column, const CounterReport& report) {
  uint64_t most = shown(column, report.total);
  for (int i = 0; i < report.worker_count; ++i) {
    uint64_t one = shown(column, report.workers[i].values); // of a maximum, the total may be less
    if (one > most) most = one;
  }
  int width = 1;
  for (uint64_t rest = most; rest >= 10; rest /= 10) ++width;
  for (const char* word : column.words) {
    int length = static_cast<int>(strlen(word));
    if (length > width) width = length;
  }
  return width + 2;
}

/// Neighbouring columns of a table.
struct Columns {
  const Column* first;
  const int* widths;
  int count;
};

void add_row(Page& text, const char* label, const Columns& columns, const CounterValues& values) {
  text.add("%-*s", kLabelWidth, label);
  for (int i = 0; i < columns.count; ++i)
    text.add("%*llu", columns.widths[i], static_cast<unsigned long long>(shown(columns.first[i], values)));
  text.add("\n");
}

void add_columns(Page& text, const Columns& columns, const CounterReport& report) {
  char label[64];
  for (int line = 0; line < 2; ++line) {
    text.add("%-*s", kLabelWidth, "");
    for (int i = 0; i < columns.count; ++i) text.add("%*s", columns.widths[i], columns.first[i].words[line]);
    text.add("\n");
  }
  for (int i = 0; i < report.worker_count; ++i) {
    snprintf(label, sizeof label, "worker %5d, domain %3d", report.workers[i].number, report.workers[i].domain);
    add_row(text, label, columns, report.workers[i].values);
  }
  for (int i = 0; i < report.domain_count; ++i) {
    snprintf(label, sizeof label, "domain %5d", report.domains[i].number);
    add_row(text, label, columns, report.domains[i].values);
  }
  add_row(text, "total", columns, report.total);
}

/// A table, in as many parts as fit a terminal.
void add_table(Page& text, CounterTable table, const CounterReport& report) {
  Column columns[kMostColumns];
  int widths[kMostColumns], all = 0;
  for (const CounterField& field : kCounterFields) {
    if (field.table != table) continue;
    columns[all] = column_of(field);
    widths[all] = width_of(columns[all], report);
    ++all;
  }
  for (int first = 0; first < all;) {
    int count = 0, width = kLabelWidth;
    do {
      width += widths[first + count++];
    } while (first + count < all && width + widths[first + count] <= kPageWidth);
    add_columns(text, {columns + first, widths + first, count}, report);
    first += count;
  }
}

const char* scheduler_in_force() { return scheduler_name(scheduler_find(config.scheduler)).name; } // not the alias

void add_topology(Page& text, int domains) {
  text.add("%s, %d domain%s, %d processing units", topology.source, domains, domains == 1 ? "" : "s",
           topology.pu_count);
}

// Digits in groups of three.
class Grouped {
public:
  explicit Grouped(uint64_t number) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number));
    char* to = text_;
    for (int i = 0; i < count; ++i) {
      if (i != 0 && (count - i) % 3 == 0) *to++ = ',';
      *to++ = digits[i];
    }
  }
  const char* text() const { return text_; }

private:
  char text_[32] = {};
};

double seconds(uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

void add_summary(Page& text, const CounterReport& report, const StatsSummary& summary) {
  const CounterValues& total = report.total;
  text.add("%.3f s elapsed; %s region%s in %.3f s; ", seconds(static_cast<uint64_t>(monotonic_ns() - began_ns)),
           Grouped(total.regions).text(), total.regions == 1 ? "" : "s", seconds(total.region_ns));
  text.add("%s loop%s; ", Grouped(total.loops).text(), total.loops == 1 ? "" : "s");
  text.add("%s task%s", Grouped(total.run).text(), total.run == 1 ? "" : "s");
  if (total.run != 0) text.add(" of %s ns in the mean", Grouped(summary.mean_task_ns).text());
  if (total.held != 0) text.add(", %u %% held by dependences", summary.held_percent);
  if (report.worker_count > 1) text.add("; threads idle for %u %%", summary.idle_percent);
  text.add("\n");
}

void add_hints(Page& text, const CounterReport& report, const StatsSummary& summary) {
  int number = 0;
  while (const char* hint = stats_hint(report, summary, number)) {
    text.add("%s\n", hint);
    ++number;
  }
  if (number != 0) text.add("Where, and what it costs, says: chomp report PROGRAM\n");
}

void print_table(const CounterReport& report) {
  StatsSummary summary = stats_summary(report);
  Page text(2 * room_for(report));
  text.add("\nchomp " CHOMP_VERSION ", process %d, scheduler %s, ", static_cast<int>(getpid()), scheduler_in_force());
  add_topology(text, report.domain_count);
  text.add("\n");
  add_summary(text, report, summary);
  add_table(text, CounterTable::kTasks, report);
  add_table(text, CounterTable::kThreads, report);
  add_hints(text, report, summary);
  text.write(2);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

void add_counters(Page& text, const CounterValues& values, const char* before) {
  for (const CounterField& field : kCounterFields) {
    text.add("%s\"%s\": %llu", before, field.name, static_cast<unsigned long long>(values.*field.field));
    before = ", ";
  }
  text.add("}");
}

void write_json(int file, const CounterReport& report) {
  Page text(room_for(report));
  text.add("{\"chomp\": \"" CHOMP_VERSION "\", \"scheduler\": \"%s\", \"threads\": %d, \"topology\": \"",
           scheduler_in_force(), report.worker_count);
  add_topology(text, report.domain_count);
  text.add("\", \"process\": %d, \"elapsed_ns\": %lld,\n \"domains\": [", static_cast<int>(getpid()),
           static_cast<long long>(monotonic_ns() - began_ns));
  for (int i = 0; i < report.domain_count; ++i) {
    text.add("%s\n  {\"domain\": %d", i == 0 ? "" : ",", report.domains[i].number);
    add_counters(text, report.domains[i].values, ", ");
  }
  text.add("],\n \"workers\": [");
  for (int i = 0; i < report.worker_count; ++i) {
    text.add("%s\n  {\"worker\": %d, \"domain\": %d", i == 0 ? "" : ",", report.workers[i].number,
             report.workers[i].domain);
    add_counters(text, report.workers[i].values, ", ");
  }
  text.add("],\n \"total\": {");
  add_counters(text, report.total, "");
  text.add("}\n");
  text.write(file);
}

// ---- Where to -------------------------------------------------------------------------------------------------------

// The name with %p replaced, in the folder where the process began, since the process may end in another one.
class FileName {
public:
  /// False if it is too long.
  bool make(const char* folder, const char* pattern, bool always_with_process) {
    char process[16];
    snprintf(process, sizeof process, "%d", static_cast<int>(getpid()));
    length_ = 0;
    bool has_process = false;
    bool fits = pattern[0] == '/' || (add(folder, strlen(folder)) && add("/", 1));
    for (; *pattern != 0 && fits; ++pattern) {
      bool here = pattern[0] == '%' && pattern[1] == 'p';
      fits = here ? add(process, strlen(process)) : add(pattern, 1);
      has_process |= here;
      pattern += here;
    }
    if (always_with_process && !has_process) fits = fits && add(".", 1) && add(process, strlen(process));
    return fits;
  }
  int open(int flags) const { return open_report(text_, flags); }

private:
  bool add(const char* text, size_t bytes) {
    if (length_ + bytes >= sizeof text_) return false;
    memcpy(text_ + length_, text, bytes);
    length_ += bytes;
    text_[length_] = 0;
    return true;
  }

  char text_[kLongestPath] = "";
  size_t length_ = 0;
};

CHOMP_LARGE constinit FileName file_name;
CHOMP_LARGE constinit char first_folder[kLongestPath] = "";
constinit bool to_file = false;
constinit bool is_child = false;

bool is_idle(const CounterValues& values) {
  uint64_t any = 0;
  for (const CounterField& field : kCounterFields) any |= values.*field.field;
  return any == 0;
}

void report_at_end() {
  Uncancelled whole;
  CounterReport report;
  if (is_child && is_idle(report.total)) return; // the child has only called exec or exit
  if (!to_file) return print_table(report);
  int file = file_name.open(O_TRUNC);
  if (file < 0) return warn(0, "CHOMP_STATS: cannot write to \"%.200s\": %s.", config.stats, strerror(errno));
  write_json(file, report);
  close(file);
}

void begin_child() {
  is_child = true;
  began_ns = monotonic_ns();
  if (to_file) file_name.make(first_folder, config.stats, true);
}

constinit const Observer reporter = {
    .process_ends = report_at_end,
    .forked = begin_child,
};

// Makes the file at the start, so that a bad name is known before the program has run for hours.
bool make_file() {
  errno = ENAMETOOLONG;
  if (getcwd(first_folder, sizeof first_folder) == nullptr || !file_name.make(first_folder, config.stats, false))
    return false;
  int file = file_name.open(0);
  if (file >= 0) close(file);
  return file >= 0;
}

} // namespace

void stats_start() {
  if (config.stats == nullptr) return;
  bool wanted = true;
  to_file = parse_boolean(config.stats, &wanted) != Parse::kOk;
  if (!wanted) return;
  if (to_file && !make_file())
    return warn(0, "CHOMP_STATS: cannot write to \"%.200s\": %s; ignored.", config.stats, strerror(errno));
  began_ns = monotonic_ns();
  counters_observe(true);
  events_add_observer(&reporter);
}

} // namespace chomp
