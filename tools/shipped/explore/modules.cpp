// Whose code a place is in: that of the runtime, of a file that was compiled for this (it calls what the compiler puts
// at the begin of each function), or of another one.
#include <dlfcn.h>
#include <elf.h>
#include <initializer_list>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/strand.h"

namespace explore {

Names names_in(const dl_phdr_info& module) {
  Names names;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    auto* entry = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) names.text = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRSZ) names.bytes = entry->d_un.d_val;
    }
  }
  if (reinterpret_cast<uintptr_t>(names.text) < module.dlpi_addr) names.text = nullptr; // the system's own page
  return names;
}

namespace {

struct Range {
  uintptr_t low, high;
  bool has(uintptr_t at) const { return at >= low && at < high; }
};
struct Module : Range {
  Whose whose;
};
constexpr int kMost = 512;
Module modules[kMost];
int module_count = 0;
Range data[kMost]; // of libraries
int data_count = 0;
unsigned long long loads_seen = 0;

void add_data(uintptr_t low, size_t bytes) {
  if (data_count < kMost) data[data_count++] = {low, low + bytes};
}

bool is_standard(const char* name) {
  for (const char* start : {"_ZSt", "_ZNSt", "std", "environ", "opt"})
    if (strncmp(name, start, strlen(start)) == 0) return true;
  return false;
}

// A file's relocations name what it calls. Of a library's variables, such as std::cout, the program may have the only
// copy: those are the library's all the same.
bool calls_tsan(const dl_phdr_info& file) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < file.dlpi_phnum; ++i)
    if (file.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(file.dlpi_addr + file.dlpi_phdr[i].p_vaddr);
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {};
  size_t bytes[2] = {};
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
    case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
    case DT_STRTAB: names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
    case DT_JMPREL: tables[0] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
    case DT_PLTRELSZ: bytes[0] = entry->d_un.d_val; break;
    case DT_RELA: tables[1] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
    case DT_RELASZ: bytes[1] = entry->d_un.d_val; break;
    default: break;
    }
  // The system's own page has addresses that the loader has not moved, and calls nothing.
  if (symbols == nullptr || names == nullptr || reinterpret_cast<uintptr_t>(symbols) < file.dlpi_addr) return false;
  bool calls = false;
  for (int table = 0; table < 2; ++table)
    for (size_t i = 0; tables[table] != nullptr && i < bytes[table] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& each = tables[table][i];
      const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(each.r_info)];
      if (strcmp(names + symbol.st_name, "__tsan_func_entry") == 0) calls = true;
      if (ELF64_R_TYPE(each.r_info) == R_X86_64_COPY && is_standard(names + symbol.st_name))
        add_data(file.dlpi_addr + each.r_offset, symbol.st_size);
    }
  return calls;
}

// Places in the code of the runtime, and of what is the system's.
struct Known {
  uintptr_t runtime, system[3];
};

int add_module(dl_phdr_info* file, size_t, void* argument) {
  loads_seen = file->dlpi_adds;
  const auto& known = *static_cast<Known*>(argument);
  bool is_program = calls_tsan(*file);
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const auto& segment = file->dlpi_phdr[i];
    uintptr_t low = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD) continue;
    if ((segment.p_flags & PF_W) != 0 && !is_program) add_data(low, segment.p_memsz);
    if ((segment.p_flags & PF_X) == 0 || module_count == kMost) continue;
    Whose whose = is_program ? Whose::kProgram : Whose::kOther;
    const Range code{low, low + segment.p_memsz};
    if (code.has(known.runtime)) whose = Whose::kRuntime;
    for (uintptr_t place : known.system)
      if (code.has(place)) whose = Whose::kSystem;
    modules[module_count++] = {code, whose};
  }
  return 0;
}

// Before there are runs, so that not each of them has to.
__attribute__((constructor)) void find_modules() {
  auto place_of = [](const char* name) { return reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name)); };
  Known known{place_of("__kmpc_fork_call"),
              {place_of("gnu_get_libc_version"), place_of("__tls_get_addr"), reinterpret_cast<uintptr_t>(&add_module)}};
  module_count = data_count = 0;
  dl_iterate_phdr(add_module, &known);
}

bool has_loaded_more() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* file, size_t, void* sum) {
        *static_cast<unsigned long long*>(sum) = file->dlpi_adds;
        return 1;
      },
      &loads);
  return loads != loads_seen;
}

} // namespace

Whose whose(const void* pc) {
  auto at = reinterpret_cast<uintptr_t>(pc);
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (int i = 0; i < module_count; ++i)
      if (modules[i].has(at)) return modules[i].whose;
    if (!has_loaded_more()) break;
    find_modules();
  }
  return Whose::kOther; // code that the program has made
}

bool is_of_library(uintptr_t address) {
  if (has_loaded_more()) find_modules();
  for (int i = 0; i < data_count; ++i)
    if (data[i].has(address)) return true;
  return false;
}

void* next_function(const char* name, const void* caller) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  Dl_info own{}, found{};
  dladdr(reinterpret_cast<const void*>(&next_function), &own);
  link_map* of_caller = nullptr;
  dladdr1(caller, &found, reinterpret_cast<void**>(&of_caller), RTLD_DL_LINKMAP);
  auto look = [&](const link_map* module) -> void* {
    void* handle = module->l_name[0] != 0 ? dlopen(module->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    void* next = handle != nullptr ? dlsym(handle, name) : nullptr;
    if (handle != nullptr) dlclose(handle);
    bool is_other = next != nullptr && dladdr(next, &found) != 0 && found.dli_fbase != own.dli_fbase;
    return is_other ? next : nullptr;
  };
  if (void* next = of_caller != nullptr ? look(of_caller) : nullptr) return next;
  void* all = dlopen(nullptr, RTLD_LAZY);
  for (auto* module = static_cast<const link_map*>(all); module != nullptr; module = module->l_next)
    if (void* next = look(module)) return next;
  dprintf(2, "chomp explore: the program calls %s(), which no library has\n", name);
  _exit(2);
}

// A module that asks for names of OpenMP, or was compiled for this, of those that the process begins with.
bool uses_openmp() {
  auto look = [](dl_phdr_info* module, size_t, void*) -> int {
    const char *slash = strrchr(module->dlpi_name, '/'), *name = slash != nullptr ? slash + 1 : module->dlpi_name;
    for (const char* each : {"libomp.", "libgomp.", "libiomp5.", "libchomp", "libtsan", "linux-vdso", "ld-linux"})
      if (strncmp(name, each, strlen(each)) == 0) return 0;
    Names names = names_in(*module);
    for (const char* start : {"\0__kmpc_", "\0GOMP_", "\0omp_get_", "\0omp_set_", "\0__tsan_func_entry"})
      if (names.text != nullptr && memmem(names.text, names.bytes, start, 1 + strlen(start + 1)) != nullptr) return 1;
    return 0;
  };
  return dl_iterate_phdr(look, nullptr) != 0;
}

} // namespace explore

const void* virtual_machine::place_in_program(const void* pc) {
  using explore::Whose;
  if (Whose owner = explore::whose(pc); owner == Whose::kProgram || owner == Whose::kRuntime) return pc;
  const void* found = pc;
  auto look = [](_Unwind_Context* frame, void* place) {
    auto* at = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    if (explore::whose(at) != Whose::kProgram) return _URC_NO_REASON;
    *static_cast<const void**>(place) = at;
    return _URC_NORMAL_STOP;
  };
  active = false; // it takes locks
  _Unwind_Backtrace(look, &found);
  active = true;
  return found;
}
