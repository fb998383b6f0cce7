// chomp run: replaces itself by a program, with the library in LD_PRELOAD. A program that the library would not serve
// (serve.c) is refused, with the reason, unless --force says otherwise.
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static const char usage[] =
    "usage: chomp run [options] program [argument ...]\n"
    "Runs a program on chomp, by LD_PRELOAD. One that chomp would not serve is refused: linked statically, for "
    "another\n"
    "machine, set-uid or with capabilities of its own, without OpenMP, or with calls that would go elsewhere.\n"
    "`chomp doctor program` says more.\n"
    "options:\n"
    "  --scheduler NAME   CHOMP_SCHEDULER: where tasks wait and who takes them; `chomp info` lists them\n"
    "  --threads N        OMP_NUM_THREADS\n"
    "  --domain LEVEL     CHOMP_DOMAIN: default, socket, l3, numa, core or machine\n"
    "  --stats[=FILE]     CHOMP_STATS: a table on standard error at the end, or JSON\n"
    "  --force            run it, whatever it is\n"
    "  --help             this text\n";

void make_temporary_folder(const char* first, const char* stem, char* folder) {
  const char* temporary = getenv("TMPDIR");
  const char* const places[] = {first, temporary != NULL && *temporary != 0 ? temporary : "/tmp", "/tmp"};
  for (int i = first == NULL; i < 3; ++i) {
    char name[PATH_MAX];
    if ((size_t)snprintf(name, sizeof name, "%s/%s.XXXXXX", places[i], stem) >= sizeof name) continue;
    if (mkdtemp(name) != NULL && realpath(name, folder) != NULL) return;
  }
  die("neither %s nor %s can be written: %s", first != NULL ? first : "/tmp", places[1], strerror(errno));
}

void check_writable(const char* path) {
  char copy[PATH_MAX];
  struct stat status;
  int exists = stat(path, &status) == 0;
  snprintf(copy, sizeof copy, "%s", path);
  if (exists && S_ISDIR(status.st_mode))
    errno = EISDIR;
  else if (access(exists ? path : dirname(copy), W_OK) == 0)
    return;
  die("%s cannot be written: %s", path, strerror(errno));
}

long number(const char* name, const char* text, long least, long most) {
  char* end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || value < least || value > most)
    die("%s takes a number from %ld to %ld, not \"%s\"", name, least, most, text);
  return value;
}

enum { kMostThreads = 32768 };

void check_threads(const char* name, const char* text) {
  char* list = strdup(text);
  if (list == NULL) die("out of memory");
  for (char *one, *rest = list; (one = strsep(&rest, ",")) != NULL;) number(name, one, 1, kMostThreads);
  free(list);
}

void check_size(const char* name, const char* text) {
  size_t digits = strspn(text, "0123456789");
  const char* unit = text + digits;
  if (digits == 0 || digits > 12 || (*unit != 0 && (strchr("BbKkMmGg", *unit) == NULL || unit[1] != 0)))
    die("%s takes a size such as 512M or 4G, not \"%s\"", name, text);
}

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

static void put_in_front(const char* name, const char* value) {
  char* whole = NULL;
  const char* others = getenv(name);
  if (asprintf(&whole, "%s%s%s", value, others != NULL ? ":" : "", others != NULL ? others : "") < 0)
    die("out of memory");
  set(name, whole);
  free(whole);
}

// ThreadSanitizer's program: without Archer it reports orders that OpenMP gives as races.
static void set_archer(void) {
  char archer[PATH_MAX] = "";
  const char* tool = getenv("OMP_TOOL");
  int in_reach;
  if (getenv("OMP_TOOL_LIBRARIES") != NULL || (tool != NULL && strcasecmp(tool, "disabled") == 0)) return;
  if (!find_archer(archer, &in_reach))
    fprintf(stderr,
            "chomp: compiled with ThreadSanitizer, and no LLVM here has libarcher.so (Debian: libomp-dev): what "
            "OpenMP orders will be reported as races\n");
  else if (!in_reach)
    set("OMP_TOOL_LIBRARIES", archer);
}

// What the program needs besides, or in place of a preload. Whether it is to have one.
static int prepare_for_guests(const struct Judgement* judgement) {
  const int first = wants_to_be_first(&judgement->preloaded);
  if (judgement->file.has_race_detector) set_archer();
  if (!first && !offloads(&judgement->preloaded)) return 1;
  char folder[PATH_MAX];
  strcpy(folder, library);
  put_in_front("LD_LIBRARY_PATH", dirname(folder));
  return !first;
}

// Whether it is to be preloaded.
static int refuse_what_chomp_does_not_serve(const char* name) {
  static struct Judgement judgement;
  char path[PATH_MAX];
  judge(name, &judgement);
  const char* file = judgement.script[0] != 0 ? judgement.script : judgement.path;
  if (find_program(name, path) && judgement.file.exists && access(file, X_OK) != 0)
    die_with(kNotExecutable, "%s cannot be executed: %s%s", file, strerror(errno),
             strstr(file, ".py") != NULL ? "; is it meant for `chomp run python3 …`?" : "");
  if (judgement.refusal[0] != 0)
    die_with(judgement.hopeless != 0 ? judgement.hopeless : kTrouble, "%s%s", judgement.refusal,
             judgement.hopeless != 0 ? "" : "; --force runs it all the same");
  int preloads = !judgement.looked || prepare_for_guests(&judgement);
  if (judgement.looked) trace_free(&judgement.preloaded);
  return preloads;
}

static void preload(void) {
  // Separated by blanks or colons: the loader knows no way to write either.
  if (strpbrk(library, " :") != NULL)
    die("%s: LD_PRELOAD ends a name at a blank or a colon. Install chomp elsewhere, or set LD_LIBRARY_PATH to "
        "that "
        "folder",
        library);
  put_in_front("LD_PRELOAD", library);
}

void check_scheduler(const char* wanted) {
  char all[1024] = "";
  open_library();
  FUNCTION(const char*, chomp_scheduler_name, int);
  FUNCTION(const char*, chomp_scheduler_alias, int);
  for (int i = 0; chomp_scheduler_name(i) != NULL; ++i) {
    const char *name = chomp_scheduler_name(i), *alias = chomp_scheduler_alias(i);
    if (strcasecmp(name, wanted) == 0 || (alias != NULL && strcasecmp(alias, wanted) == 0)) return;
    size_t length = strlen(all);
    snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "", name);
  }
  die("no scheduler %s; there are %s", wanted, all);
}

void check_level(const char* wanted) {
  static const char* const levels[] = {"default", "socket", "l3", "numa", "core", "machine"};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i)
    if (strcasecmp(levels[i], wanted) == 0) return;
  die("no level %s; there are default, socket, l3, numa, core and machine", wanted);
}

int run_option(const char* argument, int* count, char*** arguments, int* force) {
  const char* value;
  if ((value = option("--scheduler", argument, count, arguments)) != NULL)
    check_scheduler(value), set("CHOMP_SCHEDULER", value);
  else if ((value = option("--threads", argument, count, arguments)) != NULL)
    check_threads("--threads", value), set("OMP_NUM_THREADS", value);
  else if ((value = option("--domain", argument, count, arguments)) != NULL)
    check_level(value), set("CHOMP_DOMAIN", value);
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
  if (force || refuse_what_chomp_does_not_serve(name)) preload();
}

void run(int count, char** arguments) {
  int force = 0;
  while (count > 0 && arguments[0][0] == '-') {
    const char* argument = *arguments++;
    --count;
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(usage, stdout) < 0);
    if (!run_option(argument, &count, &arguments, &force)) die("no such option: %s\n%s", argument, usage);
  }
  if (count < 1) die("which program?\n%s", usage);
  prepare_program(arguments[0], force);
  execute(arguments);
}
