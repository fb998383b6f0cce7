// A folder of files that a test lays out itself, in place of /sys or /proc.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

struct FakeFiles {
  char root[256];

  FakeFiles() {
    const char* folder = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/chomp-unit-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(root)) abort();
  }
  ~FakeFiles() {
    nftw(
        root, [](const char* path, const struct stat*, int, struct FTW*) { return remove(path); }, 16,
        FTW_DEPTH | FTW_PHYS);
  }

  /// Writes `text` to the file of that name, making the folders above it.
  __attribute__((format(printf, 3, 4))) void put(const char* text, const char* name, ...) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/", root);
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(path + length, sizeof path - length, name, arguments);
    va_end(arguments);
    for (char* slash = path + length; (slash = strchr(slash, '/')); slash++) {
      *slash = 0;
      mkdir(path, 0755);
      *slash = '/';
    }
    FILE* file = fopen(path, "w");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
  }

  /// `<root>/<name>`, valid until the next call.
  const char* path(const char* name) {
    static char full[1024];
    snprintf(full, sizeof full, "%s/%s", root, name);
    return full;
  }
};
