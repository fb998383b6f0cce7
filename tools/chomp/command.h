// What the parts of the chomp command share: where the library is, what an ELF file says, what the loader would do.
// Linked with nothing but libc: the library is opened by its path, so that the command reports on that file and no
// other. Every function that cannot go on ends the process with status 2 and a line on standard error.
#pragma once

#include <limits.h>
#include <stdio.h>

// ---- chomp.c --------------------------------------------------------------------------------------------------------

extern char self[PATH_MAX], library[PATH_MAX]; // this command, the library beside it; both real paths

__attribute__((noreturn, format(printf, 1, 2))) void die(const char* format, ...);
/// The word in green or red if standard output is a terminal, else as it is.
const char* good(const char* word);
const char* bad(const char* word);
/// "name" or, from /proc, its text without the newline; false if there is none.
int first_line(const char* file, char* line, int room);

void find_library(void);
void open_library(void);
void* must_find(const char* name);
// Function pointers and object pointers are the same to dlsym.
#define FUNCTION(result, name, ...)                                                                                    \
  result (*name)(__VA_ARGS__);                                                                                         \
  *(void**)&name = must_find(#name)

// ---- info.c, doctor.c, run.c, bench.c, observed_run.c, measure.c ----------------------------------------------------

void info(void);
int doctor(int count, char** arguments);
int bench(int count, char** arguments);
__attribute__((noreturn)) void run(int count, char** arguments);
__attribute__((noreturn)) void trace(int count, char** arguments);
__attribute__((noreturn)) void report(int count, char** arguments);
void measure(void);

/// run.c, for the commands that run a program. The value of "--name value" or "--name=value", or null if `argument` is
/// another option; takes the value off.
const char* option(const char* name, const char* argument, int* count, char*** arguments);
/// Whether `argument` is an option of `run`; follows it.
int run_option(const char* argument, int* count, char*** arguments, int* force);
/// Refuses a program that the library would not serve, unless `force`; puts the library into LD_PRELOAD.
void prepare_program(const char* name, int force);
void set(const char* name, const char* value); // in the environment

/// What `chomp --settings` prints, the settings in force, and the messages: in the environment as it is, or without any
/// setting. To be freed.
char* settings_of_child(int with_environment);

/// doctor_machine.c: what the machine and the container allow, and settings that contradict one another.
void report_machine(void);
void report_settings(void);

// ---- elf_file.c -----------------------------------------------------------------------------------------------------

struct ElfFile {
  int exists, readable, is_elf, is_script;
  char interpreter[PATH_MAX]; // the loader of a program; of a script the program that reads it, and its arguments
  int bits, machine;          // 32 or 64; EM_…
  int shared_object;          // ET_DYN
  int dynamic;                // has a dynamic section: libraries can be loaded and preloaded
  int calls_gomp, calls_kmpc, calls_omp; // how many names of each family it asks others for
  int has_runtime;     // it defines __kmpc_fork_call or GOMP_parallel: an OpenMP runtime, or a program with one in it
  int is_chomp;        // it defines chomp_version
  int opens_libraries; // it asks for dlopen
  int starts_programs; // it asks for execve and its kin
  int symbolic;        // DF_SYMBOLIC: its own definitions come first
  int path_of_its_own; // DT_RPATH: where it looks for libraries before LD_LIBRARY_PATH
};

void read_elf(const char* path, struct ElfFile* file);
const char* machine_name(int machine);
/// Whether the name of a library, hash included, is that of an OpenMP runtime.
int names_openmp(const char* path);
/// The path of the program that execvp would run, or false.
int find_program(const char* name, char* path);

// ---- loader.c -------------------------------------------------------------------------------------------------------

struct Loaded {
  char name[NAME_MAX + 1]; // as it is asked for
  char path[PATH_MAX];     // real; empty: not found
};
struct Bound {
  char caller[PATH_MAX], target[PATH_MAX]; // real
  int names;
};
struct Trace {
  struct Loaded* loaded;
  struct Bound* bound;
  int loaded_count, bound_count;
  int complete; // the loader came to an end
};

/// What the loader would do with the program, which is not started: with `preload` or `library_path` in front of what
/// the environment says (either may be null). `bindings`: to which file each OpenMP name of each file is bound.
void trace_loader(const char* program, const char* loader, const char* preload, const char* library_path, int bindings,
                  struct Trace* trace);
void trace_free(struct Trace* trace);
