// The OpenMP names that a file asks for and defines, with their versions. Nothing in the file is trusted
// (debug_file.h).
#include "command.h"

#include <new>
#include <stdlib.h>

#include "runtime/observe/debug_file.h"

using chomp::Bytes;
using chomp::Elf;

static int is_openmp_name(const char* name) {
  static const char* const families[] = {"GOMP_", "__kmpc_", "omp_", "kmp_", "kmpc_", "ompc_"};
  for (const char* family : families)
    if (strncmp(name, family, strlen(family)) == 0) return 1;
  return 0;
}

// A section of a file, and the texts of its names.
struct Section {
  Bytes content, texts;

  template <typename T> bool read(uint64_t offset, T* value) const {
    Bytes from = content;
    from.skip(offset);
    *value = from.get<T>();
    return !from.bad;
  }
};

static Section find_section(const Elf& elf, unsigned type) {
  for (unsigned i = 0; i < elf.header().e_shnum; ++i) {
    Elf64_Shdr section = elf.section_header(i);
    if (section.sh_type == type) return {elf.content(section), elf.content(elf.section_header(section.sh_link))};
  }
  return {};
}

// The name of version `number`, of those that the file needs or defines.
static const char* version_name(const Section& needed, const Section& defined, unsigned number) {
  Elf64_Verneed need;
  for (uint64_t offset = 0; needed.read(offset, &need); offset += need.vn_next) {
    Elf64_Vernaux one;
    uint64_t inner = offset + need.vn_aux;
    for (int i = 0; i < need.vn_cnt && needed.read(inner, &one); ++i, inner += one.vna_next)
      if ((one.vna_other & 0x7fff) == number) return needed.texts.text_at(one.vna_name);
    if (need.vn_next == 0) break;
  }
  Elf64_Verdef one;
  for (uint64_t offset = 0; defined.read(offset, &one); offset += one.vd_next) {
    Elf64_Verdaux name;
    if ((one.vd_ndx & 0x7fff) == number && defined.read(offset + one.vd_aux, &name))
      return defined.texts.text_at(name.vda_name);
    if (one.vd_next == 0) break;
  }
  return "";
}

static void add(ElfNames* names, ElfName name) {
  if (names->count % 64 == 0) {
    names->names = (ElfName*)realloc(names->names, (size_t)(names->count + 64) * sizeof *names->names);
    if (names->names == nullptr) die("out of memory");
  }
  names->names[names->count++] = name;
}

void read_names(const char* path, ElfNames* names) {
  memset(names, 0, sizeof *names);
  void* memory = malloc(sizeof(Elf));
  if (memory == nullptr) die("out of memory");
  const Elf& elf = *new (memory) Elf(path);
  names->file = memory;
  if (!elf.valid()) return;
  Section table = find_section(elf, SHT_DYNSYM), versions = find_section(elf, SHT_GNU_versym),
          needed = find_section(elf, SHT_GNU_verneed), defined = find_section(elf, SHT_GNU_verdef);
  for (uint64_t i = 0; table.content.more(); ++i) {
    auto symbol = table.content.get<Elf64_Sym>();
    const char* name = table.texts.text_at(symbol.st_name);
    if (!is_openmp_name(name)) continue;
    ElfName one = {name, "", symbol.st_shndx != SHN_UNDEF, 0, ELF64_ST_BIND(symbol.st_info) == STB_WEAK};
    Elf64_Half version;
    if (versions.read(i * sizeof version, &version)) {
      if ((version & 0x7fff) > VER_NDX_GLOBAL) one.version = version_name(needed, defined, version & 0x7fff);
      one.hidden = (version & 0x8000) != 0;
    }
    add(names, one);
  }
}

void free_names(ElfNames* names) {
  static_cast<Elf*>(names->file)->~Elf();
  free(names->file);
  free(names->names);
}

int defines(const ElfNames* names, const ElfName* wanted) {
  for (int i = 0; i < names->count; ++i) {
    const ElfName* one = &names->names[i];
    if (!one->defined || strcmp(one->name, wanted->name) != 0) continue;
    if (wanted->version[0] == 0 ? !one->hidden : one->version[0] == 0 || strcmp(one->version, wanted->version) == 0)
      return 1;
  }
  return 0;
}
