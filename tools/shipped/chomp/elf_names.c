// The OpenMP names that a file asks for and defines, with their versions. Nothing in the file is trusted, as in
// elf_file.c.
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "command.h"

static int is_openmp_name(const char* name) {
  static const char* const families[] = {"GOMP_", "__kmpc_", "omp_", "kmp_", "kmpc_", "ompc_"};
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    if (strncmp(name, families[i], strlen(families[i])) == 0) return 1;
  return 0;
}

// A section of a file and what belongs to it.
struct Section {
  const char* begin;
  size_t size;
  const char* text; // of its names
  size_t text_size;
};

static struct Section find_section(struct Bytes bytes, const Elf64_Ehdr* header, unsigned type) {
  struct Section none = {0};
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* section = part(bytes, header->e_shoff + (size_t)i * sizeof *section, sizeof *section);
    if (section == NULL) return none;
    if (section->sh_type != type || section->sh_link >= header->e_shnum) continue;
    const Elf64_Shdr* names = part(bytes, header->e_shoff + section->sh_link * sizeof *names, sizeof *names);
    struct Section found = {part(bytes, section->sh_offset, section->sh_size), section->sh_size, NULL, 0};
    if (names != NULL) found.text = part(bytes, names->sh_offset, names->sh_size), found.text_size = names->sh_size;
    if (found.begin == NULL || (type != SHT_GNU_versym && (found.text == NULL || found.text_size == 0))) return none;
    return type == SHT_GNU_versym || found.text[found.text_size - 1] == 0 ? found : none;
  }
  return none;
}

static const void* at(struct Section section, size_t offset, size_t size) {
  return part((struct Bytes){section.begin, section.size}, offset, size);
}

static const char* text_at(struct Section section, size_t offset) {
  return offset < section.text_size ? section.text + offset : "";
}

// The name of version `number`, of those that the file needs or defines.
static const char* version_name(struct Section needed, struct Section defined, unsigned number) {
  for (size_t offset = 0;;) {
    const Elf64_Verneed* need = needed.begin != NULL ? at(needed, offset, sizeof *need) : NULL;
    if (need == NULL) break;
    size_t inner = offset + need->vn_aux;
    for (int i = 0; i < need->vn_cnt; ++i) {
      const Elf64_Vernaux* one = at(needed, inner, sizeof *one);
      if (one == NULL) break;
      if ((one->vna_other & 0x7fff) == number) return text_at(needed, one->vna_name);
      inner += one->vna_next;
    }
    if (need->vn_next == 0) break;
    offset += need->vn_next;
  }
  for (size_t offset = 0;;) {
    const Elf64_Verdef* one = defined.begin != NULL ? at(defined, offset, sizeof *one) : NULL;
    if (one == NULL) break;
    const Elf64_Verdaux* name = at(defined, offset + one->vd_aux, sizeof *name);
    if (name != NULL && (one->vd_ndx & 0x7fff) == number) return text_at(defined, name->vda_name);
    if (one->vd_next == 0) break;
    offset += one->vd_next;
  }
  return "";
}

static void add(struct ElfNames* names, struct ElfName name) {
  if (names->count % 64 == 0) {
    names->names = realloc(names->names, (size_t)(names->count + 64) * sizeof *names->names);
    if (names->names == NULL) die("out of memory");
  }
  names->names[names->count++] = name;
}

void read_names(const char* path, struct ElfNames* names) {
  memset(names, 0, sizeof *names);
  if (!map_file(path, &names->bytes)) return;
  struct Bytes bytes = names->bytes;
  const Elf64_Ehdr* header = part(bytes, 0, sizeof *header);
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return;
  struct Section table = find_section(bytes, header, SHT_DYNSYM),
                 versions = find_section(bytes, header, SHT_GNU_versym),
                 needed = find_section(bytes, header, SHT_GNU_verneed),
                 defined = find_section(bytes, header, SHT_GNU_verdef);
  const Elf64_Sym* symbols = (const Elf64_Sym*)table.begin;
  for (size_t i = 0; symbols != NULL && i < table.size / sizeof *symbols; ++i) {
    const char* name = text_at(table, symbols[i].st_name);
    if (!is_openmp_name(name)) continue;
    struct ElfName one = {name, "", symbols[i].st_shndx != SHN_UNDEF, 0, ELF64_ST_BIND(symbols[i].st_info) == STB_WEAK};
    const Elf64_Half* version = versions.begin != NULL ? at(versions, i * sizeof *version, sizeof *version) : NULL;
    if (version != NULL && (*version & 0x7fff) > VER_NDX_GLOBAL)
      one.version = version_name(needed, defined, *version & 0x7fff);
    one.hidden = version != NULL && (*version & 0x8000) != 0;
    add(names, one);
  }
}

void free_names(struct ElfNames* names) {
  if (names->bytes.size > 0) munmap((void*)names->bytes.begin, names->bytes.size);
  free(names->names);
}

int defines(const struct ElfNames* names, const struct ElfName* wanted) {
  for (int i = 0; i < names->count; ++i) {
    const struct ElfName* one = &names->names[i];
    if (!one->defined || strcmp(one->name, wanted->name) != 0) continue;
    if (wanted->version[0] == 0 ? !one->hidden : one->version[0] == 0 || strcmp(one->version, wanted->version) == 0)
      return 1;
  }
  return 0;
}
