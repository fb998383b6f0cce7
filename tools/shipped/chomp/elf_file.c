// What a file says about itself: kind, machine, loader, and the names it asks for. Called by `run`, which must not take
// long, and by `doctor`. Nothing in the file is trusted: every offset is checked against its size.
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

const void* part(struct Bytes bytes, size_t offset, size_t size) {
  return offset <= bytes.size && size <= bytes.size - offset ? bytes.begin + offset : NULL;
}

int map_file(const char* path, struct Bytes* bytes) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not make us wait
  if (descriptor < 0) return 0;
  *bytes = (struct Bytes){MAP_FAILED, 0};
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    bytes->size = (size_t)status.st_size;
    bytes->begin = mmap(NULL, bytes->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  return bytes->begin != MAP_FAILED;
}

static int starts(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static void note_symbol(const char* name, int defined, struct ElfFile* file) {
  file->has_race_detector |= strcmp(name, "__tsan_init") == 0; // Clang's defines it, GCC's asks a library for it
  if (defined) {
    file->has_runtime |= strcmp(name, "__kmpc_fork_call") == 0 || strcmp(name, "GOMP_parallel") == 0;
    file->is_chomp |= strcmp(name, "chomp_version") == 0;
    return;
  }
  static const char* const starting[] = {"execv",   "execve",      "execvp",       "execvpe", "execl", "execlp",
                                         "fexecve", "posix_spawn", "posix_spawnp", "system",  "popen"};
  for (size_t i = 0; i < sizeof starting / sizeof *starting; ++i)
    file->starts_programs |= strcmp(name, starting[i]) == 0;
  file->opens_libraries |= strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0;
  file->calls_gomp += starts(name, "GOMP_");
  file->calls_kmpc += starts(name, "__kmpc_");
  file->calls_omp += starts(name, "omp_") || starts(name, "kmp_");
}

static void read_symbols(struct Bytes bytes, const Elf64_Ehdr* header, struct ElfFile* file) {
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* section = part(bytes, header->e_shoff + (size_t)i * sizeof *section, sizeof *section);
    if (section == NULL) return;
    int dynamic = section->sh_type == SHT_DYNSYM;
    if ((!dynamic && section->sh_type != SHT_SYMTAB) || section->sh_link >= header->e_shnum) continue;
    const Elf64_Shdr* names = part(bytes, header->e_shoff + section->sh_link * sizeof *names, sizeof *names);
    const Elf64_Sym* symbols = part(bytes, section->sh_offset, section->sh_size);
    const char* text = names != NULL ? part(bytes, names->sh_offset, names->sh_size) : NULL;
    if (symbols == NULL || text == NULL || names->sh_size == 0 || text[names->sh_size - 1] != 0) continue;
    for (size_t at = 0; at < section->sh_size / sizeof *symbols; ++at) {
      int defined = symbols[at].st_shndx != SHN_UNDEF;
      // What is undefined in the full table is in the dynamic one too, in a file that can be loaded.
      if (symbols[at].st_name < names->sh_size && (dynamic || defined))
        note_symbol(text + symbols[at].st_name, defined, file);
    }
  }
}

static void read_segments(struct Bytes bytes, const Elf64_Ehdr* header, struct ElfFile* file) {
  for (int i = 0; i < header->e_phnum; ++i) {
    const Elf64_Phdr* segment = part(bytes, header->e_phoff + (size_t)i * sizeof *segment, sizeof *segment);
    const char* content = segment != NULL ? part(bytes, segment->p_offset, segment->p_filesz) : NULL;
    file->cut |= content == NULL;
    if (segment == NULL) return;
    if (content == NULL) continue;
    if (segment->p_type == PT_INTERP)
      snprintf(file->interpreter, sizeof file->interpreter, "%.*s", (int)segment->p_filesz, content);
    if (segment->p_type != PT_DYNAMIC) continue;
    file->dynamic = 1;
    const Elf64_Dyn* entries = (const Elf64_Dyn*)content;
    int path = 0, later_path = 0;
    for (size_t at = 0; at < segment->p_filesz / sizeof *entries && entries[at].d_tag != DT_NULL; ++at) {
      file->is_pie |= entries[at].d_tag == DT_FLAGS_1 && (entries[at].d_un.d_val & DF_1_PIE);
      path |= entries[at].d_tag == DT_RPATH;
      later_path |= entries[at].d_tag == DT_RUNPATH;
    }
    file->path_of_its_own = path && !later_path;
  }
}

static void read_bytes(struct Bytes bytes, struct ElfFile* file) {
  if (bytes.size > 2 && starts(bytes.begin, "#!")) {
    file->is_script = 1;
    size_t length = 2;
    while (length < bytes.size && bytes.begin[length] != '\n' && length < PATH_MAX) ++length;
    const char* begin = bytes.begin + 2;
    while (begin < bytes.begin + length && isspace((unsigned char)*begin)) ++begin;
    snprintf(file->interpreter, sizeof file->interpreter, "%.*s", (int)(bytes.begin + length - begin), begin);
  }
  const unsigned char* ident = part(bytes, 0, EI_NIDENT);
  if (ident == NULL || memcmp(ident, ELFMAG, SELFMAG) != 0) return;
  file->is_elf = 1;
  file->bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  const Elf64_Ehdr* header = part(bytes, 0, sizeof *header); // e_type and e_machine lie alike in both classes
  file->cut = header == NULL;
  if (header == NULL || ident[EI_DATA] != ELFDATA2LSB) return;
  file->machine = header->e_machine;
  file->shared_object = header->e_type == ET_DYN;
  if (file->bits != 64) return;
  read_segments(bytes, header, file);
  read_symbols(bytes, header, file);
}

void read_elf(const char* path, struct ElfFile* file) {
  memset(file, 0, sizeof *file);
  struct stat status;
  if (stat(path, &status) != 0) return;
  file->exists = S_ISREG(status.st_mode);
  file->readable = file->exists && access(path, R_OK) == 0;
  struct Bytes bytes;
  if (!file->exists || !map_file(path, &bytes)) return;
  read_bytes(bytes, file);
  munmap((void*)bytes.begin, bytes.size);
}

const char* machine_name(int machine) {
  switch (machine) {
  case EM_X86_64: return "x86-64";
  case EM_AARCH64: return "64-bit Arm";
  case EM_386: return "32-bit x86";
  case EM_ARM: return "32-bit Arm";
  case EM_PPC64: return "64-bit POWER";
  case EM_RISCV: return "RISC-V";
  default: return "another machine";
  }
}

int names_openmp(const char* path) {
  static const char* const stems[] = {"libgomp", "libomp", "libiomp5", "libomp5"};
  const char* slash = strrchr(path, '/');
  const char* name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof stems / sizeof *stems; ++i) {
    size_t length = strlen(stems[i]);
    // A hash stands behind a hyphen; libomptarget and libompd are something else.
    if (strncmp(name, stems[i], length) == 0 && (name[length] == '.' || name[length] == '-')) return 1;
  }
  return 0;
}

int find_program(const char* name, char* path) {
  if (strchr(name, '/') != NULL) {
    snprintf(path, PATH_MAX, "%s", name);
    return access(path, F_OK) == 0;
  }
  const char* folders = getenv("PATH");
  for (const char* at = folders != NULL ? folders : "/usr/bin:/bin"; *at != 0;) {
    size_t length = strcspn(at, ":");
    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length > 0 ? at : ".", name);
    struct stat status;
    if (access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode)) return 1;
    at += length + (at[length] == ':');
  }
  return 0;
}
