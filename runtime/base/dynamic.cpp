// See dynamic.h. Asks the loader for its list of libraries; opens nothing.
#include "runtime/base/dynamic.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/os_linux.h"

namespace chomp {

namespace {

struct Search {
  std::initializer_list<const char*> beginnings;
  LoadedLibrary* found;
};

bool holds(const dl_phdr_info& library, uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    uintptr_t low = library.dlpi_addr + library.dlpi_phdr[i].p_vaddr;
    if (library.dlpi_phdr[i].p_type == PT_LOAD && address >= low && address - low < library.dlpi_phdr[i].p_memsz)
      return true;
  }
  return false;
}

int look_at(dl_phdr_info* library, size_t, void* context) {
  auto search = static_cast<Search*>(context);
  const char* slash = strrchr(library->dlpi_name, '/');
  const char* name = slash != nullptr ? slash + 1 : library->dlpi_name;
  for (const char* beginning : search->beginnings) {
    if (strncmp(name, beginning, strlen(beginning)) != 0) continue;
    if (holds(*library, reinterpret_cast<uintptr_t>(&look_at))) return 0;
    snprintf(search->found->path, sizeof search->found->path, "%s", library->dlpi_name);
    return 1;
  }
  return 0;
}

} // namespace

bool find_other_library(std::initializer_list<const char*> beginnings, LoadedLibrary* found) {
  Search search{beginnings, found};
  return visit_libraries(look_at, &search) > 0;
}

// The linker's names for the begin and the end of the file that they are linked into.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

bool is_of_this_library(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(&__ehdr_start) && address < reinterpret_cast<uintptr_t>(&_end);
}

} // namespace chomp
