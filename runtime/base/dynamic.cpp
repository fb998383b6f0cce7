// See dynamic.h. Asks the loader for its list of libraries; opens nothing.
#include "runtime/base/dynamic.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/os_linux.h"

namespace chomp {

// The linker's names for the begin and the end of the file that they are linked into.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

bool is_of_this_library(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(&__ehdr_start) && address < reinterpret_cast<uintptr_t>(&_end);
}

namespace {

bool is_this_library(const dl_phdr_info& library) {
  return is_of_this_library(reinterpret_cast<uintptr_t>(library.dlpi_phdr)); // at the begin of the file
}

const ElfW(Dyn) * dynamic_part(const dl_phdr_info& library) {
  for (int i = 0; i < library.dlpi_phnum; ++i)
    if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

// The hash functions of the two kinds of tables (System V ABI; GNU).
uint32_t elf_hash(const char* name) {
  uint32_t hash = 0;
  for (; *name != 0; ++name) {
    hash = (hash << 4) + static_cast<unsigned char>(*name);
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = 33 * hash + static_cast<unsigned char>(*name);
  return hash;
}

} // namespace

Symbols::Symbols(const dl_phdr_info& library) : base_(library.dlpi_addr) {
  // glibc writes addresses into the table, others leave distances from the base there.
  auto at = [this](const ElfW(Dyn) * entry) {
    uintptr_t value = entry->d_un.d_ptr;
    return reinterpret_cast<const void*>(value < base_ ? value + base_ : value);
  };
  for (const ElfW(Dyn)* entry = dynamic_part(library); entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
    case DT_SYMTAB: table_ = at(entry); break;
    case DT_STRTAB: names_ = static_cast<const char*>(at(entry)); break;
    case DT_GNU_HASH: gnu_hash_ = static_cast<const uint32_t*>(at(entry)); break;
    case DT_HASH: hash_ = static_cast<const uint32_t*>(at(entry)); break;
    default: break;
    }
  }
}

bool Symbols::is_named(uint32_t index, const char* name) const {
  const auto& symbol = static_cast<const ElfW(Sym)*>(table_)[index];
  int type = symbol.st_info & 0xf;
  bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC; // of libatomic the latter
  return symbol.st_shndx != SHN_UNDEF && is_function && strcmp(names_ + symbol.st_name, name) == 0;
}

void* Symbols::find(const char* name) const {
  if (table_ == nullptr || names_ == nullptr) return nullptr;
  uint32_t found = 0;
  if (gnu_hash_ != nullptr) {
    uint32_t buckets = gnu_hash_[0], first = gnu_hash_[1], hash = gnu_hash(name);
    const uint32_t* bucket = gnu_hash_ + 4 + gnu_hash_[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t* chain = bucket + buckets; // from `first` on; the last bit says that a bucket ends
    uint32_t index = buckets != 0 ? bucket[hash % buckets] : 0;
    for (; index >= first && found == 0; ++index) {
      uint32_t each = chain[index - first];
      if ((each | 1) == (hash | 1) && is_named(index, name)) found = index;
      if ((each & 1) != 0) break;
    }
  } else if (hash_ != nullptr && hash_[0] != 0) {
    const uint32_t *bucket = hash_ + 2, *chain = bucket + hash_[0];
    for (uint32_t index = bucket[elf_hash(name) % hash_[0]]; index != 0 && found == 0; index = chain[index])
      if (is_named(index, name)) found = index;
  }
  if (found == 0) return nullptr;
  return reinterpret_cast<void*>(base_ + static_cast<const ElfW(Sym)*>(table_)[found].st_value);
}

bool find_other_library(std::initializer_list<const char*> beginnings, LoadedLibrary* found) {
  struct Search {
    std::initializer_list<const char*> beginnings;
    LoadedLibrary* found;
  } search{beginnings, found};
  auto look_at = [](dl_phdr_info* library, size_t, void* context) {
    auto wanted = static_cast<Search*>(context);
    const char* slash = strrchr(library->dlpi_name, '/');
    const char* name = slash != nullptr ? slash + 1 : library->dlpi_name;
    for (const char* beginning : wanted->beginnings) {
      if (strncmp(name, beginning, strlen(beginning)) != 0) continue;
      if (is_this_library(*library)) return 0;
      snprintf(wanted->found->path, sizeof wanted->found->path, "%s", library->dlpi_name);
      wanted->found->symbols = Symbols(*library);
      return 1;
    }
    return 0;
  };
  return visit_libraries(look_at, &search) > 0;
}

void* find_in_offload_library(const char* name) {
  LoadedLibrary offload;
  return find_other_library({"libomptarget.so"}, &offload) ? offload.symbols.find(name) : nullptr;
}

// The program may have this library inside: then its functions are not ours alone.
bool others_define(const char* name) {
  auto look_at = [](dl_phdr_info* library, size_t, void* wanted) {
    if (library->dlpi_name[0] != 0 && is_this_library(*library)) return 0;
    return Symbols(*library).find(static_cast<const char*>(wanted)) != nullptr ? 1 : 0;
  };
  return visit_libraries(look_at, const_cast<char*>(name)) > 0;
}

} // namespace chomp
