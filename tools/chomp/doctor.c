// chomp doctor: which OpenMP libraries a program loads, whether chomp would serve all of its calls and by which means,
// as the loader itself says; the same of what a running process has, and of the libraries of a folder. The program is
// not started. doctor_machine.c has the rest.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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
    "       chomp doctor FOLDER          the OpenMP libraries in it, and what asks for them: of a virtual environment, "
    "say\n"
    "       chomp doctor --pid NUMBER    the OpenMP libraries in a running process\n"
    "Starts no program. The exit status is 0 if chomp serves or would serve all of it, else 1.\n";

// ---- A program ------------------------------------------------------------------------------------------------------

static const char* whose(const char* path) {
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
  int served = 0, others = 0;
  for (int i = 0; i < trace->bound_count; ++i)
    *(strcmp(trace->bound[i].target, library) == 0 ? &served : &others) += trace->bound[i].names;
  if (served + others == 0) return -1;
  if (others == 0) {
    printf("  %-11s %s: all %d calls go to chomp    %s\n", means, good("yes"), served, command);
    return 1;
  }
  printf("  %-11s %s: %d calls go to chomp, %d elsewhere\n", means, bad("no"), served, others);
  for (int i = 0; i < trace->bound_count; ++i)
    if (strcmp(trace->bound[i].target, library) != 0)
      printf("              %s takes %d from %s\n", trace->bound[i].caller, trace->bound[i].names,
             trace->bound[i].target);
  return 0;
}

static int show_ways(const char* name, const char* path, const char* loader) {
  char folder[PATH_MAX], command[2 * PATH_MAX];
  strcpy(folder, library);
  dirname(folder);
  struct Trace trace;
  printf("would chomp serve it\n");
  trace_loader(path, loader, library, NULL, 1, &trace);
  snprintf(command, sizeof command, "chomp run %s", name);
  int preload = show_means("preload", command, &trace);
  trace_free(&trace);
  trace_loader(path, loader, NULL, folder, 1, &trace);
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s %s", folder, name);
  int by_path = show_means("path", command, &trace);
  trace_free(&trace);
  if (preload < 0) return -1;
  printf("  %-11s never needed: the calls are the same. A program that is linked with -L%s\n"
         "              -Wl,-rpath,%s -lomp finds chomp without any variable\n",
         "relink", folder, folder);
  return preload > 0 || by_path > 0;
}

static void go_back(void) {
  printf("to go back\n  start the program without `chomp run`; `unset LD_PRELOAD`, if it was exported; nothing else "
         "has changed\n");
}

// `name`: as the user wrote it, or the interpreter of a script, which opens more whatever its own file says. Whether
// chomp would serve it.
static int examine_program(const char* name, int interprets) {
  char path[PATH_MAX];
  struct ElfFile program, own;
  if (!find_program(name, path)) die("doctor: no program %s%s", name, strchr(name, '/') != NULL ? "" : " in PATH");
  read_elf(path, &program);
  read_elf(library, &own);
  if (!program.readable) die("doctor: %s cannot be read: %s", path, strerror(errno));
  printf("program     %s\n", path);
  if (program.is_script) {
    char *interpreter = strtok(program.interpreter, " \t"), *argument = strtok(NULL, " \t");
    if (interpreter == NULL) die("doctor: %s: no program behind #!", path);
    char* slash = strrchr(interpreter, '/');
    if (slash != NULL && strcmp(slash, "/env") == 0 && argument != NULL) interpreter = argument;
    printf("  a script: what it starts inherits LD_PRELOAD; it is read by %s, so of that:\n", interpreter);
    char reader[PATH_MAX];
    snprintf(reader, sizeof reader, "%s", interpreter);
    return strcmp(reader, name) == 0 ? 0 : examine_program(reader, 1);
  }
  if (!program.is_elf) {
    printf("  %s: neither a program of this system nor a script\n", bad("unknown"));
    return 0;
  }
  printf("  %d-bit, %s, linked %s\n", program.bits, machine_name(program.machine),
         program.dynamic && program.interpreter[0] ? "dynamically"
         : program.dynamic                         ? "as a library"
                                                   : "statically");
  if (program.bits != own.bits || program.machine != own.machine) {
    printf("  %s: the library is for %s; the loader would leave it out and run the program without it\n",
           bad("not served"), machine_name(own.machine));
    return 0;
  }
  if (!program.dynamic || program.has_runtime) {
    printf("  %s: %s; nothing can be put in its place. Link it anew, with chomp's libomp.a or -lomp\n",
           bad("not served"), program.has_runtime ? "an OpenMP runtime is linked into it" : "it loads no libraries");
    return 0;
  }
  const char* loader = program.interpreter;
  struct ElfFile command;
  if (loader[0] == 0) { // a library, a plug-in: by the loader of this command
    read_elf(self, &command);
    loader = command.interpreter;
  }
  struct Trace now;
  trace_loader(path, loader, NULL, NULL, 0, &now);
  int runtimes = show_loaded(&now);
  trace_free(&now);
  int served = show_ways(name, path, loader);
  if (served >= 0) {
    go_back();
    return served;
  }
  if (runtimes > 0) {
    printf("  its own files make no OpenMP call, though they ask for the library: by `chomp run` that is chomp\n");
    return 1;
  }
  int later = interprets || program.opens_libraries || program.starts_programs;
  printf("  its own files make no OpenMP call%s\n", later ? "" : ": chomp would have nothing to do");
  if (!later) return 0;
  printf("  what it opens or starts later, plug-ins and modules of Python say, may: a preload serves those too, "
         "whatever their\n"
         "  library is called. `chomp doctor FOLDER` looks at the folder they are in, `chomp doctor --pid N` at the\n"
         "  running process\n");
  go_back();
  return 1;
}

// ---- A folder -------------------------------------------------------------------------------------------------------

static int files_with_calls, out_of_reach, bundled; // out of reach of LD_LIBRARY_PATH, that is

static int look_at_file(const char* path, const struct stat* status, int kind, struct FTW* where) {
  (void)where;
  if (kind != FTW_F || status->st_size < (off_t)sizeof(Elf64_Ehdr) ||
      (strstr(path, ".so") == NULL && !(status->st_mode & 0111)))
    return 0;
  struct ElfFile file;
  read_elf(path, &file);
  if (!file.is_elf) return 0;
  int calls = file.calls_gomp + file.calls_kmpc + file.calls_omp;
  if (file.has_runtime && names_openmp(path)) {
    static const char* const ours[] = {"libomp.so", "libomp.so.5", "libiomp5.so", "libgomp.so.1"};
    const char* name = strrchr(path, '/') + 1;
    int known = 0;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i) known |= strcmp(name, ours[i]) == 0;
    printf("  %s (%s)%s\n", path, whose(path),
           known || file.is_chomp ? "" : ": a name of its own, which LD_LIBRARY_PATH never reaches");
    bundled += !file.is_chomp;
    out_of_reach += !known && !file.is_chomp;
  } else if (file.has_runtime && !file.is_chomp) {
    printf("  %s: %s\n", path, bad("an OpenMP runtime is linked into it, which nothing replaces"));
  } else if (calls > 0) {
    printf("  %s calls %d%s\n", path, calls,
           file.path_of_its_own ? ", and looks for libraries by an RPATH, before LD_LIBRARY_PATH" : "");
    ++files_with_calls;
    out_of_reach += file.path_of_its_own;
  }
  return 0;
}

static int examine_folder(const char* folder) {
  printf("OpenMP under %s\n", folder);
  if (nftw(folder, look_at_file, 64, FTW_PHYS) != 0) die("doctor: %s: %s", folder, strerror(errno));
  if (files_with_calls + bundled == 0) printf("  none\n");
  if (files_with_calls > 0)
    printf("%d files call OpenMP; `chomp run PROGRAM` serves them, whatever the name of their library%s\n",
           files_with_calls, out_of_reach > 0 ? "; LD_LIBRARY_PATH does not" : "");
  return 1;
}

// ---- A process ------------------------------------------------------------------------------------------------------

static int examine_process(const char* number) {
  char file[PATH_MAX], line[PATH_MAX + 128], last[PATH_MAX] = "";
  snprintf(file, sizeof file, "/proc/%d/maps", atoi(number));
  FILE* maps = fopen(file, "re");
  if (maps == NULL) die("doctor: process %s: %s", number, strerror(errno));
  int runtimes = 0, ours = 0;
  printf("process %s has\n", number);
  while (fgets(line, sizeof line, maps) != NULL) {
    line[strcspn(line, "\n")] = 0;
    char* path = strchr(line, '/');
    if (path == NULL || strcmp(path, last) == 0) continue;
    snprintf(last, sizeof last, "%s", path);
    if (!is_runtime(path)) continue;
    const char* owner = whose(path);
    printf("  %s (%s)\n", path, owner);
    ++runtimes;
    ours += strcmp(owner, "chomp") == 0;
  }
  fclose(maps);
  if (runtimes == 0) printf("  no OpenMP library\n");
  if (ours > 0 && runtimes > ours) printf("the others are loaded and idle if chomp came first, as by `chomp run`\n");
  if (ours == 0 && runtimes > 0) printf("%s\n", bad("it does not run on chomp"));
  return ours > 0;
}

int doctor(int count, char** arguments) {
  if (count > 0 && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0))
    return fputs(usage, stdout) < 0;
  unsetenv("CHOMP_STATS"); // meant for programs
  if (count == 2 && strcmp(arguments[0], "--pid") == 0) return !examine_process(arguments[1]);
  if (count > 0 && arguments[0][0] == '-') die("doctor: no such option: %s\n%s", arguments[0], usage);
  if (count > 1) die("doctor: one program at a time, without its arguments\n%s", usage);
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
  struct stat status;
  int served = 1;
  if (count == 1 && stat(arguments[0], &status) == 0 && S_ISDIR(status.st_mode))
    served = examine_folder(arguments[0]);
  else if (count == 1)
    served = examine_program(arguments[0], 0);
  report_machine();
  report_settings();
  return !served;
}
