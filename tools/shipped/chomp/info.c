// chomp info: the library, the machine as it sees it, the schedulers, and the settings that are not the defaults.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

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

char* settings_of_child(int with_environment) {
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

void info(void) {
  const char* stats = getenv("CHOMP_STATS");
  unsetenv("CHOMP_STATS"); // the value stays where it is
  open_library();
  FUNCTION(const char*, chomp_version, void);
  printf("chomp       %s\nlibrary     %s\n", chomp_version(), library);
  char place[PATH_MAX];
  int found = find_debug_information(library, place);
  printf("debug info  %s\n", !found ? "not installed" : strcmp(place, library) == 0 ? "in the library" : place);
  show_machine();
  show_schedulers();
  show_settings(stats);
}
