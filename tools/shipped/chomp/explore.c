// chomp explore, cc, explore-flags: compile a program so that each of its accesses to memory is seen, and run it in
// many orders of events. The runs themselves are made by libchomp-explore.so (tools/shipped/explore), loaded before the
// program.
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const char explore_usage[] =
    "usage: chomp explore [options] program [argument ...]\n"
    "Runs a program in many orders of events, and looks for data races, results that depend on the order, deadlocks "
    "and\n"
    "barriers that not all threads meet. Races are found in code that `chomp cc` has compiled; without it the orders "
    "of\n"
    "the runtime's calls are tried. The seed of an order that fails repeats it. Ends with 1 if something was found, "
    "with 4\n"
    "if only differences were found that may be meant, with 3 if --exhaustive could not try all.\n"
    "options:\n"
    "  --runs N           at most so many orders, 1000 if not given; --seconds S: and no more time, 10 (0: any)\n"
    "  --seed S           orders at random, from that seed on; else all orders are tried for a moment before others\n"
    "  --threads 2,3,8    numbers of threads, in turn; 2,3,4,1 if neither this nor OMP_NUM_THREADS is given\n"
    "  --expect TEXT      the output that is right; else outputs with the same number of threads are compared\n"
    "  --check COMMAND    a command of the shell that reads the output, and fails if it is wrong\n"
    "  --any-output       the output may depend on the order; --strict-output: not even in times, addresses, "
    "threads\n"
    "  --determinacy      look for results that the order of locks and atomics decides, instead of races\n"
    "  --all              go on after the first order that fails\n"
    "  --replay SEED      that order only, with the program's output; --until STEP stops there under a debugger. "
    "Ends\n"
    "                     as the program does; with --expect or --check with 1 if these say so\n"
    "  --exhaustive       all orders, up to steps that commute, of a small program; 3: nothing found, but not all "
    "tried\n"
    "  --only-region FILE:LINE  explore that parallel region only; elsewhere a thread goes on until it waits\n"
    "  --reduce SEED      find the fewest switches between threads with which that order still fails\n"
    "  --junit FILE       what was found, as JUnit's XML; --sarif FILE: as SARIF\n"
    "  --steps N          a run of more steps is ended, 20000000\n"
    "  --force            run it, whatever it is\n"
    "  --help             this text\n";

static const char cc_usage[] =
    "usage: chomp cc [compiler] argument ...\n"
    "Compiles or links for `chomp explore`: calls the compiler with -fopenmp and the flags of `chomp explore-flags`.\n"
    "Without one: $CC, clang, gcc or cc; for C++ $CXX, clang++, g++ or c++; for Fortran gfortran.\n"
    "       chomp cc --inline [compiler] argument ...\n"
    "Compiles or links with Clang or Flang for speed instead: tasks are made, spawned and awaited by code in the "
    "program itself.\n"
    "Without a compiler: $CC or $CXX, else the Clang or Flang that built chomp, a newer one, or clang or flang.\n"
    "       chomp cc --inline --print [compiler]\n"
    "Prints the flags for that: for any Clang, or those of this one, with chomp's pass if there is one for it.\n";

static const char flags_usage[] =
    "usage: chomp explore-flags [compiler]\n"
    "Prints the flags with which a program is compiled and linked for `chomp explore`, for Clang or for GCC.\n";

static char folder[PATH_MAX];

static void find_folder(void) {
  char copy[PATH_MAX], file[PATH_MAX + 64];
  strcpy(copy, library);
  snprintf(folder, sizeof folder, "%s/chomp-explore", dirname(copy));
  snprintf(file, sizeof file, "%s/libchomp-explore.so", folder);
  if (access(file, R_OK) != 0)
    die("this installation has no %s (on x86-64 it is built by the target `explore`, or `everything`)", file);
}

// Separate words would be read as options of the program by execvp's caller: options are joined by blanks.
static void add_word(char* words, size_t room, const char* format, const char* value) {
  size_t length = strlen(words);
  snprintf(words + length, room - length, format, value);
}

// As a shell reads it back.
static void add_quoted(char* text, size_t room, const char* word) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=,:+@%-";
  if (*word != 0 && word[strspn(word, plain)] == 0) return add_word(text, room, "%s", word);
  add_word(text, room, "%s", "'");
  for (char letter[2] = {*word}; *letter != 0; *letter = *++word)
    add_word(text, room, "%s", *letter == '\'' ? "'\\''" : letter);
  add_word(text, room, "%s", "'");
}

// The words of the command for the line that says how to repeat a run: the options that decide what a seed means, and
// the program.
static void remember_call(int force, const char* threads, const char* steps, const char* seconds, const char* region,
                          const char* determinacy, int count, char** arguments) {
  char text[4096] = "";
  if (force) add_word(text, sizeof text, "%s", "--force ");
  if (threads != NULL) add_word(text, sizeof text, "--threads %s ", threads);
  if (steps != NULL) add_word(text, sizeof text, "--steps %s ", steps);
  if (determinacy != NULL) add_word(text, sizeof text, "%s", "--determinacy ");
  if (region != NULL) {
    add_word(text, sizeof text, "%s", "--only-region ");
    add_quoted(text, sizeof text, region);
    add_word(text, sizeof text, "%s", " ");
  }
  if (seconds != NULL) add_word(text, sizeof text, "--seconds %s ", seconds);
  for (int i = 0; i < count; ++i) {
    if (i > 0) add_word(text, sizeof text, "%s", " ");
    add_quoted(text, sizeof text, arguments[i]);
  }
  set("CHOMP_EXPLORE_AGAIN", text);
}

// SEED, or SEED:SWITCHES as `--reduce` prints it, or an order of a search for all, which begins with x.
static void add_order(const char* word, char* words, size_t room, const char* value) {
  static const char digits[] = "0123456789";
  int all = *value == 'x'; // of a search for all orders, with so many threads
  value += all;
  size_t seed = strspn(value, digits);
  if (seed == 0 || seed > 20 || (value[seed] != 0 && value[seed] != ':')) die("--%s: not a seed: %s", word, value);
  char number[32];
  snprintf(number, sizeof number, "%.*s", (int)seed, value);
  add_word(words, room, word, "");
  add_word(words, room, all ? "=1 exhaustive=1 threads=%s " : "=%s ", number);
  if (value[seed] == ':') set("CHOMP_EXPLORE_ORDER", value + seed + 1);
}

// A program of threads alone needs no OpenMP, if it was compiled to be explored.
static int has_only_threads(const char* name) {
  char path[PATH_MAX];
  struct ElfFile file;
  if (!find_program(name, path)) return 0;
  read_elf(path, &file);
  return file.has_race_detector && file.calls_gomp + file.calls_kmpc + file.calls_omp == 0;
}

void explore(int count, char** arguments) {
  static const struct {
    const char *option, *word;
  } numbers[] = {{"--runs", "runs"},   {"--seconds", "seconds"}, {"--seed", "seed"},
                 {"--steps", "steps"}, {"--until", "until"},     {"--threads", "threads"}};
  char words[1024] = "", preload[3 * PATH_MAX];
  const char *threads = NULL, *steps = NULL, *seconds = NULL, *region = NULL, *determinacy = NULL;
  int force = 0;
  while (count > 0 && arguments[0][0] == '-') {
    const char *argument = *arguments++, *value;
    int known = 1;
    --count;
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(explore_usage, stdout) < 0);
    if ((value = option("--expect", argument, &count, &arguments)) != NULL)
      set("CHOMP_EXPLORE_EXPECT", value);
    else if ((value = option("--check", argument, &count, &arguments)) != NULL)
      set("CHOMP_EXPLORE_CHECK", value);
    else if ((value = option("--junit", argument, &count, &arguments)) != NULL)
      set("CHOMP_EXPLORE_JUNIT", value);
    else if ((value = option("--sarif", argument, &count, &arguments)) != NULL)
      set("CHOMP_EXPLORE_SARIF", value);
    else if ((value = option("--replay", argument, &count, &arguments)) != NULL)
      add_order("replay", words, sizeof words, value);
    else if ((value = option("--reduce", argument, &count, &arguments)) != NULL)
      add_order("reduce", words, sizeof words, value);
    else if ((value = option("--only-region", argument, &count, &arguments)) != NULL) {
      const char* colon = strrchr(value, ':');
      if (colon == NULL || colon[1] == 0 || colon[1 + strspn(colon + 1, "0123456789")] != 0)
        die("--only-region: not FILE:LINE: %s", value);
      set("CHOMP_EXPLORE_REGION", region = value);
    } else if (strcmp(argument, "--exhaustive") == 0)
      add_word(words, sizeof words, "exhaustive=%s ", getenv("CHOMP_EXPLORE_NAIVE") != NULL ? "2" : "1");
    else if (strcmp(argument, "--any-output") == 0)
      add_word(words, sizeof words, "any_output=%s ", "1");
    else if (strcmp(argument, "--strict-output") == 0)
      add_word(words, sizeof words, "strict_output=%s ", "1");
    else if (strcmp(argument, "--determinacy") == 0)
      add_word(words, sizeof words, "determinacy=%s ", determinacy = "1");
    else if (strcmp(argument, "--all") == 0)
      add_word(words, sizeof words, "all=%s ", "1");
    else if (strcmp(argument, "--force") == 0)
      force = 1;
    else
      known = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !known; ++i) {
      if ((value = option(numbers[i].option, argument, &count, &arguments)) == NULL) continue;
      int list = strcmp(numbers[i].word, "threads") == 0;
      if (*value == 0 || value[strspn(value, list ? "0123456789," : "0123456789")] != 0 || strlen(value) > 64)
        die("%s: not a number: %s", numbers[i].option, value);
      add_word(words, sizeof words, numbers[i].word, "");
      add_word(words, sizeof words, "=%s ", value);
      if (list) threads = value;
      if (strcmp(numbers[i].word, "steps") == 0) steps = value;
      if (strcmp(numbers[i].word, "seconds") == 0) seconds = value;
      known = 1;
    }
    if (!known) die("no such option: %s\n%s", argument, explore_usage);
  }
  if (count < 1) die("which program?\n%s", explore_usage);
  const char* usual = getenv("OMP_NUM_THREADS");
  if (threads == NULL && usual != NULL && usual[strspn(usual, "0123456789")] == 0 && *usual != 0) {
    threads = usual;
    add_word(words, sizeof words, "threads=%s ", threads);
  }
  find_folder();
  prepare_program(arguments[0], force || has_only_threads(arguments[0]));
  snprintf(preload, sizeof preload, "%s/libchomp-explore.so:%s/libomp.so", folder, folder);
  set("LD_PRELOAD", preload);
  set("LD_BIND_NOW", "1");                // once, not in each run
  setenv("OPENBLAS_NUM_THREADS", "1", 0); // numpy's makes threads when it is loaded, and a process of many cannot begin
  set("CHOMP_EXPLORE", words[0] != 0 ? words : "runs=1000");
  if (force) { // this process, not what it starts
    char own[24];
    snprintf(own, sizeof own, "%d", (int)getpid());
    set("CHOMP_EXPLORE_WHATEVER", own);
  }
  remember_call(force, threads, steps, seconds, region, determinacy, count, arguments);
  execute(arguments);
}

// ---- Compiling ------------------------------------------------------------------------------------------------------

static int is_clang(const char* compiler) {
  const char* name = strrchr(compiler, '/') != NULL ? strrchr(compiler, '/') + 1 : compiler;
  return strstr(name, "clang") != NULL || strstr(name, "icx") != NULL || strstr(name, "icpx") != NULL;
}

// The compiler's calls at each access to memory are those of ThreadSanitizer, whose own library is not linked: Clang is
// told so; GCC asks for -ltsan, and the folder has a file of that name that stands for ours. Optimisations that read or
// write what the source does not (before a loop, of which only some threads' iterations use it; of two neighbours, of
// which a branch chooses one; what a comparison need not reach) are left out. Only what the source calls inline is, so
// that variables of the other functions are seen to end.
static const char* const clang_flags[] = {"-fno-sanitize-link-runtime",
                                          "-Wno-unused-command-line-argument",
                                          "-mllvm",
                                          "-tsan-instrument-read-before-write=1", // of `x += 1` the read too
                                          "-mllvm",
                                          "-disable-licm-promotion",
                                          "-mllvm",
                                          "-disable-mergeicmps",
                                          "-mllvm",
                                          "-enable-interleaved-mem-accesses=false", // loads of what is in between
                                          "-finline-hint-functions",
                                          "-lchomp-explore",
                                          NULL};
static const char* const gcc_flags[] = {"-fno-tree-loop-im",
                                        "-fno-hoist-adjacent-loads",
                                        "-fno-tree-partial-pre",
                                        "-fno-inline-functions",
                                        "-fno-inline-small-functions",
                                        "-fno-inline-functions-called-once",
                                        NULL};

static const char* const no_flags[] = {NULL};

enum { kMostFlags = 24 };

static int flags(const char* compiler, const char** list) {
  static char path[PATH_MAX + 8], run_path[PATH_MAX + 16], templates[PATH_MAX + 16], assembler[PATH_MAX + 8];
  snprintf(path, sizeof path, "-L%s", folder);
  snprintf(templates, sizeof templates, "%s/templates.h", folder);
  snprintf(run_path, sizeof run_path, "-Wl,-rpath,%s", folder);
  int count = 0;
  list[count++] = "-g";
  list[count++] = "-fsanitize=thread";
  list[count++] = "-fno-omit-frame-pointer";
  for (const char* const* flag = is_clang(compiler) ? clang_flags : gcc_flags; *flag != NULL; ++flag)
    list[count++] = *flag;
  if (strstr(compiler, "gfortran") != NULL) {
    snprintf(assembler, sizeof assembler, "-B%s/", folder);
    list[count++] = assembler;
  } else {
    if (!is_clang(compiler)) list[count++] = "-fno-builtin"; // what GCC makes of memcpy() or strcpy() is not seen
    list[count++] = "-include";
    list[count++] = templates;
  }
  list[count++] = path;
  list[count++] = run_path;
  return count;
}

static int ends_with_one_of(const char* name, const char* const* ends) {
  const char* dot = strrchr(name, '.');
  for (; dot != NULL && *ends != NULL; ++ends)
    if (strcmp(dot, *ends) == 0) return 1;
  return 0;
}

static const char* first_found(const char* variable, const char* const* names) {
  char path[PATH_MAX];
  const char* chosen = variable != NULL ? getenv(variable) : NULL;
  if (chosen != NULL && *chosen != 0) return chosen;
  for (; *names != NULL; ++names)
    if (find_program(*names, path)) return *names;
  die("no compiler is found; name one: chomp cc COMPILER ...");
}

static const char* const c_sources[] = {".c", ".i", ".o", ".a", ".s", ".S", NULL};
static const char* const cxx_sources[] = {".cc", ".cpp", ".cxx", ".C", ".c++", NULL};
static const char* const fortran_sources[] = {".f", ".F", ".for", ".f90", ".F90", ".f03", ".f08", NULL};

// A source with a slash in its name may be executable.
static int is_source(const char* name) {
  return ends_with_one_of(name, c_sources) || ends_with_one_of(name, cxx_sources) ||
         ends_with_one_of(name, fortran_sources);
}

// The compiler that the arguments begin with, which is taken off them, or the usual one for their sources.
static const char* take_compiler(int* count, char*** arguments, const char* const* c, const char* const* cxx,
                                 const char* const* fortran) {
  char path[PATH_MAX];
  char** words = *arguments;
  if (words[0][0] != '-' && !is_source(words[0]) && find_program(words[0], path)) {
    --*count;
    return *(*arguments)++;
  }
  for (int i = 0; i < *count; ++i) {
    if (ends_with_one_of(words[i], fortran_sources)) return first_found(NULL, fortran);
    if (ends_with_one_of(words[i], cxx_sources)) return first_found("CXX", cxx);
  }
  return first_found("CC", c);
}

// Becomes the compiler with the words of three lists, each of which ends with null.
__attribute__((noreturn)) static void run_compiler(const char* compiler, const char* const* before, char** arguments,
                                                   const char* const* after) {
  const char* const* lists[] = {before, (const char* const*)arguments, after};
  size_t count = 1;
  for (int i = 0; i < 3; ++i)
    for (const char* const* word = lists[i]; *word != NULL; ++word) ++count;
  const char** words = calloc(count + 1, sizeof *words);
  if (words == NULL) die("out of memory");
  size_t used = 0;
  words[used++] = compiler;
  for (int i = 0; i < 3; ++i)
    for (const char* const* word = lists[i]; *word != NULL; ++word) words[used++] = *word;
  execute((char**)words);
}

static int is_flang(const char* compiler) {
  const char* name = strrchr(compiler, '/');
  return strstr(name != NULL ? name : compiler, "flang") != NULL;
}

// Which Clang or Flang it is, by what it defines or says; 0: another compiler.
static int llvm_version(const char* compiler) {
  char line[2 * PATH_MAX] = "";
  int version = 0;
  add_quoted(line, sizeof line, compiler);
  add_word(line, sizeof line, "%s", is_flang(compiler) ? " --version" : " -dM -E -x c /dev/null 2>/dev/null");
  FILE* defined = popen(line, "re");
  if (defined == NULL) die("%s: %s", compiler, strerror(errno));
  while (fgets(line, sizeof line, defined) != NULL) {
    const char* after = strstr(line, is_flang(compiler) ? " version " : "__clang_major__ ");
    if (after != NULL && version == 0) version = atoi(strchr(after + 1, ' ') + 1);
  }
  pclose(defined);
  return version;
}

__attribute__((noreturn)) static void print_words(const char* const* words) {
  char text[4 * PATH_MAX] = "";
  for (int i = 0; words[i] != NULL; ++i) {
    if (i > 0) add_word(text, sizeof text, "%s", " ");
    add_quoted(text, sizeof text, words[i]);
  }
  exit(puts(text) < 0 || fflush(stdout) != 0 ? kTrouble : 0);
}

// Whether this compiler can load the pass: one that was built otherwise than the system's may not.
static int loads_pass(const char* compiler, const char* option) {
  char line[4 * PATH_MAX] = "";
  if (access(strchr(option, '=') + 1, R_OK) != 0) return 0;
  add_quoted(line, sizeof line, compiler);
  add_word(line, sizeof line, "%s", " ");
  add_quoted(line, sizeof line, option);
  add_word(line, sizeof line, " -x %s -S -o /dev/null - </dev/null >/dev/null 2>&1", is_flang(compiler) ? "f95" : "c");
  return system(line) == 0;
}

// Tasks inlined into the program (abi/inlined.cpp), by a pass (tools/shipped/inline) if there is one for this compiler.
// The same words compile and link: Clang leaves out what it does not need. First comes the version that made the
// bitcode, which older ones cannot read.
static void compile_inlined(int count, char** arguments) {
  enum { kClang, kClangxx, kFlang, kLanguages, kNames = 9 };
  static const char* const stems[kLanguages] = {"clang", "clang++", "flang"};
  static char numbered[kLanguages][kNames][16];
  const char* names[kLanguages][kNames + 2] = {{NULL}};
  char beside[PATH_MAX], bitcode[PATH_MAX + 32], pass[PATH_MAX + 64], path[PATH_MAX + 8], run_path[PATH_MAX + 16];
  if (count > 0 && strcmp(arguments[0], "--help") == 0) exit(fputs(cc_usage, stdout) < 0);
  strcpy(beside, library);
  dirname(beside);
  snprintf(bitcode, sizeof bitcode, "-Xclang=%s/chomp-inline.bc", beside);
  snprintf(path, sizeof path, "-L%s", beside);
  snprintf(run_path, sizeof run_path, "-Wl,-rpath,%s", beside);
  const char* bitcode_file = strchr(bitcode, '=') + 1;
  if (access(bitcode_file, R_OK) != 0)
    die("this installation has no %s: wheels have none; built from source and in Debian's packages it is there, on "
        "x86-64 and AArch64",
        bitcode_file);
  const char* clang_list[] = {
      "-fopenmp", "-Wno-unused-command-line-argument", "-Xclang=-mlink-bitcode-file", bitcode, path, run_path, NULL,
      NULL};
  const char* flang_list[] = {"-fopenmp", "-Xflang", "-mlink-builtin-bitcode", "-Xflang", bitcode_file, pass, path,
                              run_path,   NULL};
  int prints = count > 0 && strcmp(arguments[0], "--print") == 0;
  if (prints && count == 1) print_words(clang_list); // for any Clang
  arguments += prints;
  count -= prints;
  if (count < 1) die("--inline: compile what?\n%s", cc_usage);
  for (int i = 0; i < count; ++i) {
    if (strncmp(arguments[i], "-fcf-protection", 15) == 0 && strcmp(arguments[i], "-fcf-protection=none") != 0)
      die("--inline: the inlined code has no -fcf-protection, so the program may lose it");
    if (strcmp(arguments[i], "-c") == 0 || strcmp(arguments[i], "-S") == 0)
      flang_list[6] = NULL; // it would warn of what is for the linker
    if (strncmp(arguments[i], "-fopenmp-targets=", 17) == 0)
      die("--inline: a device cannot have what is inlined for the host (-fopenmp-targets)");
  }
  for (int language = 0; language < kLanguages; ++language) {
    for (int i = 0; i < kNames; ++i) { // Flang 19 may be flang-new-19
      snprintf(numbered[language][i], sizeof numbered[language][i], "%s%s-%d", stems[language],
               i == 0 && language == kFlang ? "-new" : "", CHOMP_CLANG + (i > 0 ? i - 1 : 0));
      names[language][i] = numbered[language][i];
    }
    names[language][kNames] = stems[language];
  }
  const char* compiler = take_compiler(&count, &arguments, names[kClang], names[kClangxx], names[kFlang]);
  int version = llvm_version(compiler);
  if (version == 0) die("--inline: needs Clang %d or later; %s is another compiler", CHOMP_CLANG, compiler);
  if (version < CHOMP_CLANG) die("--inline: needs Clang %d or later; this is %d (%s)", CHOMP_CLANG, version, compiler);
  snprintf(pass, sizeof pass, "-fpass-plugin=%s/chomp-inline-clang%d.so", beside, version);
  int has_pass = loads_pass(compiler, pass);
  if (is_flang(compiler) && !has_pass) die("--inline: Flang needs the pass, and there is none for %s", compiler);
  if (has_pass) clang_list[sizeof clang_list / sizeof *clang_list - 2] = pass;
  const char* const* list = is_flang(compiler) ? flang_list : clang_list;
  if (prints) print_words(list);
  run_compiler(compiler, list, arguments, no_flags);
}

void compile(int count, char** arguments) {
  static const char* const c[] = {"clang", "clang-19", "gcc", "cc", NULL};
  static const char* const cxx[] = {"clang++", "clang++-19", "g++", "c++", NULL};
  static const char* const fortran[] = {"gfortran", NULL};
  if (count > 0 && strcmp(arguments[0], "--inline") == 0) compile_inlined(count - 1, arguments + 1);
  if (count < 1 || strcmp(arguments[0], "--help") == 0)
    exit(fputs(cc_usage, count < 1 ? stderr : stdout) < 0 || count < 1 ? 2 : 0);
  find_folder();
  const char* compiler = take_compiler(&count, &arguments, c, cxx, fortran);
  const char* list[kMostFlags + 2] = {"-fopenmp"}; // and null after the last
  flags(compiler, list + 1);
  run_compiler(compiler, no_flags, arguments, list);
}

void explore_flags(int count, char** arguments) {
  if (count > 0 && strcmp(arguments[0], "--help") == 0) exit(fputs(flags_usage, stdout) < 0);
  const char* list[kMostFlags];
  find_folder();
  int used = flags(count > 0 ? arguments[0] : "clang", list);
  for (int i = 0; i < used; ++i) printf("%s%s", i > 0 ? " " : "", list[i]);
  putchar('\n');
}
