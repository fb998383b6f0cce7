// Opening other libraries and finding their symbols: the only way to <dlfcn.h> in the tree. A program that is linked
// with libomp.a opens nothing and finds nothing, since it may have no loader. There the references are weak, and the
// archive (tools/releasing/cmake/StaticLibrary.cmake) has them under names that nobody defines.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>
#include <stdint.h>

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

inline void close_library(void* library) {
  if (library != nullptr) dlclose(library);
}

/// What a library in the process defines, as its file says. Asks nobody.
class Symbols {
public:
  Symbols() = default;
  explicit Symbols(const dl_phdr_info& library);
  /// The address of a function of that name, or of the one that chooses it (an "ifunc"); null: the library has none.
  void* find(const char* name) const;

private:
  bool is_named(uint32_t index, const char* name) const;

  uintptr_t base_ = 0;
  const void* table_ = nullptr; // of symbols
  const char* names_ = nullptr;
  const uint32_t* gnu_hash_ = nullptr; // one of the two, or both
  const uint32_t* hash_ = nullptr;
};

struct LoadedLibrary {
  char path[512];
  Symbols symbols;
};

/// Finds a library in the process, other than this one, whose file name begins with one of `beginnings`. False also if
/// the loader's list of libraries may be locked for ever. Like visit_libraries(), so without a lock of ours.
bool find_other_library(std::initializer_list<const char*> beginnings, LoadedLibrary* found);

/// Whether the program, or a library other than this one, defines a function of that name. If none does, dlsym() has
/// nothing to say, and is not asked: it takes a lock of the loader that another thread may have for long, in dlopen().
bool others_define(const char* name);

/// `library`: from open_library(), or RTLD_DEFAULT, or RTLD_NEXT.
inline void* find_symbol(void* library, const char* name) { return has_loader() ? dlsym(library, name) : nullptr; }

/// What LLVM's offload library defines, also where it was opened for one module alone, and dlsym() does not find it.
void* find_in_offload_library(const char* name);

/// The function of that name in a library that comes after this one, or null. Another library in the process may know
/// better than chomp (devices, interop). RTLD_NEXT starts behind this library, so it never finds our own.
template <class Function> Function* next_definition(const char* name, void* from = RTLD_NEXT) {
  if (!others_define(name)) return nullptr;
  void* found = find_symbol(from, name);
  return reinterpret_cast<Function*>(found != nullptr ? found : find_in_offload_library(name));
}

/// The function of that name in whatever library the program finds it, or null. For names that this one does not have.
template <class Function> Function* any_definition(const char* name) {
  return next_definition<Function>(name, RTLD_DEFAULT);
}

/// From here on, a caller that opens a library of that name gets this one, if its folder has a file or a link of that
/// name that is this one: the loader compares files, and looks there first, by our DT_RPATH. Loads nothing.
inline void note_file_name(const char* name) {
  if (has_loader()) close_library(dlopen(name, RTLD_LAZY | RTLD_NOLOAD));
}

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

/// Whether the address is code of this library, not of the program. In a static program all code is both.
bool is_of_this_library(uintptr_t address);

} // namespace chomp
