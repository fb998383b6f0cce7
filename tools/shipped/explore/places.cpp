// See places.h. Reads the entries of DWARF (versions 4 and 5) that say which functions were inlined where.
#include "tools/shipped/explore/places.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "tools/shipped/explore/debug_entries.h"

namespace explore {
namespace {

using chomp::Bytes;
using chomp::Elf;

/// The functions that have an address, from the outside in.
struct Chain {
  static constexpr int kMost = 24;
  Entry entries[kMost];
  int count = 0;
};

void find_functions(const Unit& unit, uint64_t address, Chain* chain) {
  Bytes from = unit.entries();
  int depth = 0, left_out = INT32_MAX; // what lies deeper does not have the address
  do {
    Entry entry = unit.read(from);
    if (from.bad) return;
    if (entry.tag == 0) {
      --depth;
      if (depth <= left_out) left_out = INT32_MAX;
      continue;
    }
    bool is_inner = entry.tag == kInlined || entry.tag == kBlock;
    if (entry.tag == kFunction || (is_inner && left_out == INT32_MAX)) {
      bool has = unit.has(entry, address);
      if (!has && entry.has_children && left_out == INT32_MAX) left_out = depth;
      if (has && entry.tag == kFunction)
        chain->count = 0, left_out = INT32_MAX; // GCC's of a region stand within others
      if (has && entry.tag != kBlock && chain->count < Chain::kMost) chain->entries[chain->count++] = entry;
    }
    if (entry.has_children) ++depth;
  } while (depth > 0 && from.more());
}

bool is_of_system(const chomp::LineProgram::Source& source) {
  const char* path = source.name[0] == '/' ? source.name : source.folder;
  static const char* const parts[] = {"/usr/include", "/usr/lib", "/usr/local/include", "include/c++/", "lib/gcc/"};
  for (const char* part : parts)
    if (strstr(path, part) != nullptr) return true;
  return false;
}

void fill(SourcePlace* place, const chomp::LineProgram::Source& source, int line, const char* function) {
  const char* slash = strrchr(source.name, '/');
  snprintf(place->file, sizeof place->file, "%s", slash != nullptr ? slash + 1 : source.name);
  place->line = line;
  place->of_system = is_of_system(source);
  demangle(function, place->function, sizeof place->function);
}

// The places of one unit, if it has the address.
int places_in(const Elf& elf, const Unit& unit, uint64_t address, SourcePlace* list, int most) {
  Bytes lines = elf.section(".debug_line");
  lines.skip(unit.root().lines.number);
  uint64_t length = lines.get<uint32_t>();
  bool wide = length == 0xffffffff;
  if (wide) length = lines.get<uint64_t>();
  chomp::LineProgram program(lines.take(length), wide, elf.section(".debug_str"), elf.section(".debug_line_str"));
  uint64_t file = 0, begins = 0;
  int line = 0;
  if (!program.read_header() || !program.find(address, false, &file, &line, &begins)) return 0;
  static Chain chain;
  chain.count = 0;
  find_functions(unit, address, &chain);
  int count = 0;
  for (int i = chain.count - 1; i >= 0 && count < most; --i) {
    const Entry& entry = chain.entries[i];
    fill(&list[count++], program.source(file), line, unit.name_of(entry));
    if (entry.tag != kInlined) break;
    file = entry.call_file.number;
    line = static_cast<int>(entry.call_line.number);
  }
  if (count == 0) fill(&list[count++], program.source(file), line, "");
  return count;
}

} // namespace

int source_places(const void* pc, SourcePlace* list, int most) {
  auto address = reinterpret_cast<uintptr_t>(pc) - 1; // the call ends there
  char path[256];
  uint64_t offset = 0, linked = 0;
  if (pc == nullptr || most == 0 || !chomp::find_module(address, path, &offset)) return 0;
  Elf elf(path);
  if (!elf.valid() || !elf.linked_address(offset, &linked)) return 0;
  int count = 0;
  for_each_unit(elf, [&](const Unit& unit) {
    if (unit.has(unit.root(), linked)) count = places_in(elf, unit, linked, list, most);
    return count != 0;
  });
  return count;
}

bool user_place(const Place& where, UserPlace* found) {
  constexpr int kMost = 24, kDeep = 64;
  static SourcePlace list[kMost];
  Place at = where;
  *found = UserPlace{};
  for (int depth = 0; depth < kDeep && at.pc != nullptr; ++depth) {
    int count = whose(at.pc) == Whose::kProgram ? source_places(at.pc, list, kMost) : 0;
    for (int i = 0; i < count; ++i) {
      if (found->deepest.file[0] == 0 && list[i].of_system) found->deepest = list[i];
      if (list[i].of_system || list[i].file[0] == 0) {
        snprintf(found->through, sizeof found->through, "%s", list[i].function);
        continue;
      }
      found->place = list[i];
      found->pc = at.pc;
      return true;
    }
    CallSite caller = call_site(at.calls);
    at = {caller.pc, caller.outer};
  }
  return false;
}

static bool ends_with(const char* text, size_t length, const char* end) {
  size_t wanted = strlen(end);
  return length >= wanted && memcmp(text + length - wanted, end, wanted) == 0;
}

// As programs call it: without the arguments of templates and functions, and what templates return. `has_type`: a blank
// may end a type.
static void shorten(const char* whole, bool has_type, char* text, size_t room) {
  size_t used = 0;
  int depth = 0; // within the arguments of templates, which are left out as those of functions are
  for (const char* at = whole; *at != 0 && used + 1 < room; ++at) {
    static constexpr char kInline[] = "__cxx11::", kString[] = "basic_string<char,";
    static constexpr char kUnnamed[] = "(anonymous namespace)";
    if (strncmp(at, kInline, sizeof kInline - 1) == 0) at += sizeof kInline - 1;
    if (depth == 0 && strncmp(at, kString, sizeof kString - 1) == 0) at += strlen("basic_"); // as programs call it
    bool is_operator = ends_with(text, used, "operator");
    if (is_operator) has_type = false;
    if (depth == 0 && strncmp(at, kUnnamed, sizeof kUnnamed - 1) == 0 && used + sizeof kUnnamed < room) {
      memcpy(text + used, kUnnamed, sizeof kUnnamed - 1);
      used += sizeof kUnnamed - 1;
      at += sizeof kUnnamed - 2;
      continue;
    }
    if (depth == 0 && *at == '(' && !is_operator) break;
    if (*at == '<' && !is_operator && !ends_with(text, used, "operator<")) ++depth;
    if (depth == 0) text[used++] = *at;
    if (*at == ' ' && depth == 0 && has_type) used = 0; // what a template returns stands before its name
    if (*at == '>' && depth > 0) --depth;
  }
  if (used > 0 && text[used - 1] == ' ') --used; // operator<< <...>
  text[used] = 0;
}

// Where no library of C++ is there to ask: the names alone, each of which has its length before it.
static void join_names(const char* mangled, char* text, size_t room) {
  size_t used = 0;
  for (const char* at = mangled; *at != 0;) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    char* name = nullptr;
    size_t length = strtoul(at, &name, 10);
    if (length > strlen(name)) return;
    int more = snprintf(text + used, room - used, "%s%.*s", used > 0 ? "::" : "", static_cast<int>(length), name);
    if (more < 0 || used + static_cast<size_t>(more) >= room) return;
    used += static_cast<size_t>(more);
    at = name + length;
  }
}

void demangle(const char* name, char* text, size_t room) {
  using Demangle = char*(const char*, char*, size_t*, int*);
  static auto* in_libstdcxx = reinterpret_cast<Demangle*>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  snprintf(text, room, "%s", name);
  if (strncmp(name, "__", 2) == 0) { // gfortran: __module_MOD_name
    const char* middle = strstr(name, "_MOD_");
    if (middle != nullptr) snprintf(text, room, "%.*s::%s", static_cast<int>(middle - name - 2), name + 2, middle + 5);
    return;
  }
  if (strncmp(name, "_Z", 2) != 0) return;
  if (in_libstdcxx == nullptr) return join_names(name, text, room);
  int status = 0;
  char* whole = in_libstdcxx(name, nullptr, nullptr, &status);
  if (whole == nullptr) return;
  bool is_special = strncmp(name, "_ZT", 3) == 0 || strncmp(name, "_ZG", 3) == 0; // "vtable for ..."
  shorten(whole, !is_special, text, room);
  free(whole);
}

} // namespace explore
