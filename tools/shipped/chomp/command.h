// What the parts of the chomp command share: where the library is, what an ELF file says, what the loader would do.
// Linked with nothing but libc: the library is opened by its path, so that the command reports on that file and no
// other. Every function that cannot go on ends the process with status 2 and a line on standard error.
#pragma once

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- chomp.c --------------------------------------------------------------------------------------------------------

extern char self[PATH_MAX], library[PATH_MAX]; // this command, the library beside it; both real paths

// Wrong use, and whatever else keeps the command from its work; the shells' words for a program that cannot be run.
enum { kTrouble = 2, kNotExecutable = 126, kNotFound = 127 };

/// End the command. Its name stands before the text.
__attribute__((noreturn, format(printf, 1, 2))) void die(const char* format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void die_with(int status, const char* format, ...);
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

// ---- child.c --------------------------------------------------------------------------------------------------------

/// From now on a signal that ends commands goes on to the child.
void take_signals(void);
/// The last such signal; 0: none has come.
int interrupted(void);
/// fork(). In the child signals are what they were.
pid_t start_child(void);
/// Its status, as wait() has it. `used`, which may be null: what it took of the machine.
int wait_for_child(struct rusage* used);
int status_of_shell(int status);
/// Becomes a program, or dies with the shells' status.
__attribute__((noreturn)) void execute(char** arguments);

// ---- info.c, doctor.c, run.c, bench.c, explore.c, observed_run.c, measure.c -----------------------------------------

void info(void);
int doctor(int count, char** arguments);
int bench(int count, char** arguments);
__attribute__((noreturn)) void run(int count, char** arguments);
__attribute__((noreturn)) void trace(int count, char** arguments);
__attribute__((noreturn)) void report(int count, char** arguments);
__attribute__((noreturn)) void explore(int count, char** arguments);
__attribute__((noreturn)) void compile(int count, char** arguments); // chomp cc
void explore_flags(int count, char** arguments);
void measure(void);

/// run.c, for the commands that run a program. The value of "--name value" or "--name=value", or null if `argument` is
/// another option; takes the value off.
const char* option(const char* name, const char* argument, int* count, char*** arguments);
/// Whether `argument` is an option of `run`; follows it.
int run_option(const char* argument, int* count, char*** arguments, int* force);
/// Refuses a program that the library would not serve, unless `force`; puts the library into LD_PRELOAD, its folder
/// into LD_LIBRARY_PATH, or both, and Archer into OMP_TOOL_LIBRARIES, as the program needs it.
void prepare_program(const char* name, int force);
void set(const char* name, const char* value); // in the environment
/// End the command if there is no such scheduler or level: a run would be on the default, with the wrong name above it.
void check_scheduler(const char* wanted);
void check_level(const char* wanted);
/// The number that an option has; ends the command if it is none, or not within the bounds.
long number(const char* name, const char* text, long least, long most);
/// End the command if `text` is no list of numbers of threads ("8", "4,2"), no size ("512M").
void check_threads(const char* name, const char* text);
void check_size(const char* name, const char* text);
/// Ends the command if no file can be written there.
void check_writable(const char* path);

/// A new folder, in `first` or, if that is null or cannot be written, in $TMPDIR or /tmp; its real path.
void make_temporary_folder(const char* first, const char* stem, char* folder);

/// What `chomp --settings` prints, the settings in force, and the messages: in the environment as it is, or without any
/// setting. To be freed.
char* settings_of_child(int with_environment);

/// doctor.c: whose runtime a library is, by what it defines and its name; how many OpenMP names a file asks for.
struct ElfFile;
const char* whose(const char* path);
int calls_openmp(const struct ElfFile* file);
/// doctor_folder.c: prints what is in a folder. Whether chomp would serve all of it. `all`: each file by its name.
int examine_folder(const char* folder, int all);
/// doctor_script.c: prints the programs with OpenMP that a start script starts, as far as its text shows them.
void show_programs_behind(const char* script);

/// doctor_machine.c: what the machine and the container allow, and settings that contradict one another.
void report_machine(void);
void report_settings(void);

// ---- elf_file.cpp ---------------------------------------------------------------------------------------------------

struct ElfFile {
  int exists, readable, is_elf, is_script;
  char interpreter[PATH_MAX]; // the loader of a program; of a script the program that reads it, and its arguments
  int bits, machine;          // 32 or 64; EM_…
  int shared_object;          // ET_DYN
  int dynamic;                // has a dynamic section: libraries can be loaded and preloaded
  int calls_gomp, calls_kmpc, calls_omp; // how many names of each family it asks others for
  int has_runtime;       // it defines __kmpc_fork_call or GOMP_parallel: an OpenMP runtime, or a program with one in it
  int is_chomp;          // it defines chomp_version
  int opens_libraries;   // it asks for dlopen
  int has_race_detector; // it was compiled with -fsanitize=thread
  int has_thread_local;  // it has a segment of thread_local variables (PT_TLS)
  int starts_programs;   // it asks for execve and its kin
  int is_pie;            // a program, though it can be loaded anywhere
  int inlined_abi;       // the number of what `chomp cc --inline` has put into it, or of what a library has for that
  int cut;               // it ends before what its header promises
  int path_of_its_own;   // DT_RPATH: where it looks for libraries before LD_LIBRARY_PATH
};

void read_elf(const char* path, struct ElfFile* file);
/// Whether what debuggers want to know of a library is here; `place` (PATH_MAX) is the file, or where it is looked for.
int find_debug_information(const char* path, char* place);
const char* machine_name(int machine);
/// Whether the name of a library, hash included, is that of an OpenMP runtime.
int names_openmp(const char* path);
/// The path of the program that execvp would run, or false.
int find_program(const char* name, char* path);

// ---- elf_names.cpp --------------------------------------------------------------------------------------------------

/// An OpenMP name in a file's dynamic table. `version`: empty if it has none.
struct ElfName {
  const char *name, *version;
  int defined;
  int hidden; // a definition that only those get who ask for its version
  int weak;   // a program starts without a definition
};
struct ElfNames {
  void* file; // the names' texts are in there
  struct ElfName* names;
  int count;
};

void read_names(const char* path, struct ElfNames* names);
void free_names(struct ElfNames* names);
/// Whether a file with these names defines what `wanted` asks for, by the loader's rules for versions.
int defines(const struct ElfNames* names, const struct ElfName* wanted);

// ---- loader.c -------------------------------------------------------------------------------------------------------

struct Loaded {
  char name[NAME_MAX + 1]; // as it is asked for
  char path[PATH_MAX];     // real; empty: not found
};
struct Bound {
  char caller[PATH_MAX], target[PATH_MAX]; // real; the target is empty if no file has the name
  int names;
};
struct Trace {
  struct Loaded* loaded;
  struct Bound* bound;
  int loaded_count, bound_count;
  int complete; // the loader came to an end
  char
      refused[NAME_MAX + 1]; // a version that a library lacks, so that the loader would not start the program; or empty
};

/// What the loader would do with the program: with `preload` or `library_path` in front of what the environment says
/// (either may be null). The program is not started, and neither is the loader that it names: the system's own is
/// asked.
void trace_loader(const char* program, const char* preload, const char* library_path, struct Trace* trace);
/// Adds to which file each OpenMP name of each file would be bound. Nothing is executed for that either.
void trace_bindings(const char* program, struct Trace* trace);
void trace_free(struct Trace* trace);
/// The loader of this command; empty: it has none.
const char* own_loader(void);
int is_of_musl(const char* loader);

// ---- serve.c --------------------------------------------------------------------------------------------------------

/// Whether chomp, preloaded, would serve a program: what `doctor` says and what the commands that run one go by.
struct Judgement {
  char path[PATH_MAX];        // of the program, or of the interpreter that reads the script
  char script[PATH_MAX];      // of the script; empty: it is none
  struct ElfFile file;        // of `path`
  char refusal[3 * PATH_MAX]; // why chomp would not serve it; empty: it would, or nothing can be said
  int hopeless;               // it cannot even be started: the shells' status for that; 0: it can
  int looked;                 // `preloaded` is there
  struct Trace preloaded;
  int served, elsewhere; // how many OpenMP calls would go to chomp, and how many not
  int uses_openmp;       // it does, or what it opens or starts later may
};

void judge(const char* name, struct Judgement* judgement);
/// The library whose name begins so, among those that the program loads; null: it loads none.
const struct Loaded* loads(const struct Trace* trace, const char* beginning);
/// GCC's AddressSanitizer ends a program in which its library does not come first, so a preload is none of the ways.
static inline int wants_to_be_first(const struct Trace* trace) { return loads(trace, "libasan.so") != NULL; }
/// libomptarget opens libomp.so by name, before LLVM 19 also before a preloaded chomp has its say.
static inline int offloads(const struct Trace* trace) { return loads(trace, "libomptarget.so") != NULL; }
/// Archer, without which ThreadSanitizer does not know what OpenMP orders. False: no LLVM here has it. `in_reach`: the
/// loader finds it, and so does chomp.
int find_archer(char* path, int* in_reach);
/// Whether the loader leaves LD_PRELOAD and LD_LIBRARY_PATH out for the program, as this user; why, or null.
const char* privilege_of(const char* path);
/// How many OpenMP calls go to chomp, and how many to another runtime or nowhere.
void count_calls(const struct Trace* trace, int* served, int* elsewhere);
int goes_elsewhere(const struct Bound* bound);

#ifdef __cplusplus
}
#endif
