// Asks the system's loader what it would do, in its tracing mode (the one of ldd): it loads the libraries, resolves
// names if that is wanted, and does not start the program. Whether a preload or a path works is seen, not guessed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static void put_in_front(const char* name, const char* value, char separator) {
  const char* others = getenv(name);
  char* whole = NULL;
  if (others != NULL && *others != 0) {
    if (asprintf(&whole, "%s%c%s", value, separator, others) < 0) die("out of memory");
    setenv(name, whole, 1);
    free(whole);
  } else {
    setenv(name, value, 1);
  }
}

static void* one_more(void* items, int count, size_t size) {
  if (count % 16 != 0) return items;
  items = realloc(items, (size_t)(count + 16) * size);
  if (items == NULL) die("out of memory");
  return items;
}

static void real(const char* path, char* result) {
  if (realpath(path, result) == NULL) snprintf(result, PATH_MAX, "%s", path);
}

// "\tlibm.so.6 => /lib/libm.so.6 (0x…)", "\t/opt/lib/libomp.so (0x…)", "\tlibx.so => not found".
static void note_loaded(char* line, struct Trace* trace) {
  char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => ");
  char* path = arrow != NULL ? arrow + 4 : name;
  if (arrow != NULL) *arrow = 0;
  char* address = strstr(path, " (0x");
  if (address != NULL) *address = 0;
  if (*name == 0 || (address == NULL && strncmp(path, "not found", 9) != 0)) return;
  trace->loaded = one_more(trace->loaded, trace->loaded_count, sizeof *trace->loaded);
  struct Loaded* loaded = &trace->loaded[trace->loaded_count++];
  snprintf(loaded->name, sizeof loaded->name, "%s", strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name);
  loaded->path[0] = 0;
  if (address != NULL) real(path, loaded->path);
}

static int is_openmp_call(const char* symbol) {
  static const char* const families[] = {"GOMP_", "__kmpc_", "omp_", "kmp_", "kmpc_", "ompc_"};
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    if (strncmp(symbol, families[i], strlen(families[i])) == 0) return 1;
  return 0;
}

// "    123:\tbinding file A [0] to B [0]: normal symbol `GOMP_parallel' [GOMP_4.0]".
static void note_binding(char* line, struct Trace* trace) {
  char *caller = strstr(line, "binding file "), *target, *symbol;
  if (caller == NULL || (symbol = strstr(caller, "symbol `")) == NULL || !is_openmp_call(symbol + 8)) return;
  caller += strlen("binding file ");
  if ((target = strstr(caller, " [0] to ")) == NULL) return;
  *target = 0;
  target += strlen(" [0] to ");
  char* end = strstr(target, " [0]: ");
  if (end == NULL) return;
  *end = 0;
  if (names_openmp(caller)) return; // what a runtime takes from itself says nothing
  char real_caller[PATH_MAX], real_target[PATH_MAX];
  real(caller, real_caller);
  real(target, real_target);
  if (strcmp(real_caller, real_target) == 0 && strcmp(real_caller, library) == 0) return;
  for (int i = 0; i < trace->bound_count; ++i) {
    struct Bound* bound = &trace->bound[i];
    if (strcmp(bound->caller, real_caller) != 0 || strcmp(bound->target, real_target) != 0) continue;
    ++bound->names;
    return;
  }
  trace->bound = one_more(trace->bound, trace->bound_count, sizeof *trace->bound);
  struct Bound* bound = &trace->bound[trace->bound_count++];
  strcpy(bound->caller, real_caller);
  strcpy(bound->target, real_target);
  bound->names = 1;
}

__attribute__((noreturn)) static void become_loader(const char* program, const char* loader, const char* preload,
                                                    const char* library_path, int bindings, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (preload != NULL) put_in_front("LD_PRELOAD", preload, ':');
  if (library_path != NULL) put_in_front("LD_LIBRARY_PATH", library_path, ':');
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
  unsetenv("LD_DEBUG_OUTPUT");
  if (bindings) {
    setenv("LD_WARN", "yes", 1);
    setenv("LD_BIND_NOW", "1", 1);
    setenv("LD_DEBUG", "bindings", 1);
  } else {
    unsetenv("LD_DEBUG");
  }
  execl(loader, loader, program, (char*)NULL);
  _exit(127);
}

void trace_loader(const char* program, const char* loader, const char* preload, const char* library_path, int bindings,
                  struct Trace* trace) {
  memset(trace, 0, sizeof *trace);
  int ends[2];
  if (pipe(ends) != 0) die("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) become_loader(program, loader, preload, library_path, bindings, ends[1]);
  close(ends[1]);
  FILE* said = fdopen(ends[0], "r");
  if (said == NULL) die("%s", strerror(errno));
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, said) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (strstr(line, "binding file ") != NULL)
      note_binding(line, trace);
    else if (line[0] == '\t')
      note_loaded(line, trace);
  }
  free(line);
  fclose(said);
  int status;
  waitpid(child, &status, 0);
  trace->complete = WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

void trace_free(struct Trace* trace) {
  free(trace->loaded);
  free(trace->bound);
}
