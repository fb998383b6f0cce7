// Asks the system's loader what it would do, in its tracing mode (the one of ldd): it loads the libraries and does not
// start the program. Whether a preload or a path works is seen, not guessed. To which file each OpenMP name is bound is
// worked out from the files, by the loader's rules: the loader would execute code of theirs to say it. A file that is
// looked at may come from anywhere, so the interpreter that it names is never run.
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

// "p: /lib/libgomp.so.1: version `OMP_5.2' not found (required by p)": of an OpenMP library, else it is not our matter.
static void note_refusal(const char* line, struct Trace* trace) {
  const char* version = strstr(line, ": version `");
  if (version == NULL || strstr(version, "' not found") == NULL || strstr(line, "omp") == NULL) return;
  version += strlen(": version `");
  snprintf(trace->refused, sizeof trace->refused, "%.*s", (int)strcspn(version, "'"), version);
}

const char* own_loader(void) {
  static struct ElfFile file;
  if (!file.exists) read_elf(self, &file);
  return file.interpreter;
}

int is_of_musl(const char* loader) { return strstr(loader, "ld-musl") != NULL; }

__attribute__((noreturn)) static void become_loader(const char* program, const char* preload, const char* library_path,
                                                    int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (preload != NULL) put_in_front("LD_PRELOAD", preload, ':');
  if (library_path != NULL) put_in_front("LD_LIBRARY_PATH", library_path, ':');
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
  unsetenv("LD_DEBUG_OUTPUT");
  unsetenv("LD_DEBUG");
  unsetenv("LD_WARN"); // the loader would relocate the libraries, and call resolvers of functions in them
  unsetenv("LD_BIND_NOW");
  execl(own_loader(), is_of_musl(own_loader()) ? "ldd" : own_loader(), program, (char*)NULL); // musl's goes by its name
  _exit(127);
}

void trace_loader(const char* program, const char* preload, const char* library_path, struct Trace* trace) {
  memset(trace, 0, sizeof *trace);
  int ends[2];
  if (pipe(ends) != 0) die("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) become_loader(program, preload, library_path, ends[1]);
  close(ends[1]);
  FILE* said = fdopen(ends[0], "r");
  if (said == NULL) die("%s", strerror(errno));
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, said) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '\t')
      note_loaded(line, trace);
    else
      note_refusal(line, trace);
  }
  free(line);
  fclose(said);
  int status;
  waitpid(child, &status, 0);
  trace->complete = WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

// ---- Bindings -------------------------------------------------------------------------------------------------------

static void note_binding(const char* caller, const char* target, struct Trace* trace) {
  for (int i = 0; i < trace->bound_count; ++i) {
    struct Bound* bound = &trace->bound[i];
    if (strcmp(bound->caller, caller) != 0 || strcmp(bound->target, target) != 0) continue;
    ++bound->names;
    return;
  }
  trace->bound = one_more(trace->bound, trace->bound_count, sizeof *trace->bound);
  struct Bound* bound = &trace->bound[trace->bound_count++];
  snprintf(bound->caller, sizeof bound->caller, "%s", caller);
  snprintf(bound->target, sizeof bound->target, "%s", target);
  bound->names = 1;
}

// The program and its libraries, in the order in which the loader looks for names.
void trace_bindings(const char* program, struct Trace* trace) {
  int count = trace->loaded_count + 1;
  struct ElfNames* names = calloc((size_t)count, sizeof *names);
  const char** paths = calloc((size_t)count, sizeof *paths);
  char start[PATH_MAX];
  if (names == NULL || paths == NULL) die("out of memory");
  real(program, start);
  for (int i = 0; i < count; ++i) {
    paths[i] = i == 0 ? start : trace->loaded[i - 1].path;
    read_names(paths[i], &names[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (names_openmp(paths[i])) continue; // what a runtime takes from itself says nothing
    for (int j = 0; j < names[i].count; ++j) {
      if (names[i].names[j].defined) continue;
      int target = 0;
      while (target < count && !defines(&names[target], &names[i].names[j])) ++target;
      if (target < count || !names[i].names[j].weak) note_binding(paths[i], target < count ? paths[target] : "", trace);
    }
  }
  for (int i = 0; i < count; ++i) free_names(&names[i]);
  free(names);
  free(paths);
}

void trace_free(struct Trace* trace) {
  free(trace->loaded);
  free(trace->bound);
}
