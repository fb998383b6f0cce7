// Opening other libraries and finding their symbols: the only way to <dlfcn.h> in the tree. A program that is linked
// with libomp.a opens nothing and finds nothing, since it may have no loader. There the references are weak, and the
// archive (tools/releasing/cmake/StaticLibrary.cmake) has them under names that nobody defines.
#pragma once

#include <dlfcn.h>
#include <initializer_list>
#include <stddef.h>

struct dl_phdr_info; // link.h

#ifdef CHOMP_NEEDS_LOADER // tools/releasing/cmake/old_glibc.cmake
namespace chomp {
inline bool has_loader() { return true; }
} // namespace chomp
#else
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dlerror
namespace chomp {
/// Whether there is a loader to ask.
inline bool has_loader() { return dlopen != nullptr && dlsym != nullptr; }
} // namespace chomp
#endif

namespace chomp {

/// Null: it is not there. Other libraries do not see its symbols.
inline void* open_library(const char* name) { return has_loader() ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : nullptr; }

/// Opens a library that is in the process already, by the path under which the loader knows it. Null: it is not there.
inline void* open_loaded_library(const char* path) {
  return has_loader() ? dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) : nullptr;
}

struct LoadedLibrary {
  char path[512];
};

/// dl_iterate_phdr(): calls `visit` for each library, until it returns another value than 0, and returns that. −1: the
/// loader's list of libraries may be locked for ever. No other lock of the loader is taken, so that a thread inside
/// dlopen() may wait for the caller.
int visit_libraries(int (*visit)(dl_phdr_info*, size_t, void*), void* context);

/// Finds a library in the process, other than this one, whose file name begins with one of `beginnings`. False also if
/// the loader's list of libraries may be locked for ever.
bool find_other_library(std::initializer_list<const char*> beginnings, LoadedLibrary* found);

/// Called in the child of a fork() that did not wait for other threads of ours. One of these may have been in
/// find_other_library(), and libc does not release the lock of that list. It does release the lock of open_library().
void libraries_may_be_locked();

/// `library`: from open_library() or open_loaded_library(), or RTLD_DEFAULT, or RTLD_NEXT.
inline void* find_symbol(void* library, const char* name) { return has_loader() ? dlsym(library, name) : nullptr; }

/// Finds the symbol that the program would find. If zig has linked this library, RTLD_DEFAULT would begin with this
/// library, since zig knows no -Bsymbolic-functions.
inline void* find_in_program(const char* name) {
  void* program = open_library(nullptr);
  return program != nullptr ? find_symbol(program, name) : nullptr;
}

/// Why the last of these calls of this thread has failed.
inline const char* library_error() {
  const char* why = has_loader() ? dlerror() : nullptr;
  return why != nullptr ? why : "this program has no loader";
}

inline void close_library(void* library) {
  if (library != nullptr) dlclose(library);
}

} // namespace chomp
