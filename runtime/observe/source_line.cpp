// Reads /proc/self/maps, and what files say (debug_file.h). See source_line.h.
#include "runtime/observe/source_line.h"

#include <stdlib.h>

#include "runtime/base/cacheline.h"
#include "runtime/observe/debug_file.h"

namespace chomp {

// From /proc/self/maps.
bool find_module(uintptr_t address, char (&path)[256], uint64_t* file_offset) {
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  CHOMP_LARGE static char buffer[16384]; // one caller at a time
  size_t have = 0;
  bool found = false;
  for (ssize_t got; !found && (got = read(maps, buffer + have, sizeof buffer - 1 - have)) > 0;) {
    have += static_cast<size_t>(got);
    buffer[have] = 0;
    char* line = buffer;
    for (char* newline; !found && (newline = strchr(line, '\n')) != nullptr; line = newline + 1) {
      *newline = 0;
      unsigned long low = 0, high = 0, offset = 0;
      int name = 0;
      if (sscanf(line, "%lx-%lx %*4s %lx %*s %*s %n", &low, &high, &offset, &name) < 3 || name == 0) continue;
      if (address < low || address >= high || line[name] != '/') continue;
      copy_text(path, line + name);
      *file_offset = address - low + offset;
      found = true;
    }
    have -= static_cast<size_t>(line - buffer);
    memmove(buffer, line, have);
    if (have == sizeof buffer - 1) have = 0; // a line longer than any path
  }
  close(maps);
  return found;
}

namespace {

void find_line(const Elf& elf, uint64_t address, bool is_entry, SourceLine* found) {
  Bytes units = elf.section(".debug_line");
  Bytes strings = elf.section(".debug_str"), line_strings = elf.section(".debug_line_str");
  while (units.more()) {
    uint64_t length = units.get<uint32_t>();
    bool wide = length == 0xffffffff;
    if (wide) length = units.get<uint64_t>();
    LineProgram program(units.take(length), wide, strings, line_strings);
    uint64_t file = 0, begins = 0;
    if (!program.read_header() || !program.find(address, is_entry, &file, &found->line, &begins)) continue;
    found->bytes_before = address - begins;
    copy_text(found->file, program.source(file).name);
    break;
  }
  if (const char* slash = strrchr(found->file, '/')) memmove(found->file, slash + 1, strlen(slash));
}

} // namespace

SourceLine source_line(uintptr_t address, bool is_entry) {
  SourceLine found;
  uint64_t offset = 0;
  uintptr_t inside = is_entry ? address : address - 1; // the call instruction ends at the return address
  if (address == 0 || !find_module(inside, found.module, &offset)) return found;
  found.offset = offset;
  Elf elf(found.module);
  if (!elf.valid() || !elf.linked_address(offset, &found.offset)) return found;
  Elf64_Sym symbol;
  const char* function = elf.symbol_at(found.offset, ".symtab", STT_FUNC, &symbol);
  if (function == nullptr) function = elf.symbol_at(found.offset, ".dynsym", STT_FUNC, &symbol);
  if (function != nullptr) copy_text(found.function, function);
  find_line(elf, found.offset, is_entry, &found);
  return found;
}

} // namespace chomp
