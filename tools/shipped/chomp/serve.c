// Whether chomp, preloaded, would serve a program: the one check of `doctor` and of the commands that run a program. A
// preload that does nothing does it in silence, so whatever can be known beforehand is looked at.
#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "command.h"

__attribute__((format(printf, 2, 3))) static void refuse(struct Judgement* judgement, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(judgement->refusal, sizeof judgement->refusal, format, arguments);
  va_end(arguments);
}

const char* privilege_of(const char* path) {
  struct stat status;
  struct statvfs system;
  if (stat(path, &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return NULL;
  if (statvfs(path, &system) == 0 && (system.f_flag & ST_NOSUID)) return NULL;
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return "is set-uid";
  if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid()) return "is set-gid";
  if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
    return "has capabilities of its own (setcap)";
  return NULL;
}

// ---- Scripts --------------------------------------------------------------------------------------------------------

static char* next_word(char** text) {
  char* word = *text + strspn(*text, " \t");
  *text = word + strcspn(word, " \t");
  if (**text != 0) *(*text)++ = 0;
  return *word != 0 ? word : NULL;
}

// The program that env(1) starts: behind its options and assignments; -S, alone or glued to what follows, splits the
// rest, as we do anyway.
static char* program_of_env(char* text) {
  static const char split[] = "--split-string=";
  for (char* word; (word = next_word(&text)) != NULL;) {
    if (strncmp(word, split, strlen(split)) == 0) {
      word += strlen(split);
    } else if (word[0] == '-' && word[1] != '-' && word[1] != 0) {
      char* letters = word + 1 + strspn(word + 1, "iv0");
      if (*letters == 'u' || *letters == 'C') {
        if (letters[1] == 0) next_word(&text);
        continue;
      }
      if (*letters != 'S' || letters[1] == 0) continue;
      word = letters + 1;
    } else if (word[0] == '-') {
      continue;
    }
    if (strchr(word, '=') == NULL) return word;
  }
  return NULL;
}

// What reads a script, as execvp would find it. False, and a refusal, if there is none.
static int find_reader(struct Judgement* judgement) {
  char line[PATH_MAX];
  snprintf(line, sizeof line, "%s", judgement->file.interpreter);
  char *text = line, *reader = next_word(&text);
  const char* slash = reader != NULL ? strrchr(reader, '/') : NULL;
  if (slash != NULL && strcmp(slash, "/env") == 0) reader = program_of_env(text);
  if (judgement->script[0] == 0) strcpy(judgement->script, judgement->path);
  if (reader == NULL || !find_program(reader, judgement->path)) {
    refuse(judgement, "%s is a script for %.200s, which is not there", judgement->script,
           reader != NULL ? reader : "nothing");
    judgement->hopeless = kNotExecutable;
    memset(&judgement->file, 0, sizeof judgement->file);
    return 0;
  }
  read_elf(judgement->path, &judgement->file);
  return 1;
}

// ---- What the file says ---------------------------------------------------------------------------------------------

static void judge_file(struct Judgement* judgement) {
  const struct ElfFile* file = &judgement->file;
  const char *path = judgement->path, *privilege = privilege_of(path);
  struct ElfFile own;
  read_elf(library, &own);
  if (file->cut) {
    refuse(judgement, "%s is cut off: the file ends before what its header promises", path);
    judgement->hopeless = kNotExecutable;
  } else if (file->bits != own.bits || file->machine != own.machine)
    refuse(judgement,
           "%s is a %d-bit program for %s, the library is for %s (%s): the loader would leave the library out", path,
           file->bits, machine_name(file->machine), machine_name(own.machine), library);
  else if (file->has_runtime && file->calls_gomp + file->calls_kmpc == 0)
    refuse(judgement,
           "%s has an OpenMP runtime linked into it, which no preload replaces. Link it anew, with chomp's "
           "libomp.a or -lomp",
           path);
  else if (!file->dynamic || (file->interpreter[0] == 0 && (file->is_pie || !file->shared_object)))
    refuse(judgement, "%s is linked statically: nothing can be preloaded. Link it with chomp's libomp.a", path);
  else if (file->interpreter[0] != 0 && access(file->interpreter, X_OK) != 0) {
    refuse(judgement, "%s exists, but its loader %s does not: it cannot run here", path, file->interpreter);
    judgement->hopeless = kNotExecutable;
  } else if (is_of_musl(file->interpreter) != is_of_musl(own_loader()))
    refuse(judgement, "%s belongs to another C library (%s); this chomp needs %s", path, file->interpreter,
           is_of_musl(own_loader()) ? "musl" : "glibc");
  else if (privilege != NULL)
    refuse(judgement,
           "%s %s: the loader ignores LD_PRELOAD and LD_LIBRARY_PATH for it. Link it with chomp, or start a "
           "copy without the privilege",
           path, privilege);
  else if (strpbrk(library, " :") != NULL)
    refuse(judgement,
           "%s: LD_PRELOAD ends a name at a blank or a colon. Install chomp elsewhere, or set "
           "LD_LIBRARY_PATH to that folder",
           library);
}

// ---- What the loader would do ---------------------------------------------------------------------------------------

int goes_elsewhere(const struct Bound* bound) {
  if (strcmp(bound->target, library) == 0) return 0;
  if (bound->target[0] == 0 || names_openmp(bound->target)) return 1;
  struct ElfFile target; // a name like omp_start may be the program's own
  read_elf(bound->target, &target);
  return target.has_runtime;
}

void count_calls(const struct Trace* trace, int* served, int* elsewhere) {
  *served = *elsewhere = 0;
  for (int i = 0; i < trace->bound_count; ++i) {
    if (strcmp(trace->bound[i].target, library) == 0) *served += trace->bound[i].names;
    if (goes_elsewhere(&trace->bound[i])) *elsewhere += trace->bound[i].names;
  }
}

// Whether one of the libraries may open others later, or is an OpenMP library, though nobody calls it yet.
static int libraries_may_bring_more(const struct Trace* trace) {
  if (!trace->complete) return 1;
  for (int i = 0; i < trace->loaded_count; ++i) {
    const struct Loaded* loaded = &trace->loaded[i];
    // libc asks itself for everything, and the libraries beside it.
    if (strncmp(loaded->name, "libc.", 5) == 0 || strncmp(loaded->name, "ld-linux", 8) == 0 || loaded->path[0] == 0 ||
        strcmp(loaded->path, library) == 0)
      continue;
    struct ElfFile one;
    read_elf(loaded->path, &one);
    if (one.opens_libraries || names_openmp(loaded->name)) return 1;
  }
  return 0;
}

static void judge_bindings(struct Judgement* judgement) {
  const struct ElfFile* file = &judgement->file;
  trace_loader(judgement->path, library, NULL, &judgement->preloaded);
  trace_bindings(judgement->path, &judgement->preloaded);
  judgement->looked = 1;
  count_calls(&judgement->preloaded, &judgement->served, &judgement->elsewhere);
  judgement->uses_openmp = judgement->served + judgement->elsewhere > 0 || judgement->script[0] != 0 ||
                           file->opens_libraries || file->starts_programs ||
                           libraries_may_bring_more(&judgement->preloaded);
  for (int i = 0; i < judgement->preloaded.bound_count && judgement->refusal[0] == 0; ++i) {
    const struct Bound* bound = &judgement->preloaded.bound[i];
    if (goes_elsewhere(bound))
      refuse(judgement, "%s: %d of its %d OpenMP calls would not go to chomp, but to %s", judgement->path,
             judgement->elsewhere, judgement->served + judgement->elsewhere,
             bound->target[0] != 0 ? bound->target : "nobody: no library has them");
  }
  if (judgement->refusal[0] == 0 && !judgement->uses_openmp)
    refuse(judgement, "%s does not use OpenMP, nor do its libraries: chomp would have nothing to do", judgement->path);
}

// ---- Other libraries that have their own ideas ----------------------------------------------------------------------

const struct Loaded* loads(const struct Trace* trace, const char* beginning) {
  for (int i = 0; i < trace->loaded_count; ++i)
    if (trace->loaded[i].path[0] != 0 && strncmp(trace->loaded[i].name, beginning, strlen(beginning)) == 0)
      return &trace->loaded[i];
  return NULL;
}

static int is_there(char* path, const char* folder, size_t length, const char* name) {
  return snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name) < PATH_MAX && access(path, R_OK) == 0;
}

int find_archer(char* path, int* in_reach) {
  const char* folders = getenv("LD_LIBRARY_PATH");
  *in_reach = 1;
  for (const char* at = folders != NULL ? folders : ""; *at != 0; at += strcspn(at, ":"), at += *at == ':')
    if (is_there(path, at, strcspn(at, ":"), "libarcher.so")) return 1;
  *in_reach = 0;
  char compiler[PATH_MAX], real[PATH_MAX]; // LLVM's bin/clang, and lib beside bin
  char* slash;
  if (find_program("clang", compiler) && realpath(compiler, real) != NULL && (slash = strrchr(real, '/')) != NULL &&
      is_there(compiler, real, (size_t)(slash - real), "../lib/libarcher.so") && realpath(compiler, path) != NULL)
    return 1;
  glob_t all;
  const char* newest = NULL;
  if (glob("/usr/lib/llvm-*/lib/libarcher.so", 0, NULL, &all) != 0) return 0;
  for (size_t i = 0; i < all.gl_pathc; ++i)
    if (newest == NULL || strverscmp(all.gl_pathv[i], newest) > 0) newest = all.gl_pathv[i];
  if (newest != NULL) snprintf(path, PATH_MAX, "%s", newest);
  globfree(&all);
  return path[0] == '/' && access(path, R_OK) == 0;
}

void judge(const char* name, struct Judgement* judgement) {
  memset(judgement, 0, sizeof *judgement);
  if (!find_program(name, judgement->path)) {
    refuse(judgement, "no program %s%s", name, strchr(name, '/') != NULL ? "" : " in PATH");
    judgement->hopeless = kNotFound;
    return;
  }
  read_elf(judgement->path, &judgement->file);
  enum { kMostReaders = 5 }; // that is where the kernel stops
  for (int i = 0; i < kMostReaders && judgement->file.is_script; ++i)
    if (!find_reader(judgement)) return;
  if (!judgement->file.exists) {
    refuse(judgement, "%s is no file", judgement->path);
    judgement->hopeless = kNotExecutable;
    return;
  }
  if (!judgement->file.readable || !judgement->file.is_elf)
    return; // nothing can be said; execvp may have a shell read it
  judge_file(judgement);
  if (judgement->refusal[0] == 0) judge_bindings(judgement);
}
