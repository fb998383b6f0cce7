// chomp doctor: which OpenMP libraries a program loads, whether chomp would serve all of its calls and by which means,
// as the loader itself says; the same of what a running process has. The program is not started. doctor_folder.c,
// doctor_script.c and doctor_machine.c have the rest.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static const char usage[] =
    "usage: chomp doctor                 the machine, the container, the settings\n"
    "       chomp doctor PROGRAM         also: which OpenMP libraries it would load, whether chomp would serve it, and "
    "how\n"
    "       chomp doctor FOLDER          whether chomp would serve what is in it, the OpenMP libraries, and what asks "
    "for\n"
    "                                    them: of a virtual environment, say; with --all every file by name\n"
    "Several programs and folders can be named at a time.\n"
    "       chomp doctor --pid NUMBER    the OpenMP libraries in a running process\n"
    "Starts no program. The exit status is 0 if chomp serves or would serve all of it, else 1.\n";

// A path for a shell, quoted if it has to be; `word` has room for four times PATH_MAX.
static void shell_word(const char* path, char* word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  char* end = word;
  if (*path != 0 && path[strspn(path, plain)] == 0) {
    strcpy(word, path);
    return;
  }
  *end++ = '\'';
  for (; *path != 0; ++path)
    if (*path == '\'')
      end = stpcpy(end, "'\\''");
    else
      *end++ = *path;
  strcpy(end, "'");
}

// ---- A program ------------------------------------------------------------------------------------------------------

const char* whose(const char* path) {
  struct ElfFile file;
  read_elf(path, &file);
  const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  if (file.is_chomp) return "chomp";
  if (strncmp(name, "libgomp", 7) == 0) return "GCC's libgomp";
  if (strncmp(name, "libiomp5", 8) == 0) return "Intel's libiomp5";
  return "LLVM's libomp";
}

static int is_runtime(const char* path) {
  struct ElfFile file;
  if (strcmp(path, library) == 0) return 1;
  if (!names_openmp(path)) return 0;
  read_elf(path, &file);
  return file.has_runtime;
}

// How many runtimes the program loads as things are.
static int show_loaded(const struct Trace* now) {
  int runtimes = 0, missing = 0;
  printf("loads now\n");
  for (int i = 0; i < now->loaded_count; ++i) {
    const struct Loaded* loaded = &now->loaded[i];
    if (loaded->path[0] == 0 && names_openmp(loaded->name)) {
      printf("  %-11s %s\n", loaded->name, bad("not found: the program does not start without chomp"));
      ++missing;
    } else if (loaded->path[0] != 0 && is_runtime(loaded->path)) {
      printf("  %-11s %s (%s)\n", loaded->name, loaded->path, whose(loaded->path));
      ++runtimes;
    }
  }
  if (runtimes + missing == 0) printf("  no OpenMP library\n");
  if (runtimes > 1)
    printf("  %s two OpenMP runtimes in one process: each has threads of its own, and they take the CPUs from one "
           "another;\n"
           "    with chomp in front, all calls are one runtime's\n",
           bad("!"));
  return runtimes + missing;
}

// Whether every OpenMP call is bound to chomp; prints those that are not. -1: there are none.
static int show_means(const char* means, const char* command, const struct Trace* trace) {
  int served, others;
  count_calls(trace, &served, &others);
  if (served + others == 0) return -1;
  if (trace->refused[0] != 0) {
    printf("  %-11s %s: the loader would not start it, for want of the version %s\n", means, bad("no"), trace->refused);
    return 0;
  }
  if (others == 0) {
    printf("  %-11s %s: all %d calls go to chomp    %s\n", means, good("yes"), served, command);
    return 1;
  }
  printf("  %-11s %s: %d calls go to chomp, %d elsewhere\n", means, bad("no"), served, others);
  for (int i = 0; i < trace->bound_count; ++i)
    if (goes_elsewhere(&trace->bound[i]))
      printf("              %s takes %d from %s\n", trace->bound[i].caller, trace->bound[i].names,
             trace->bound[i].target[0] != 0 ? trace->bound[i].target : "nobody: no library has them");
  return 0;
}

static int show_ways(const char* name, const struct Judgement* judgement) {
  char folder[PATH_MAX], command[8 * PATH_MAX], word[4 * PATH_MAX], folder_word[4 * PATH_MAX];
  strcpy(folder, library);
  dirname(folder);
  shell_word(name, word);
  shell_word(folder, folder_word);
  struct Trace trace;
  printf("would chomp serve it\n");
  snprintf(command, sizeof command, "chomp run %s", word);
  const int first = wants_to_be_first(&judgement->preloaded);
  int preload = 0;
  if (first)
    printf(
        "  %-11s %s: AddressSanitizer's library, which GCC has linked, has to come first. `chomp run` takes the path\n",
        "preload", bad("no"));
  else
    preload = show_means("preload", command, &judgement->preloaded);
  trace_loader(judgement->path, NULL, folder, &trace);
  trace_bindings(judgement->path, &trace);
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s %s", folder_word, word);
  int by_path = show_means("path", command, &trace);
  trace_free(&trace);
  if (preload < 0 || (first && by_path < 0)) return -1;
  printf("  %-11s never needed: the calls are the same. A program that is linked with -L%s\n"
         "              -Wl,-rpath,%s -lomp finds chomp without any variable\n",
         "relink", folder_word, folder_word);
  return preload > 0 || by_path > 0;
}

static void go_back(void) {
  printf("to go back\n  start the program without `chomp run`; `unset LD_PRELOAD`, if it was exported; nothing else "
         "has changed\n");
}

static int is_number(const char* text) { return *text != 0 && text[strspn(text, "0123456789")] == 0; }

int calls_openmp(const struct ElfFile* file) { return file->calls_gomp + file->calls_kmpc + file->calls_omp; }

static void show_kind(const struct Judgement* judgement) {
  const struct ElfFile* file = &judgement->file;
  if (judgement->script[0] != 0) {
    printf("program     %s\n  a script: what it starts inherits LD_PRELOAD, and may be served although its reader is "
           "not\n",
           judgement->script);
    show_programs_behind(judgement->script);
    printf("  what follows is about %s, which reads it, not about what it starts\n", judgement->path);
  }
  printf("program     %s\n", judgement->path);
  if (!file->is_elf) return;
  printf("  %d-bit, %s, linked %s\n", file->bits, machine_name(file->machine),
         file->dynamic && file->interpreter[0] ? "dynamically"
         : file->dynamic                       ? "as a library"
                                               : "statically");
  if (file->has_race_detector)
    printf("  compiled with ThreadSanitizer, which sees races between threads only: %s\n",
           getenv("CHOMP_SCHEDULER") == NULL ? "chomp deals tasks out to all of them (fifo)"
                                             : "without CHOMP_SCHEDULER, chomp would deal tasks out to all of them");
  if (file->has_race_detector) {
    char archer[PATH_MAX] = "";
    int in_reach, there = find_archer(archer, &in_reach);
    if (!there)
      printf("  %s without LLVM's libarcher.so it reports what OpenMP orders as races, and no LLVM here has it\n",
             bad("!"));
    else if (!in_reach && getenv("OMP_TOOL_LIBRARIES") == NULL)
      printf("  without Archer it reports what OpenMP orders as races; `chomp run` sets OMP_TOOL_LIBRARIES=%s\n",
             archer);
  }
  if (file->inlined_abi != 0) {
    struct ElfFile ours;
    read_elf(library, &ours);
    if (file->inlined_abi == ours.inlined_abi)
      printf("  has inlined tasks (chomp cc --inline), number %d as this library's\n", file->inlined_abi);
    else
      printf(
          "  %s has inlined tasks of number %d, this library's are of %d: they are calls until it is compiled again\n",
          bad("!"), file->inlined_abi, ours.inlined_abi);
  }
  if (file->has_thread_local)
    printf(
        "  has variables that are thread_local or threadprivate: not for CHOMP_NESTED=light, where inner threads share "
        "them\n");
  char loader[PATH_MAX], own[PATH_MAX];
  if (realpath(file->interpreter, loader) != NULL && realpath(own_loader(), own) != NULL && strcmp(loader, own) != 0)
    printf("  its loader is %s, which is not this system's (%s) and is not run here: what follows is what the\n"
           "  system's says\n",
           loader, own);
}

// `name`: as the user wrote it. Whether chomp would serve it.
static int examine_program(const char* name) {
  static struct Judgement judgement;
  judge(name, &judgement);
  if (judgement.hopeless && !judgement.file.exists)
    die("%s%s", judgement.refusal, is_number(name) ? "; of a process: chomp doctor --pid NUMBER" : "");
  if (!judgement.file.readable) die("%s cannot be read: %s", judgement.path, strerror(EACCES));
  show_kind(&judgement);
  if (!judgement.file.is_elf) {
    printf("  %s: neither a program of this system nor a script\n", bad("unknown"));
    return 0;
  }
  if (!judgement.looked) {
    printf("  %s: %s\n", bad("not served"), judgement.refusal);
    return 0;
  }
  struct Trace now;
  trace_loader(judgement.path, NULL, NULL, &now);
  int runtimes = show_loaded(&now);
  trace_free(&now);
  int served = show_ways(name, &judgement);
  if (served >= 0) {
    go_back();
    return served;
  }
  if (runtimes > 0) {
    printf("  its own files make no OpenMP call, though they ask for the library: by `chomp run` that is chomp\n");
    return 1;
  }
  printf("  its own files make no OpenMP call%s\n", judgement.uses_openmp ? "" : ": chomp would have nothing to do");
  if (!judgement.uses_openmp) return 0;
  printf("  what it opens or starts later, plug-ins and modules of Python say, may: a preload serves those too, "
         "whatever their\n"
         "  library is called. `chomp doctor FOLDER` looks at the folder they are in, `chomp doctor --pid N` at the\n"
         "  running process\n");
  go_back();
  return 1;
}

// ---- A process ------------------------------------------------------------------------------------------------------

// Where a mapped file can be read: at its path, in the process's own root (a container's), or, if it has been deleted,
// through the mapping itself, which only root may. `path` is as /proc says it, `range` the addresses.
static void find_mapped(int process, const char* range, const char* path, int deleted, char* readable) {
  struct ElfFile file;
  snprintf(readable, PATH_MAX, "/proc/%d/map_files/%s", process, range);
  read_elf(readable, &file);
  if (file.readable) return;
  snprintf(readable, PATH_MAX, "/proc/%d/root%s", process, path);
  read_elf(readable, &file);
  if (deleted || !file.readable) readable[0] = 0;
}

// Of one mapping, if it is of an OpenMP runtime. Returns whether it is chomp; -1: it is none.
static int show_mapped(int process, char* line, char* last) {
  char* path = strchr(line, '/');
  if (path == NULL || strcmp(path, last) == 0) return -1;
  snprintf(last, PATH_MAX, "%s", path);
  char range[64], readable[PATH_MAX], *mark = strstr(path, " (deleted)");
  snprintf(range, sizeof range, "%.*s", (int)strcspn(line, " "), line);
  if (mark != NULL) *mark = 0;
  if (!names_openmp(path) && strcmp(path, library) != 0) return -1;
  find_mapped(process, range, path, mark != NULL, readable);
  struct ElfFile file;
  if (readable[0] != 0) read_elf(readable, &file);
  if (readable[0] != 0 && !file.has_runtime) return -1;
  const char* note = mark != NULL ? ", deleted since it began" : "";
  if (readable[0] == 0)
    printf("  %s (an OpenMP library by its name; it cannot be read%s)\n", path, note);
  else
    printf("  %s (%s%s)\n", path, file.is_chomp ? "chomp" : whose(path), note);
  return readable[0] != 0 && file.is_chomp;
}

static int examine_process(const char* number) {
  char file[PATH_MAX], line[PATH_MAX + 128], last[PATH_MAX] = "";
  if (!is_number(number)) die("--pid takes a number, not \"%s\"", number);
  snprintf(file, sizeof file, "/proc/%d/maps", atoi(number));
  FILE* maps = fopen(file, "re");
  if (maps == NULL) die("process %s: %s", number, strerror(errno));
  int runtimes = 0, ours = 0;
  printf("process %s has\n", number);
  while (fgets(line, sizeof line, maps) != NULL) {
    line[strcspn(line, "\n")] = 0;
    int is_ours = show_mapped(atoi(number), line, last);
    runtimes += is_ours >= 0;
    ours += is_ours > 0;
  }
  if (ferror(maps)) die("process %s: %s", number, strerror(errno));
  fclose(maps);
  if (runtimes == 0) printf("  no OpenMP library\n");
  if (ours > 0 && runtimes > ours) printf("the others are loaded and idle if chomp came first, as by `chomp run`\n");
  if (ours == 0 && runtimes > 0) printf("%s\n", bad("it does not run on chomp"));
  return ours > 0;
}

// 0, 1 or, where it dies, 2.
static int examine(const char* name, int all) {
  struct stat status;
  return !(stat(name, &status) == 0 && S_ISDIR(status.st_mode) ? examine_folder(name, all) : examine_program(name));
}

// Each in a process of its own: one that cannot be looked at does not keep the others from it. The worst status.
static int examine_each(int count, char** names, int all) {
  int worst = 0;
  for (int i = 0; i < count; ++i) {
    putchar('\n');
    fflush(stdout);
    pid_t child = start_child();
    if (child == 0) exit(examine(names[i], all));
    int status = status_of_shell(wait_for_child(NULL));
    if (status > worst) worst = status;
  }
  putchar('\n');
  return worst;
}

int doctor(int count, char** arguments) {
  if (count > 0 && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0))
    return fputs(usage, stdout) < 0;
  unsetenv("CHOMP_STATS"); // meant for programs
  if (count == 2 && strcmp(arguments[0], "--pid") == 0) return !examine_process(arguments[1]);
  int all = count > 0 && strcmp(arguments[0], "--all") == 0;
  count -= all, arguments += all;
  if (count > 0 && arguments[0][0] == '-') die("no such option: %s\n%s", arguments[0], usage);
  // What the library has to say of settings is asked for in report_settings().
  const char* warnings = getenv("KMP_WARNINGS");
  setenv("KMP_WARNINGS", "0", 1);
  open_library();
  FUNCTION(int, omp_get_num_procs, void);
  omp_get_num_procs(); // the settings are read now
  if (warnings == NULL) unsetenv("KMP_WARNINGS");
  if (warnings != NULL) setenv("KMP_WARNINGS", warnings, 1);
  FUNCTION(const char*, chomp_version, void);
  printf("chomp       %s, %s\n", chomp_version(), library);
  int status = count == 1 ? examine(arguments[0], all) : count > 1 ? examine_each(count, arguments, all) : 0;
  report_machine();
  report_settings();
  return status;
}
