// What a file says about itself: kind, machine, loader, and the names it asks for. Called by `run`, which must not take
// long, and by `doctor`. Nothing in the file is trusted (debug_file.h).
#include "command.h"

#include <ctype.h>
#include <stdlib.h>

#include "runtime/observe/debug_file.h"

using chomp::Bytes;
using chomp::Elf;

static int starts(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static void note_symbol(const char* name, int defined, ElfFile* file) {
  static const char inlined[] = "chomp_inline_abi_"; // runtime/wait/inlined.h
  if (starts(name, inlined)) file->inlined_abi = atoi(name + sizeof inlined - 1);
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

static void read_symbols(const Elf& elf, ElfFile* file) {
  for (unsigned i = 0; i < elf.header().e_shnum; ++i) {
    Elf64_Shdr section = elf.section_header(i);
    bool dynamic = section.sh_type == SHT_DYNSYM;
    if (!dynamic && section.sh_type != SHT_SYMTAB) continue;
    Bytes symbols = elf.content(section), texts = elf.content(elf.section_header(section.sh_link));
    while (symbols.more()) {
      auto symbol = symbols.get<Elf64_Sym>();
      bool defined = symbol.st_shndx != SHN_UNDEF;
      // What is undefined in the full table is in the dynamic one too, in a file that can be loaded.
      if (dynamic || defined) note_symbol(texts.text_at(symbol.st_name), defined, file);
    }
  }
}

static void read_dynamic(Bytes entries, ElfFile* file) {
  bool path = false, later_path = false;
  file->dynamic = 1;
  while (entries.more()) {
    auto entry = entries.get<Elf64_Dyn>();
    if (entry.d_tag == DT_NULL) break;
    file->is_pie |= entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE);
    path |= entry.d_tag == DT_RPATH;
    later_path |= entry.d_tag == DT_RUNPATH;
  }
  file->path_of_its_own = path && !later_path;
}

static void read_segments(const Elf& elf, ElfFile* file) {
  Bytes table = elf.segments();
  file->cut |= table.left() < elf.header().e_phnum * sizeof(Elf64_Phdr);
  while (table.more()) {
    auto segment = table.get<Elf64_Phdr>();
    Bytes content = elf.part(segment.p_offset, segment.p_filesz);
    bool whole = !table.bad && content.left() == segment.p_filesz;
    file->cut |= !whole;
    if (!whole) continue;
    file->has_thread_local |= segment.p_type == PT_TLS;
    if (segment.p_type == PT_INTERP)
      snprintf(file->interpreter, sizeof file->interpreter, "%.*s", (int)content.left(), (const char*)content.at);
    if (segment.p_type == PT_DYNAMIC) read_dynamic(content, file);
  }
}

static void read_script(Bytes bytes, ElfFile* file) {
  if (bytes.left() <= 2 || memcmp(bytes.at, "#!", 2) != 0) return;
  file->is_script = 1;
  bytes.skip(2);
  while (bytes.more() && *bytes.at != '\n' && isspace(*bytes.at)) bytes.skip(1);
  const void* newline = memchr(bytes.at, '\n', bytes.left());
  size_t length = newline != nullptr ? (size_t)((const uint8_t*)newline - bytes.at) : bytes.left();
  snprintf(file->interpreter, sizeof file->interpreter, "%.*s", (int)length, (const char*)bytes.at);
}

void read_elf(const char* path, ElfFile* file) {
  memset(file, 0, sizeof *file);
  struct stat status;
  if (stat(path, &status) != 0) return;
  file->exists = S_ISREG(status.st_mode);
  file->readable = file->exists && access(path, R_OK) == 0;
  if (!file->exists) return;
  Elf elf(path);
  read_script(elf.part(0, PATH_MAX), file);
  Bytes ident = elf.part(0, EI_NIDENT);
  if (ident.left() < EI_NIDENT || memcmp(ident.at, ELFMAG, SELFMAG) != 0) return;
  file->is_elf = 1;
  file->bits = ident.at[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  file->cut = elf.part(0, sizeof(Elf64_Ehdr)).left() < sizeof(Elf64_Ehdr);
  if (file->cut || ident.at[EI_DATA] != ELFDATA2LSB) return;
  file->machine = elf.header().e_machine; // lies where it does in files of 32 bits, as e_type does
  file->shared_object = elf.header().e_type == ET_DYN;
  if (!elf.valid()) return;
  read_segments(elf, file);
  read_symbols(elf, file);
}

int find_debug_information(const char* path, char* place) {
  Elf elf(path);
  snprintf(place, PATH_MAX, "%s", path);
  if (elf.valid() && elf.section(".debug_info").more()) return 1;
  // Where debuggers look: .debug/ beside the file, then by the number that the linker gave it.
  const char* slash = strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  snprintf(place, PATH_MAX, "%.*s.debug/%s.debug", (int)(name - path), path, name);
  if (access(place, R_OK) == 0) return 1;
  Bytes note = elf.valid() ? elf.section(".note.gnu.build-id") : Bytes{};
  note.skip(sizeof(Elf64_Nhdr) + sizeof "GNU");
  if (note.left() < 2) return 0;
  int length = snprintf(place, PATH_MAX, "/usr/lib/debug/.build-id/%02x/", note.get<uint8_t>());
  while (note.more() && length < PATH_MAX - 16) length += snprintf(place + length, 3, "%02x", note.get<uint8_t>());
  snprintf(place + length, sizeof ".debug", ".debug");
  return access(place, R_OK) == 0;
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
