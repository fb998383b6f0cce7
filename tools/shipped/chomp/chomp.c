// chomp: says what the library beside it is and sees, whether it would serve a program, and runs programs on it. This
// file finds the library and the subcommand; each subcommand has a file of its own. See command.h.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#ifndef CHOMP_LIBRARY
#define CHOMP_LIBRARY "../lib/libomp.so" // from the folder of this command, installed
#endif

static const char usage[] =
    "usage: chomp info                          the library, the machine, the schedulers, the settings in force\n"
    "       chomp doctor [program | folder]     would chomp serve it, and how; what the machine allows\n"
    "       chomp run [options] program ...     runs a program on the library, by LD_PRELOAD\n"
    "       chomp trace [options] program ...   the same, and a timeline of it for Perfetto's viewer\n"
    "       chomp report [options] program ...  the same, and what holds the program back\n"
    "       chomp bench [options] program ...   runs it on the library that it has now and on chomp, a minute\n"
    "       chomp explore [options] program ... in many orders of events: races, deadlocks, results that differ\n"
    "       chomp cc [compiler] argument ...    compiles a program for that; --inline: for fewer instructions a task\n"
    "       chomp explore-flags [compiler]      the flags with which it does so\n"
    "       chomp path                          the folder of the library, for LD_LIBRARY_PATH\n"
    "       chomp --version | --help\n"
    "options of run: --scheduler NAME, --threads N, --domain LEVEL, --stats[=FILE], --force\n"
    "option of doctor: --pid N\n"
    "Each of them says more with --help.\n";

static const char info_usage[] =
    "usage: chomp info\n"
    "Prints the version and the file of the library beside this command; the CPUs that it may use; the domains (chips) "
    "as\n"
    "its scheduler sees them; the schedulers, the chosen one marked; and the settings that are not the defaults.\n";

static const char path_usage[] = "usage: chomp path\n"
                                 "Prints the folder of the library: LD_LIBRARY_PATH=$(chomp path) ./program\n";

char self[PATH_MAX], library[PATH_MAX];
static const char* command = ""; // "run: "

__attribute__((noreturn)) static void die_of(int status, const char* format, va_list arguments) {
  fprintf(stderr, "chomp: %s", command);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(status);
}

void die(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  die_of(kTrouble, format, arguments);
}

void die_with(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  die_of(status, format, arguments);
}

static const char* coloured(const char* word, const char* colour) {
  static char texts[4][128];
  static int next;
  const char* terminal = getenv("TERM");
  if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") != NULL || terminal == NULL || strcmp(terminal, "dumb") == 0)
    return word;
  next = (next + 1) % 4;
  snprintf(texts[next], sizeof texts[next], "\033[%sm%s\033[0m", colour, word);
  return texts[next];
}

const char* good(const char* word) { return coloured(word, "32"); }
const char* bad(const char* word) { return coloured(word, "31"); }

int first_line(const char* file, char* line, int room) {
  FILE* stream = fopen(file, "re");
  if (stream == NULL) return 0;
  int read = fgets(line, room, stream) != NULL;
  fclose(stream);
  if (read) line[strcspn(line, "\n")] = 0;
  return read;
}

// Beside this command, where the installation or the build has put it.
void find_library(void) {
  static const char* const places[] = {CHOMP_LIBRARY, "../lib/libomp.so"};
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) die("cannot find this command's own file: %s", strerror(errno));
  self[length] = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    char own_file[PATH_MAX], path[2 * PATH_MAX];
    strcpy(own_file, self);
    snprintf(path, sizeof path, "%s/%s", dirname(own_file), places[i]);
    if (realpath(path, library) != NULL) return;
  }
  die("no library beside this command (%s, from %s)", CHOMP_LIBRARY, self);
}

static void* handle;

void* must_find(const char* name) {
  void* function = dlsym(handle, name);
  if (function == NULL) die("%s has no %s: not chomp, or an older one", library, name);
  return function;
}

// musl's loader takes a library with such thread-local data only when a program starts: the command begins again with
// it, and puts LD_PRELOAD back then.
static const char before_again[] = "_CHOMP_BEFORE_AGAIN";
static char** own_arguments;
static int has_begun_again;

static void begin_again(void) {
  const char* before = getenv("LD_PRELOAD");
  set(before_again, before != NULL ? before : "");
  set("LD_PRELOAD", library);
  execv(self, own_arguments);
}

static void note_beginning(char** arguments) {
  const char* before = getenv(before_again);
  own_arguments = arguments;
  if (before == NULL) return;
  has_begun_again = 1;
  *before != 0 ? set("LD_PRELOAD", before) : (void)unsetenv("LD_PRELOAD");
  unsetenv(before_again);
}

void open_library(void) {
  handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle != NULL) return;
  const char* why = dlerror();
  if (is_of_musl(own_loader()) && !has_begun_again) begin_again();
  struct ElfFile file, own;
  read_elf(library, &file);
  read_elf(self, &own);
  if (file.is_elf && (file.machine != own.machine || file.bits != own.bits))
    die("%s is a %d-bit library for %s, this command is for %s", library, file.bits, machine_name(file.machine),
        machine_name(own.machine));
  die("%s", why);
}

static int is_help(const char* word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/// Ends the process, but not by exit(): CHOMP_STATS in the environment is meant for programs.
__attribute__((noreturn)) static void leave(int status) {
  int failed = fflush(stdout) != 0;
  _exit(failed ? 2 : status);
}

/// A subcommand without arguments. Prints its help and ends the process, if that is asked for.
static void no_arguments(const char* help, int count, char** arguments) {
  if (count == 1 && is_help(arguments[0])) exit(fputs(help, stdout) < 0);
  if (count > 0)
    die("takes no argument; `chomp doctor %s` says whether chomp would serve that\n%s", arguments[0], help);
}

/// The commands, in the order of the usage. What `run`, `explore` and `cc` become has the streams as they are.
static const struct {
  const char *name, *prefix;
  int prints;
} commands[] = {{"info", "info: ", 1},       {"doctor", "doctor: ", 1}, {"run", "run: ", 0},
                {"trace", "trace: ", 1},     {"report", "report: ", 1}, {"bench", "bench: ", 1},
                {"explore", "explore: ", 0}, {"cc", "cc: ", 0},         {"explore-flags", "explore-flags: ", 1},
                {"path", "path: ", 1}};

/// A closed stream would be the first file that is opened.
static void begin_command(const char* name) {
  int prints = 1;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
    if (strcmp(name, commands[i].name) != 0) continue;
    command = commands[i].prefix;
    prints = commands[i].prints;
  }
  if (!prints) return;
  if (fcntl(STDOUT_FILENO, F_GETFD) < 0) die("standard output is closed");
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) open("/dev/null", O_WRONLY);
}

int main(int count, char** arguments) {
  if (count < 2) {
    fputs(usage, stderr);
    return 2;
  }
  const char* name = arguments[1];
  char** rest = arguments + 2;
  count -= 2;
  if (is_help(name)) return fputs(usage, stdout) < 0;
  begin_command(name);
  note_beginning(arguments);
  find_library();
  if (strcmp(name, "run") == 0) run(count, rest);
  if (strcmp(name, "trace") == 0) trace(count, rest);
  if (strcmp(name, "report") == 0) report(count, rest);
  if (strcmp(name, "explore") == 0) explore(count, rest);
  if (strcmp(name, "cc") == 0) compile(count, rest);
  if (strcmp(name, "doctor") == 0) leave(doctor(count, rest));
  if (strcmp(name, "bench") == 0) leave(bench(count, rest));
  if (strcmp(name, "info") == 0) {
    no_arguments(info_usage, count, rest);
    info();
  } else if (strcmp(name, "path") == 0) {
    no_arguments(path_usage, count, rest);
    puts(dirname(library));
  } else if (strcmp(name, "explore-flags") == 0) {
    explore_flags(count, rest);
  } else if (strcmp(name, "--measure") == 0) { // for `chomp report`
    measure();
  } else if (strcmp(name, "--settings") == 0) { // of this command itself
    open_library();
    FUNCTION(void, omp_display_env, int);
    omp_display_env(1);
  } else if (strcmp(name, "--version") == 0) {
    open_library();
    FUNCTION(const char*, chomp_version, void);
    printf("chomp %s\n", chomp_version());
  } else {
    die("unknown command: %s\n%s", name, usage);
  }
  leave(0);
}
