// chomp doctor, second half: what the machine and the container allow, and settings that contradict one another.
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"

static int usable_cpus;

// ---- The machine ----------------------------------------------------------------------------------------------------

// The smallest quota of the group of this process and those around it, in hundredths of a CPU; 0: none. Version 2 of
// control groups, and the usual mount of version 1.
static long quota_percent(void) {
  char line[PATH_MAX], file[2 * PATH_MAX], group[PATH_MAX] = "/";
  FILE* stream = fopen("/proc/self/cgroup", "re");
  while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "0::", 3) == 0) snprintf(group, sizeof group, "%s", line + 3);
  }
  if (stream != NULL) fclose(stream);
  long smallest = 0, quota, period;
  for (;;) {
    snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.max", group);
    if (first_line(file, line, sizeof line) && sscanf(line, "%ld %ld", &quota, &period) == 2 && period > 0 &&
        (smallest == 0 || quota * 100 / period < smallest))
      smallest = quota * 100 / period;
    char* slash = strrchr(group, '/');
    if (slash == NULL || group[1] == 0) break;
    *(slash == group ? slash + 1 : slash) = 0;
  }
  char other[64];
  if (smallest == 0 && first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line) &&
      first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", other, sizeof other) && atol(line) > 0 && atol(other) > 0)
    smallest = atol(line) * 100 / atol(other);
  return smallest;
}

static void show_limit(const char* what, int resource, const char* note) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY)
    printf("  %-11s unlimited%s\n", what, note);
  else if (resource == RLIMIT_NPROC)
    printf("  %-11s %llu%s\n", what, (unsigned long long)limit.rlim_cur, note);
  else
    printf("  %-11s %llu MiB%s\n", what, (unsigned long long)limit.rlim_cur >> 20, note);
}

void report_machine(void) {
  FUNCTION(int, omp_get_num_procs, void);
  FUNCTION(int, omp_get_max_threads, void);
  FUNCTION(int, chomp_domains, void);
  FUNCTION(const char*, chomp_topology, void);
  cpu_set_t mask;
  int masked = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : -1;
  long quota = quota_percent();
  usable_cpus = omp_get_num_procs();
  printf("machine%s\n",
         access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ? ", in a container" : "");
  printf("  %-11s %ld online", "CPUs", sysconf(_SC_NPROCESSORS_ONLN));
  if (masked > 0) printf(", %d in the mask of this process", masked);
  if (quota > 0) printf(", a quota of %ld.%02ld", quota / 100, quota % 100);
  printf(": %d usable, teams of %d\n", usable_cpus, omp_get_max_threads());
  printf("  %-11s %d (%s)\n", "domains", chomp_domains(), chomp_topology());
  show_limit("stack", RLIMIT_STACK, ", of the first thread; OMP_STACKSIZE for the others");
  show_limit("threads", RLIMIT_NPROC, ", of this user (ulimit -u)");
  char line[64];
  if (first_line("/sys/fs/cgroup/pids.max", line, sizeof line) && strcmp(line, "max") != 0)
    printf("  %-11s at most %s in this container\n", "", line);
  show_limit("memory", RLIMIT_AS, ", of address space (ulimit -v)");
  long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    printf("  %-11s %s\n", "membarrier", good("allowed"));
  else
    printf("  %-11s %s (%s): real fences are used, tasks cost a little more\n", "membarrier", bad("not allowed"),
           commands < 0 ? strerror(errno) : "an old kernel");
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static int found;

static void contradiction(const char* text) {
  printf("  %s %s\n", bad("!"), text);
  ++found;
}

static int is(const char* name, const char* value) {
  const char* given = getenv(name);
  return given != NULL && strcasecmp(given, value) == 0;
}

static void find_contradictions(void) {
  char text[512];
  const char* threads = getenv("OMP_NUM_THREADS");
  const char* limit = getenv("OMP_THREAD_LIMIT");
  int wanted = threads != NULL ? atoi(threads) : 0;
  if (wanted > usable_cpus) {
    snprintf(text, sizeof text, "OMP_NUM_THREADS=%s asks for more threads than the %d CPUs that may be used", threads,
             usable_cpus);
    contradiction(text);
    if (is("OMP_WAIT_POLICY", "active") || is("KMP_BLOCKTIME", "infinite") || is("KMP_LIBRARY", "turnaround"))
      contradiction("and its idle threads never sleep: they take the CPUs from those that work");
  }
  if (wanted > 0 && limit != NULL && atoi(limit) > 0 && atoi(limit) < wanted) {
    snprintf(text, sizeof text, "OMP_NUM_THREADS=%s asks for more than OMP_THREAD_LIMIT=%s allows", threads, limit);
    contradiction(text);
  }
  if (is("OMP_PROC_BIND", "false") && getenv("OMP_PLACES") != NULL)
    contradiction("OMP_PROC_BIND=false: the places of OMP_PLACES are not used");
  if (is("OMP_WAIT_POLICY", "active") && is("KMP_BLOCKTIME", "0"))
    contradiction(
        "OMP_WAIT_POLICY=active means waiting without sleep, KMP_BLOCKTIME=0 sleeping at once: the latter holds");
  if (is("OMP_WAIT_POLICY", "passive") && is("KMP_BLOCKTIME", "infinite"))
    contradiction("OMP_WAIT_POLICY=passive means sleeping at once, KMP_BLOCKTIME=infinite never: the latter holds");
  if (getenv("CHOMP_STEAL") != NULL && getenv("CHOMP_SCHEDULER") != NULL && !is("CHOMP_SCHEDULER", "hierarchical") &&
      !is("CHOMP_SCHEDULER", "mts"))
    contradiction("CHOMP_STEAL is for the schedulers hierarchical and mts, and CHOMP_SCHEDULER chooses another");
  const char* preloaded = getenv("LD_PRELOAD");
  char* copy = strdup(preloaded != NULL ? preloaded : "");
  for (char* word = strtok(copy, " :"); word != NULL; word = strtok(NULL, " :")) {
    struct ElfFile file;
    read_elf(word, &file);
    if (!names_openmp(word) && !file.has_runtime) continue;
    if (file.is_chomp) continue;
    snprintf(text, sizeof text, "LD_PRELOAD has another OpenMP library, which comes first: %.300s", word);
    contradiction(text);
  }
  free(copy);
}

void report_settings(void) {
  printf("settings\n");
  char* said = settings_of_child(1);
  for (char* line = strtok(said, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (strncmp(line, "OMP: ", 5) == 0 && strstr(line, "these messages are those of chomp") == NULL)
      contradiction(line);
  free(said);
  find_contradictions();
  if (found == 0) printf("  no contradictions; `chomp info` shows what differs from the defaults\n");
}
