// chomp run: replaces itself by a program, with the library in LD_PRELOAD. A program that the library would not serve
// is refused, with the reason, unless --force says otherwise: a preload that does nothing does it in silence.
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static const char usage[] =
    "usage: chomp run [options] program [argument ...]\n"
    "Runs a program on chomp, by LD_PRELOAD. One that chomp would not serve is refused: linked statically, for "
    "another\n"
    "machine, set-uid, or without OpenMP. `chomp doctor program` says more.\n"
    "options:\n"
    "  --scheduler NAME   CHOMP_SCHEDULER: where tasks wait and who takes them; `chomp info` lists them\n"
    "  --threads N        OMP_NUM_THREADS\n"
    "  --domain LEVEL     CHOMP_DOMAIN: default, socket, l3, numa, core or machine\n"
    "  --stats[=FILE]     CHOMP_STATS: a table on standard error at the end, or JSON\n"
    "  --force            run it, whatever it is\n"
    "  --help             this text\n";

void set(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0) die("%s: %s", name, strerror(errno));
}

const char* option(const char* name, const char* argument, int* count, char*** arguments) {
  size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0) return NULL;
  if (argument[length] == '=') return argument + length + 1;
  if (argument[length] != 0) return NULL;
  if (*count < 1) die("%s needs a value", name);
  --*count;
  return *(*arguments)++;
}

#define FORCED "; chomp run --force runs it all the same"

// Reads the libraries that the loader would bring. Whether one of the files calls OpenMP, or may bring others later.
static int may_use_openmp(const char* path, const struct ElfFile* program) {
  if (program->calls_gomp + program->calls_kmpc + program->calls_omp > 0 || program->opens_libraries ||
      program->starts_programs)
    return 1;
  struct Trace trace;
  trace_loader(path, program->interpreter, NULL, NULL, 0, &trace);
  int found = !trace.complete;
  for (int i = 0; i < trace.loaded_count && !found; ++i) {
    const char* name = trace.loaded[i].name;
    // libc asks itself for everything, and the libraries beside it.
    if (strncmp(name, "libc.", 5) == 0 || strncmp(name, "ld-linux", 8) == 0 || trace.loaded[i].path[0] == 0) continue;
    struct ElfFile one;
    read_elf(trace.loaded[i].path, &one);
    found = one.calls_gomp + one.calls_kmpc + one.calls_omp > 0 || one.opens_libraries || names_openmp(name);
  }
  trace_free(&trace);
  return found;
}

static void refuse_what_chomp_does_not_serve(const char* name) {
  char path[PATH_MAX];
  if (!find_program(name, path)) die("run: no program %s%s", name, strchr(name, '/') != NULL ? "" : " in PATH");
  struct ElfFile program, own;
  struct stat status;
  read_elf(path, &program);
  if (!program.exists) die("run: %s is no file", path);
  if (access(path, X_OK) != 0)
    die("run: %s cannot be executed: %s%s", path, strerror(errno),
        strstr(path, ".py") != NULL ? "; is it meant for `chomp run python3 …`?" : "");
  if (!program.readable || program.is_script) return; // nothing can be said
  if (!program.is_elf) return;                        // execvp hands it to the shell
  read_elf(library, &own);
  if (program.bits != own.bits || program.machine != own.machine)
    die("run: %s is a %d-bit program for %s, the library is for %s (%s): the loader would leave the library out", path,
        program.bits, machine_name(program.machine), machine_name(own.machine), library);
  if (program.has_runtime && program.calls_gomp + program.calls_kmpc == 0)
    die("run: %s has an OpenMP runtime linked into it, which no preload replaces" FORCED, path);
  if (!program.dynamic || program.interpreter[0] == 0)
    die("run: %s is linked statically: nothing can be preloaded. Link it with chomp's libomp.a" FORCED, path);
  if (access(program.interpreter, X_OK) != 0)
    die("run: %s exists, but its loader %s does not: it cannot run here", path, program.interpreter);
  if (strstr(program.interpreter, "ld-musl") != NULL)
    die("run: %s belongs to another C library (%s); chomp needs glibc" FORCED, path, program.interpreter);
  if (stat(path, &status) == 0 && geteuid() != 0 && (status.st_mode & (S_ISUID | S_ISGID)))
    die("run: %s is set-uid or set-gid: the loader ignores LD_PRELOAD" FORCED, path);
  if (!may_use_openmp(path, &program))
    die("run: %s does not use OpenMP, nor do its libraries: chomp would have nothing to do" FORCED, path);
}

static void preload(void) {
  char* whole = NULL;
  const char* others = getenv("LD_PRELOAD");
  // Separated by blanks or colons: the loader knows no way to write either.
  if (strpbrk(library, " :") != NULL)
    die("run: %s: LD_PRELOAD ends a name at a blank or a colon. Install chomp elsewhere, or set LD_LIBRARY_PATH to "
        "that "
        "folder",
        library);
  if (asprintf(&whole, "%s%s%s", library, others != NULL ? ":" : "", others != NULL ? others : "") < 0)
    die("out of memory");
  set("LD_PRELOAD", whole);
  free(whole);
}

int run_option(const char* argument, int* count, char*** arguments, int* force) {
  const char* value;
  if ((value = option("--scheduler", argument, count, arguments)) != NULL)
    set("CHOMP_SCHEDULER", value);
  else if ((value = option("--threads", argument, count, arguments)) != NULL)
    set("OMP_NUM_THREADS", value);
  else if ((value = option("--domain", argument, count, arguments)) != NULL)
    set("CHOMP_DOMAIN", value);
  else if (strcmp(argument, "--stats") == 0)
    set("CHOMP_STATS", "1");
  else if (strncmp(argument, "--stats=", strlen("--stats=")) == 0)
    set("CHOMP_STATS", argument + strlen("--stats="));
  else if (strcmp(argument, "--force") == 0)
    *force = 1;
  else
    return 0;
  return 1;
}

void prepare_program(const char* name, int force) {
  if (!force) refuse_what_chomp_does_not_serve(name);
  preload();
}

void run(int count, char** arguments) {
  int force = 0;
  while (count > 0 && arguments[0][0] == '-') {
    const char* argument = *arguments++;
    --count;
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(usage, stdout) < 0);
    if (!run_option(argument, &count, &arguments, &force)) die("run: no such option: %s\n%s", argument, usage);
  }
  if (count < 1) die("run: which program?\n%s", usage);
  prepare_program(arguments[0], force);
  execvp(arguments[0], arguments);
  die("run: %s: %s", arguments[0], strerror(errno));
}
