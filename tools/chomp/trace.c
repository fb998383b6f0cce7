// chomp trace: runs a program while the library records what its threads do (CHOMP_RECORD), then has chomp-analyse,
// which lies beside this command, make a timeline of that.
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static const char usage[] =
    "usage: chomp trace [options] program [argument ...]\n"
    "       chomp trace [options] --from recording ...\n"
    "Runs a program on chomp and writes a timeline of what each thread did: trace.pftrace, for Perfetto's viewer.\n"
    "Or makes a timeline of recordings (CHOMP_RECORD), also while their programs still run.\n"
    "options, beside those of `chomp run`:\n"
    "  --output FILE, -o FILE   the name of the timeline\n"
    "  --limit SIZE             of the recording, 1G by default: of a longer run the last part is kept; 0: no limit\n"
    "  --slices N               draw about so many at most, 1000000 by default, and shorter ones in groups; 0: all\n"
    "  --help                   this text\n";

// What the command keeps of a run: a folder beside the output, with one recording for each process.
static char folder[PATH_MAX];

static void make_folder(const char* output) {
  char name[PATH_MAX];
  if ((size_t)snprintf(name, sizeof name, "%s.XXXXXX", output) >= sizeof name) die("trace: the name is too long");
  if (mkdtemp(name) == NULL || realpath(name, folder) == NULL)
    die("trace: cannot write beside %s: %s", output, strerror(errno));
}

// Lists the files of the folder; returns how many they are.
static int list_recordings(char** into, int room) {
  int found = 0;
  DIR* listing = opendir(folder);
  for (struct dirent* entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    if (entry->d_name[0] == '.' || found == room) continue;
    if (asprintf(&into[found++], "%s/%s", folder, entry->d_name) < 0) die("out of memory");
  }
  if (listing != NULL) closedir(listing);
  return found;
}

static int finish(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) die("waitpid: %s", strerror(errno));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_program(char** arguments) {
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) {
    execvp(arguments[0], arguments);
    die("trace: %s: %s", arguments[0], strerror(errno));
  }
  signal(SIGINT, SIG_IGN); // it is the program's; what it has recorded until then is wanted
  signal(SIGQUIT, SIG_IGN);
  return finish(child);
}

// Returns the status of chomp-analyse. `words` begins with two free places.
static int analyse(char** words, const char* what) {
  char path[PATH_MAX], own[PATH_MAX];
  snprintf(own, sizeof own, "%s", self);
  if ((size_t)snprintf(path, sizeof path, "%s/chomp-analyse", dirname(own)) >= sizeof path) die("the path is too long");
  words[0] = path;
  words[1] = (char*)what;
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) {
    execv(path, words);
    die("%s: %s", path, strerror(errno));
  }
  return finish(child);
}

enum { kMostRecordings = 4096 };

void trace(int count, char** arguments) {
  static char* words[kMostRecordings + 16];
  const char *output = "trace.pftrace", *limit = "1G", *slices = NULL;
  int force = 0, from = 0, used = 2;
  while (count > 0 && arguments[0][0] == '-' && !from) {
    const char *argument = *arguments++, *value;
    --count;
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(usage, stdout) < 0);
    if ((value = option("--output", argument, &count, &arguments)) != NULL ||
        (value = option("-o", argument, &count, &arguments)) != NULL)
      output = value;
    else if ((value = option("--limit", argument, &count, &arguments)) != NULL)
      limit = value;
    else if ((value = option("--slices", argument, &count, &arguments)) != NULL)
      slices = value;
    else if (strcmp(argument, "--from") == 0)
      from = 1;
    else if (!run_option(argument, &count, &arguments, &force))
      die("trace: no such option: %s\n%s", argument, usage);
  }
  if (count < 1) die("trace: which %s?\n%s", from ? "recording" : "program", usage);
  words[used++] = "--output";
  words[used++] = (char*)output;
  if (slices != NULL) {
    words[used++] = "--slices";
    words[used++] = (char*)slices;
  }
  if (from) {
    for (; count > 0 && used < kMostRecordings; --count) words[used++] = *arguments++;
    exit(analyse(words, "trace"));
  }

  prepare_program(arguments[0], force);
  make_folder(output);
  char* record = NULL;
  if (asprintf(&record, "%s/%%p.rec", folder) < 0) die("out of memory");
  set("CHOMP_RECORD", record);
  set("CHOMP_RECORD_LIMIT", limit);
  int status = run_program(arguments);
  int found = list_recordings(words + used, kMostRecordings);
  int failed = 0;
  if (found > 0)
    failed = analyse(words, "trace");
  else
    fprintf(stderr, "chomp: %s has recorded nothing: it has used no OpenMP\n", arguments[0]);
  for (int i = 0; i < found; ++i) unlink(words[used + i]);
  rmdir(folder);
  exit(status != 0 ? status : failed != 0 || found == 0 ? 2 : 0);
}
