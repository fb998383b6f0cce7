// What the kernel says about this process.
#pragma once

#include "support/check.h"
#include <string.h>

/// A number from a line of /proc/self/status, such as "VmHWM:" (KiB) or "Threads:".
static inline long process_status(const char* field) {
  char line[256];
  long value = -1;
  FILE* file = fopen("/proc/self/status", "r");
  CHECK(file);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field));
  fclose(file);
  CHECK(value >= 0);
  return value;
}

/// The most memory this process has had resident so far, in KiB.
static inline long peak_memory(void) { return process_status("VmHWM:"); }
static inline long thread_count(void) { return process_status("Threads:"); }

/// How many different mapped files have a name whose last part begins with `prefix`; `last` receives one of them.
static inline int mapped_files(const char* prefix, char* last, size_t size) {
  char line[4096], previous[4096] = "";
  int files = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps)) {
    char* path = strchr(line, '/');
    if (!path) continue;
    path[strcspn(path, "\n")] = 0;
    if (strncmp(strrchr(path, '/') + 1, prefix, strlen(prefix)) != 0 || strcmp(path, previous) == 0) continue;
    files++;
    strcpy(previous, path);
    if (last) snprintf(last, size, "%s", path);
  }
  fclose(maps);
  return files;
}
