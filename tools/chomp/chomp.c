// chomp: says what the library beside it is and sees, and runs programs on it. Linked with nothing but libc: the
// library is opened by its path, so that this command reports on that file and no other.
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CHOMP_LIBRARY
#define CHOMP_LIBRARY "../lib/libomp.so" // from the folder of this command, installed
#endif

static const char usage[] =
    "usage: chomp info                         the library, the machine, the schedulers, the settings in force\n"
    "       chomp run [options] program ...    runs a program on the library, by LD_PRELOAD\n"
    "       chomp --version | --help\n"
    "options of run:\n"
    "  --scheduler NAME   CHOMP_SCHEDULER\n"
    "  --threads N        OMP_NUM_THREADS\n"
    "  --domain LEVEL     CHOMP_DOMAIN\n"
    "  --stats[=FILE]     CHOMP_STATS: a table on standard error at the end, or JSON\n";

static char self[PATH_MAX], library[PATH_MAX];

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("chomp: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

// ---- The library ----------------------------------------------------------------------------------------------------

// Beside this command, where the installation or the build has put it.
static void find_library(void) {
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

// Function pointers and object pointers are the same to dlsym.
#define FUNCTION(result, name, ...)                                                                                    \
  result (*name)(__VA_ARGS__);                                                                                         \
  *(void**)&name = must_find(#name)

static void* must_find(const char* name) {
  void* function = dlsym(handle, name);
  if (function == NULL) die("%s has no %s: not chomp, or an older one", library, name);
  return function;
}

static void open_library(void) {
  handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) die("%s", dlerror());
}

// ---- info -----------------------------------------------------------------------------------------------------------

static void show_machine(void) {
  FUNCTION(int, omp_get_num_procs, void);
  FUNCTION(int, omp_get_max_threads, void);
  FUNCTION(int, chomp_domains, void);
  FUNCTION(int, chomp_domain_units, int);
  FUNCTION(int, chomp_domain_distance, int, int);
  FUNCTION(const char*, chomp_topology, void);
  int domains = chomp_domains();
  printf("CPUs        %d usable, teams of %d\n", omp_get_num_procs(), omp_get_max_threads());
  printf("domains     %d (%s)\n", domains, chomp_topology());
  for (int domain = 0; domain < domains; ++domain) {
    printf("  %3d       %d processing units", domain, chomp_domain_units(domain));
    if (domains > 1) printf(", distances");
    for (int other = 0; domains > 1 && other < domains; ++other) printf(" %d", chomp_domain_distance(domain, other));
    printf("\n");
  }
}

static void show_schedulers(void) {
  FUNCTION(const char*, chomp_scheduler, void);
  FUNCTION(const char*, chomp_scheduler_name, int);
  FUNCTION(const char*, chomp_scheduler_alias, int);
  const char* chosen = chomp_scheduler();
  printf("schedulers\n");
  for (int i = 0; chomp_scheduler_name(i) != NULL; ++i) {
    const char *name = chomp_scheduler_name(i), *alias = chomp_scheduler_alias(i);
    printf("  %c %s", strcmp(name, chosen) == 0 ? '*' : ' ', name);
    printf(alias != NULL ? " (%s)\n" : "\n", alias);
  }
}

static int is_setting(const char* entry) {
  static const char* const prefixes[] = {"OMP_", "KMP_", "GOMP_", "CHOMP_", "LIBOMP_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  return 0;
}

static void forget_settings(void) {
  for (char** entry = environ; *entry != NULL;) {
    if (!is_setting(*entry)) {
      ++entry;
      continue;
    }
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
    unsetenv(name);
    entry = environ;
  }
}

// What `chomp --settings` prints: the settings in force in the environment as it is, or without any setting.
static char* settings_of_child(int with_environment) {
  enum { kRoom = 1 << 17 };
  int ends[2];
  if (pipe(ends) != 0) die("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (!with_environment) forget_settings();
    execl(self, "chomp", "--settings", (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  char* text = calloc(1, kRoom);
  if (text == NULL) die("out of memory");
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], text + length, kRoom - 1 - length)) > 0;) length += (size_t)got;
  close(ends[0]);
  waitpid(child, NULL, 0);
  return text;
}

// `stats` is the value of CHOMP_STATS, which must not reach the library: it would make the file.
static void show_settings(const char* stats) {
  char *defaults = settings_of_child(0), *now = settings_of_child(1);
  static const char before[] = "  [host] ";
  int shown = 0;
  printf("settings that differ from the defaults\n");
  for (char* line = strtok(now, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (strncmp(line, before, strlen(before)) != 0) continue;
    char whole[1024];
    snprintf(whole, sizeof whole, "%s\n", line);
    if (strstr(defaults, whole) != NULL) continue;
    printf("    %s\n", line + strlen(before));
    ++shown;
  }
  if (stats != NULL) printf("    CHOMP_STATS='%s'\n", stats);
  if (shown == 0 && stats == NULL) printf("    none\n");
  free(defaults);
  free(now);
}

static void info(void) {
  const char* stats = getenv("CHOMP_STATS");
  unsetenv("CHOMP_STATS"); // the value stays where it is
  open_library();
  FUNCTION(const char*, chomp_version, void);
  printf("chomp       %s\nlibrary     %s\n", chomp_version(), library);
  show_machine();
  show_schedulers();
  show_settings(stats);
}

// ---- run ------------------------------------------------------------------------------------------------------------

static void set(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0) die("%s: %s", name, strerror(errno));
}

// The value of "--name value" or "--name=value", or null if `argument` is another one. Takes the value off.
static const char* option(const char* name, const char* argument, int* count, char*** arguments) {
  size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0) return NULL;
  if (argument[length] == '=') return argument + length + 1;
  if (argument[length] != 0) return NULL;
  if (*count < 1) die("%s needs a value", name);
  --*count;
  return *(*arguments)++;
}

__attribute__((noreturn)) static void run(int count, char** arguments) {
  while (count > 0 && arguments[0][0] == '-') {
    const char *argument = *arguments++, *value;
    --count;
    if (strcmp(argument, "--") == 0) break;
    if ((value = option("--scheduler", argument, &count, &arguments)) != NULL)
      set("CHOMP_SCHEDULER", value);
    else if ((value = option("--threads", argument, &count, &arguments)) != NULL)
      set("OMP_NUM_THREADS", value);
    else if ((value = option("--domain", argument, &count, &arguments)) != NULL)
      set("CHOMP_DOMAIN", value);
    else if (strcmp(argument, "--stats") == 0)
      set("CHOMP_STATS", "1");
    else if (strncmp(argument, "--stats=", strlen("--stats=")) == 0)
      set("CHOMP_STATS", argument + strlen("--stats="));
    else
      die("run: no such option: %s\n%s", argument, usage);
  }
  if (count < 1) die("run: which program?\n%s", usage);
  char preload[2 * PATH_MAX];
  const char* others = getenv("LD_PRELOAD");
  snprintf(preload, sizeof preload, "%s%s%s", library, others != NULL ? ":" : "", others != NULL ? others : "");
  set("LD_PRELOAD", preload);
  execvp(arguments[0], arguments);
  die("%s: %s", arguments[0], strerror(errno));
}

int main(int count, char** arguments) {
  const char* command = count > 1 ? arguments[1] : "";
  if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) return fputs(usage, stdout) < 0;
  find_library();
  if (strcmp(command, "run") == 0) run(count - 2, arguments + 2);
  if (count != 2) {
    fputs(usage, stderr);
    return 2;
  }
  if (strcmp(command, "info") == 0) {
    info();
  } else if (strcmp(command, "--settings") == 0) { // of this command itself
    open_library();
    FUNCTION(void, omp_display_env, int);
    omp_display_env(1);
  } else if (strcmp(command, "--version") == 0) {
    open_library();
    FUNCTION(const char*, chomp_version, void);
    printf("chomp %s\n", chomp_version());
  } else {
    fputs(usage, stderr);
    return 2;
  }
  // Not exit(): CHOMP_STATS in the environment is meant for programs.
  int failed = fflush(stdout) != 0;
  _exit(failed);
}
