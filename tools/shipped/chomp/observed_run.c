// chomp trace, chomp report: run a program while the library records what its threads do (CHOMP_RECORD), then have
// chomp-analyse, which lies beside this command, make a timeline or a report of that.
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static const char trace_usage[] =
    "usage: chomp trace [options] program [argument ...]\n"
    "       chomp trace [options] --from recording ...\n"
    "Runs a program on chomp and writes a timeline of what each thread did: trace.pftrace, for Perfetto's viewer.\n"
    "Or makes a timeline of recordings (CHOMP_RECORD), also while their programs still run.\n"
    "options, beside those of `chomp run`:\n"
    "  --output FILE, -o FILE   the name of the timeline\n"
    "  --limit SIZE             of the recording, 1G by default: of a longer run the last part is kept; 0: no limit\n"
    "  --slices N               draw about so many at most, 1000000 by default, and shorter ones in groups; 0: all\n"
    "  --help                   this text\n";

static const char report_usage[] =
    "usage: chomp report [options] program [argument ...]\n"
    "       chomp report [options] --from recording ...\n"
    "Runs a program on chomp and says where the time of its threads went, how long its tasks and loops are, line by\n"
    "line, and what holds it back. What tasks cost on this machine is measured first, for a moment.\n"
    "options, beside those of `chomp run`:\n"
    "  --json                   the report as JSON; what the program prints goes to standard error\n"
    "  --html FILE              the report as a page, too\n"
    "  --output FILE, -o FILE   the report goes there, not to standard output\n"
    "  --limit SIZE             of the recording, 4G by default: of a longer run the last part is kept; 0: no limit\n"
    "  --help                   this text\n";

enum { kMostRecordings = 4096, kMostOptions = 16 };
enum { kNothingRecorded = 3 }; // chomp-analyse's status

// What a command was asked for.
struct Request {
  const char *name, *usage;
  const char *output, *limit, *slices, *html; // null: not given
  int json, force, from;
  int count; // of what follows: the program and its arguments, or recordings
  char** arguments;
};

// What the command keeps of a run: a folder beside the output, with one recording for each process.
static char folder[PATH_MAX];

// `output`: beside which it is; null: here, if that can be.
static void make_folder(const char* output, const char* command) {
  char place[PATH_MAX], stem[PATH_MAX];
  snprintf(place, sizeof place, "%s", output != NULL ? output : ".");
  snprintf(stem, sizeof stem, "%s", output != NULL ? output : command);
  const char* beside = dirname(place);
  make_temporary_folder(beside, basename(stem), folder);
}

// Lists the files of the folder; returns how many they are.
static int list_recordings(char** into, int room) {
  int found = 0;
  DIR* listing = opendir(folder);
  for (struct dirent* entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    if (entry->d_name[0] == '.' || found == room) continue;
    if (asprintf(&into[found++], "%s/%s", folder, entry->d_name) < 0) die("out of memory");
  }
  if (listing != NULL) closedir(listing);
  return found;
}

static char* callers_preload; // LD_PRELOAD before prepare_program(); null: it was not set

// chomp-analyse, the addr2line that it asks, and what measures are no programs to be run on chomp.
static void restore_preload(void) {
  if (callers_preload != NULL)
    set("LD_PRELOAD", callers_preload);
  else
    unsetenv("LD_PRELOAD");
}

static int run_program(const struct Request* request) {
  if (start_child() == 0) {
    // The report may be what others read from standard output.
    if (request->json && request->output == NULL) dup2(STDERR_FILENO, STDOUT_FILENO);
    execute(request->arguments);
  }
  return status_of_shell(wait_for_child(NULL));
}

// Returns the status of chomp-analyse. `words` begins with two free places. `output`: in place of standard output, or
// null.
static int analyse(char** words, const char* what, const char* output) {
  char path[PATH_MAX], own[PATH_MAX];
  snprintf(own, sizeof own, "%s", self);
  if ((size_t)snprintf(path, sizeof path, "%s/chomp-analyse", dirname(own)) >= sizeof path) die("the path is too long");
  words[0] = path;
  words[1] = (char*)what;
  if (start_child() == 0) {
    if (output != NULL && freopen(output, "w", stdout) == NULL) die("%s: %s", output, strerror(errno));
    restore_preload();
    execv(path, words);
    die("%s: %s", path, strerror(errno));
  }
  return status_of_shell(wait_for_child(NULL));
}

static void read_request(struct Request* request, int count, char** arguments) {
  int is_trace = strcmp(request->name, "trace") == 0;
  const char* preload = getenv("LD_PRELOAD");
  if (preload != NULL && (callers_preload = strdup(preload)) == NULL) die("out of memory");
  char** recordings = arguments; // after --from, among options: they move to the front
  int recording_count = 0;
  while (count > 0 && (arguments[0][0] == '-' || request->from)) {
    char* argument = *arguments++;
    const char* value;
    --count;
    if (argument[0] != '-') {
      recordings[recording_count++] = argument;
      continue;
    }
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(request->usage, stdout) < 0);
    if ((value = option("--output", argument, &count, &arguments)) != NULL ||
        (value = option("-o", argument, &count, &arguments)) != NULL)
      request->output = value;
    else if ((value = option("--limit", argument, &count, &arguments)) != NULL)
      check_size("--limit", request->limit = value);
    else if (is_trace && (value = option("--slices", argument, &count, &arguments)) != NULL)
      number("--slices", request->slices = value, 0, LONG_MAX);
    else if (!is_trace && (value = option("--html", argument, &count, &arguments)) != NULL)
      request->html = value;
    else if (!is_trace && strcmp(argument, "--json") == 0)
      request->json = 1;
    else if (strcmp(argument, "--from") == 0)
      request->from = 1;
    else if (!run_option(argument, &count, &arguments, &request->force))
      die("no such option: %s\n%s", argument, request->usage);
  }
  if (request->from) {
    for (; count > 0; --count) recordings[recording_count++] = *arguments++;
    count = recording_count;
    arguments = recordings;
  }
  if (count < 1) die("which %s?\n%s", request->from ? "recording" : "program", request->usage);
  request->count = count;
  request->arguments = arguments;
}

// Without its output, which is not whole, the recording is all that there is of the run.
static void keep_recordings(const struct Request* request) {
  fprintf(stderr, "chomp: %s: the recording is kept: chomp %s --from %s/*\n", request->name, request->name, folder);
}

// A file that is not whole is worse than none.
static void remove_output(const char* output) {
  struct stat status;
  if (output != NULL && stat(output, &status) == 0 && S_ISREG(status.st_mode)) unlink(output);
}

// Runs the program, and makes of what it has recorded what `words` (of which `used` are there) asks for. Returns the
// status for the shell.
static int run_and_analyse(const struct Request* request, char** words, int used, const char* analysed_to) {
  make_folder(request->output, request->name);
  char* record = NULL;
  if (asprintf(&record, "%s/%%p.rec", folder) < 0) die("out of memory");
  set("CHOMP_RECORD", record);
  set("CHOMP_RECORD_LIMIT", request->limit);
  int status = run_program(request);
  int found = list_recordings(words + used, kMostRecordings), failed = kNothingRecorded;
  if (found > 0)
    failed = analyse(words, request->name, analysed_to);
  else
    fprintf(stderr,
            "chomp: %s: %s has recorded nothing: chomp did not start in it. It makes no OpenMP call, or what it starts "
            "has no\nLD_PRELOAD any more; `chomp doctor` says more\n",
            request->name, request->arguments[0]);
  if (failed != 0) remove_output(request->output);
  if (failed == 0 || failed == kNothingRecorded || interrupted()) {
    for (int i = 0; i < found; ++i) unlink(words[used + i]);
    rmdir(folder);
  } else {
    keep_recordings(request);
  }
  return status != 0 ? status : interrupted() ? 128 + interrupted() : failed != 0 ? kTrouble : 0;
}

__attribute__((noreturn)) static void perform(const struct Request* request, char** words, int used,
                                              const char* analysed_to) {
  if (!request->from) exit(run_and_analyse(request, words, used, analysed_to));
  for (int i = 0; i < request->count && i < kMostRecordings; ++i) words[used + i] = request->arguments[i];
  int failed = analyse(words, request->name, analysed_to);
  if (failed != 0) remove_output(request->output);
  exit(failed == kNothingRecorded ? kTrouble : failed);
}

// What is wrong is said before the program runs, which may take long.
static void prepare(const struct Request* request) {
  if (request->output != NULL) check_writable(request->output);
  if (request->html != NULL) check_writable(request->html);
  if (!request->from) prepare_program(request->arguments[0], request->force);
  take_signals();
}

void trace(int count, char** arguments) {
  static char* words[kMostRecordings + kMostOptions];
  struct Request request = {.name = "trace", .usage = trace_usage, .output = "trace.pftrace", .limit = "1G"};
  read_request(&request, count, arguments);
  prepare(&request);
  int used = 2;
  words[used++] = "--output";
  words[used++] = (char*)request.output;
  if (request.slices != NULL) {
    words[used++] = "--slices";
    words[used++] = (char*)request.slices;
  }
  perform(&request, words, used, NULL);
}

// What `chomp --measure` prints; while it is recorded into `record`, if that is not null. False: it was interrupted, or
// could not be done.
static int measure_here(const char* record, double* task_ns, double* grain_ns) {
  int ends[2];
  if (pipe(ends) != 0) die("pipe: %s", strerror(errno));
  if (start_child() == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    restore_preload();
    unsetenv("CHOMP_STATS");
    unsetenv("CHOMP_RECORD");
    if (record != NULL) set("CHOMP_RECORD", record);
    execl(self, "chomp", "--measure", (char*)NULL);
    _exit(kNotFound);
  }
  close(ends[1]);
  FILE* answer = fdopen(ends[0], "r");
  int read = answer != NULL && fscanf(answer, "%lf %lf", task_ns, grain_ns) == 2;
  if (answer != NULL) fclose(answer);
  return wait_for_child(NULL) == 0 && read && !interrupted();
}

struct Costs {
  double task_ns, recorded_ns, grain_ns;
};

static struct Costs measure_costs(void) {
  struct Costs costs;
  double none;
  char measured[PATH_MAX], record[PATH_MAX + 16];
  make_temporary_folder(NULL, "chomp-measure", measured);
  snprintf(record, sizeof record, "%s/record", measured);
  int done = measure_here(NULL, &costs.task_ns, &costs.grain_ns) && measure_here(record, &costs.recorded_ns, &none);
  unlink(record);
  rmdir(measured);
  if (interrupted()) exit(128 + interrupted());
  if (!done) die("what tasks cost on this machine could not be measured");
  return costs;
}

void report(int count, char** arguments) {
  static char* words[kMostRecordings + kMostOptions];
  static char costs[3][32];
  struct Request request = {.name = "report", .usage = report_usage, .limit = "4G"};
  read_request(&request, count, arguments);
  prepare(&request);
  struct Costs here = measure_costs();
  enum { kEventsOfTask = 3 }; // made, begun, ended
  double more_ns = here.recorded_ns - here.task_ns;
  snprintf(costs[0], sizeof costs[0], "%.1f", here.task_ns);
  snprintf(costs[1], sizeof costs[1], "%.1f", more_ns > 0 ? more_ns / kEventsOfTask : 0);
  snprintf(costs[2], sizeof costs[2], "%.0f", here.grain_ns);
  static char* const names[] = {"--task-ns", "--event-ns", "--grain-ns"};
  int used = 2;
  for (int i = 0; i < 3; ++i) {
    words[used++] = names[i];
    words[used++] = costs[i];
  }
  if (request.json) words[used++] = "--json";
  if (request.html != NULL) {
    words[used++] = "--html";
    words[used++] = (char*)request.html;
  }
  perform(&request, words, used, request.output);
}
