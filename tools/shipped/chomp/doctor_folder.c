// chomp doctor FOLDER: the verdict on all of it, then the files with the same finding in one line. A file that has
// several names (links) counts once.
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

enum Finding { kServed, kByRpath, kPrivileged, kLinkedIn, kReachable, kOwnName, kChomp, kFindings };

static const char* const texts[kFindings] = {
    [kServed] = "calls OpenMP",
    [kByRpath] = "calls OpenMP, and looks for libraries by an RPATH, before LD_LIBRARY_PATH",
    [kPrivileged] =
        "calls OpenMP; the loader leaves LD_PRELOAD out, since it is set-uid or has capabilities of its own",
    [kLinkedIn] = "has an OpenMP runtime linked into it, which nothing replaces",
    [kReachable] = "is an OpenMP library",
    [kOwnName] = "is an OpenMP library with a name of its own, which LD_LIBRARY_PATH never reaches",
    [kChomp] = "is chomp",
};

struct Found {
  enum Finding finding;
  const char* runtime; // whose; null: it is no library of OpenMP
  char* path;          // from the folder on
  dev_t device;
  ino_t inode;
};

static struct Found* files;
static int file_count;
static char** links; // looked at when all files are known
static int link_count;
static size_t folder_length;

static void* grown(void* array, int count, size_t each) {
  if ((count & (count - 1)) != 0) return array;
  array = realloc(array, (size_t)(count > 0 ? 2 * count : 1) * each);
  if (array == NULL) die("no memory");
  return array;
}

// Whether programs that ask for one of the names of OpenMP's libraries get this file, by its name or a link beside it.
static int has_known_name(const char* path) {
  static const char* const ours[] = {"libomp.so", "libomp.so.5", "libiomp5.so", "libgomp.so.1"};
  char beside[PATH_MAX];
  struct stat one, other;
  int folder = (int)(strrchr(path, '/') - path);
  for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
    if (snprintf(beside, sizeof beside, "%.*s/%s", folder, path, ours[i]) < PATH_MAX && stat(beside, &one) == 0 &&
        stat(path, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
      return 1;
  return 0;
}

// What it is; kFindings: nothing of OpenMP.
static enum Finding finding_of(const char* path, const struct ElfFile* file) {
  if (file->has_runtime && names_openmp(path))
    return file->is_chomp ? kChomp : has_known_name(path) ? kReachable : kOwnName;
  if (file->has_runtime && !file->is_chomp) return kLinkedIn;
  if (calls_openmp(file) == 0) return kFindings;
  return privilege_of(path) != NULL ? kPrivileged : file->path_of_its_own ? kByRpath : kServed;
}

static void look_at(const char* path, const struct stat* status) {
  if (!S_ISREG(status->st_mode) || (strstr(path, ".so") == NULL && !(status->st_mode & 0111))) return;
  for (int i = 0; i < file_count; ++i)
    if (files[i].inode == status->st_ino && files[i].device == status->st_dev) return;
  struct ElfFile file;
  read_elf(path, &file);
  enum Finding finding = file.is_elf ? finding_of(path, &file) : kFindings;
  if (finding == kFindings) return;
  files = grown(files, file_count, sizeof *files);
  const char* runtime = finding == kReachable || finding == kOwnName ? whose(path) : NULL;
  files[file_count++] = (struct Found){finding, runtime, strdup(path + folder_length), status->st_dev, status->st_ino};
}

static int visit(const char* path, const struct stat* status, int kind, struct FTW* where) {
  (void)where;
  if (kind == FTW_F) look_at(path, status);
  if (kind != FTW_SL) return 0;
  links = grown(links, link_count, sizeof *links);
  links[link_count++] = strdup(path);
  return 0;
}

static int by_finding(const void* a, const void* b) {
  const struct Found *one = a, *other = b;
  if (one->finding != other->finding) return one->finding < other->finding ? -1 : 1;
  if (one->runtime != other->runtime) return strcmp(one->runtime, other->runtime);
  return strcmp(one->path, other->path);
}

// Of files[first], files[first + 1] …, which have the same finding. How many they are.
static int show_group(int first, int all) {
  enum { kFew = 3 };
  const struct Found* group = &files[first];
  int count = 1, shown = 0;
  while (first + count < file_count && group[count].finding == group->finding && group[count].runtime == group->runtime)
    ++count;
  printf("  %d %s%s", count, count == 1 ? "file " : "files, each ", texts[group->finding]);
  if (group->runtime != NULL) printf(" (%s)", group->runtime);
  for (; shown < count && (all || shown < kFew || count == kFew + 1); ++shown)
    printf("%s%s", all ? "\n    " : shown == 0 ? ": " : ", ", group[shown].path);
  if (shown < count) printf(" and %d more (--all names them)", count - shown);
  putchar('\n');
  return count;
}

static int counted(enum Finding finding) {
  int count = 0;
  for (int i = 0; i < file_count; ++i) count += files[i].finding == finding;
  return count;
}

static void show_verdict(void) {
  int privileged = counted(kPrivileged), linked = counted(kLinkedIn), lost = privileged + linked;
  int callers = counted(kServed) + counted(kByRpath), unreached = counted(kByRpath) + counted(kOwnName);
  if (file_count == 0) {
    printf("  none\n");
    return;
  }
  if (callers > 0)
    printf("  %s: `chomp run PROGRAM` serves %s that call%s OpenMP, whatever the name of %s library%s\n",
           good("served"),
           callers == 1 ? "the file"
           : lost > 0   ? "the files"
                        : "all files",
           callers == 1 ? "s" : "", callers == 1 ? "its" : "their",
           unreached > 0 ? "; LD_LIBRARY_PATH does not reach all" : "");
  else if (lost == 0)
    printf("  nothing in it calls OpenMP\n");
  if (lost > 0) printf("  %s: %d file%s\n", bad("not served"), lost, lost == 1 ? "" : "s");
}

int examine_folder(const char* folder, int all) {
  char real[PATH_MAX];
  if (realpath(folder, real) == NULL) die("%s: %s", folder, strerror(errno));
  folder_length = strlen(real) + (real[1] != 0); // the folder may be /
  printf("OpenMP under %s\n", folder);
  if (nftw(real, visit, 64, FTW_PHYS) != 0) die("%s: %s", folder, strerror(errno));
  struct stat status;
  for (int i = 0; i < link_count; ++i)
    if (stat(links[i], &status) == 0) look_at(links[i], &status);
  if (file_count > 0) qsort(files, (size_t)file_count, sizeof *files, by_finding);
  show_verdict();
  for (int i = 0; i < file_count;) i += show_group(i, all);
  return counted(kPrivileged) + counted(kLinkedIn) == 0;
}
