// See places.h: which variable has an address, and which part of it.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/shipped/explore/debug_entries.h"
#include "tools/shipped/explore/places.h"

namespace explore {
namespace {

constexpr int kDeep = 32;

struct Name {
  char* text;
  size_t room;
  size_t used = 0;
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
    if (length > 0) used = used + static_cast<size_t>(length) < room ? used + static_cast<size_t>(length) : room - 1;
  }
};

// A type without its other names; `children`: of its entry.
Entry type_of(const Unit& unit, Value reference, Bytes* children) {
  Entry entry;
  for (int depth = 0; depth < kDeep && reference.form != 0; ++depth) {
    Bytes from = unit.at(reference);
    entry = unit.read(from);
    *children = from;
    bool other_name =
        entry.tag == kTypedef || entry.tag == kConstType || entry.tag == kVolatileType || entry.tag == kAtomicType;
    if (!other_name) return entry;
    reference = entry.type;
  }
  return Entry();
}

// Those of one entry, not their own children. Until `act` says true.
template <typename Act> void for_each_child(const Unit& unit, const Entry& of, Bytes from, Act act) {
  for (int depth = of.has_children ? 1 : 0; depth > 0 && from.more();) {
    Entry entry = unit.read(from);
    if (from.bad || (depth == 1 && entry.tag != 0 && act(entry))) return;
    depth += entry.tag == 0 ? -1 : entry.has_children ? 1 : 0;
  }
}

// How many elements the dimensions of an array have.
struct Dimensions {
  static constexpr int kMost = 7;
  uint64_t count[kMost];
  int ranges = 0;
};

Dimensions dimensions_of(const Unit& unit, const Entry& array, Bytes children) {
  Dimensions all;
  for_each_child(unit, array, children, [&](const Entry& range) {
    if (range.tag != kRange || all.ranges == Dimensions::kMost) return false;
    bool is_said = range.count.form != 0 || range.upper_bound.form != 0;
    all.count[all.ranges++] = range.count.form != 0 ? range.count.number : is_said ? range.upper_bound.number + 1 : 0;
    return false;
  });
  return all;
}

uint64_t size_of(const Unit& unit, const Value& reference, int depth = 0) {
  Bytes children;
  Entry type = type_of(unit, reference, &children);
  if (type.tag != kArray || depth == kDeep) return type.byte_size.number;
  uint64_t size = size_of(unit, type.type, depth + 1);
  Dimensions all = dimensions_of(unit, type, children);
  for (int i = 0; i < all.ranges; ++i) size *= all.count[i];
  return size;
}

// The part of a variable of that type that has so many bytes before it. What is a library's own is one.
void add_part(const Unit& unit, Value reference, uint64_t offset, Name* name) {
  for (int depth = 0; depth < kDeep; ++depth) {
    Bytes children;
    Entry type = type_of(unit, reference, &children);
    if (type.tag == kArray) {
      uint64_t size = size_of(unit, type.type), index[Dimensions::kMost];
      Dimensions all = dimensions_of(unit, type, children);
      if (size == 0 || all.ranges == 0) return;
      uint64_t element = offset / size;
      for (int i = all.ranges - 1; i > 0; --i) {
        if (all.count[i] == 0) return;
        index[i] = element % all.count[i];
        element /= all.count[i];
      }
      index[0] = element;
      for (int i = 0; i < all.ranges; ++i) name->add("[%llu]", static_cast<unsigned long long>(index[i]));
      offset %= size;
      reference = type.type;
      continue;
    }
    if (type.tag != kStructure && type.tag != kClass && type.tag != kUnion) return;
    Entry found;
    for_each_child(unit, type, children, [&](const Entry& each) {
      if (each.tag != kMember && each.tag != kBase) return false;
      bool is_static = each.tag == kMember && each.member_at.form == 0 && type.tag != kUnion;
      if (is_static || offset < each.member_at.number) return false;
      if (offset - each.member_at.number >= size_of(unit, each.type)) return false;
      found = each;
      return true;
    });
    const char* member = unit.plain_name_of(found);
    if (found.tag == 0 || member[0] == '_') return;
    if (member[0] != 0) name->add(".%s", member);
    offset -= found.member_at.number;
    reference = found.type;
  }
}

// What the linker knows stands in its scopes; a function's own stands in that.
void add_name(const Unit& unit, const Entry& entry, const Entry& declared, const Entry* function, Name* name) {
  char text[200];
  const char* linked = unit.name_of(entry);
  bool is_whole = function == nullptr && strncmp(linked, "_Z", 2) == 0;
  if (function != nullptr) {
    demangle(unit.name_of(*function), text, sizeof text);
    if (char* dot = strchr(text, '.')) *dot = 0; // of a region: main._omp_fn.0, main.omp_outlined
    if (text[0] != 0) name->add("%s::", text);
  }
  demangle(is_whole ? linked : unit.plain_name_of(declared), text, sizeof text);
  name->add("%s", text);
}

bool is_of_fortran(uint64_t language) {
  constexpr uint64_t kList[] = {0x07, 0x08, 0x0e, 0x22, 0x23};
  for (uint64_t each : kList)
    if (language == each) return true;
  return false;
}

// What declares it: a variable that is defined elsewhere has its name and type there.
Entry declaration_of(const Unit& unit, Entry entry) {
  for (int depth = 0; depth < kDeep && entry.type.form == 0; ++depth) {
    const Value& next = entry.specification.form != 0 ? entry.specification : entry.origin;
    if (next.form == 0) break;
    Bytes from = unit.at(next);
    entry = unit.read(from);
  }
  return entry;
}

bool name_in(const Unit& unit, uint64_t linked, Name* name) {
  if (is_of_fortran(unit.root().language.number)) return false; // elements are counted in another way there
  Entry scopes[kDeep];
  Bytes from = unit.entries();
  int depth = 0;
  do {
    Entry entry = unit.read(from);
    if (from.bad) return false;
    if (entry.tag == 0) {
      --depth;
      continue;
    }
    uint64_t address = entry.tag == kVariable ? unit.address_of_variable(entry) : 0;
    if (address != 0 && linked >= address) {
      Entry declared = declaration_of(unit, entry);
      if (linked - address < size_of(unit, declared.type)) {
        int scope = depth < kDeep ? depth : kDeep;
        while (scope > 0 && scopes[scope - 1].tag != kFunction) --scope;
        add_name(unit, entry, declared, scope > 0 ? &scopes[scope - 1] : nullptr, name);
        add_part(unit, declared.type, linked - address, name);
        return true;
      }
    }
    if (!entry.has_children) continue;
    if (depth < kDeep) scopes[depth] = entry;
    ++depth;
  } while (depth > 0 && from.more());
  return false;
}

} // namespace

bool variable_at(const char* path, uint64_t linked, char* text, size_t room) {
  Elf elf(path);
  Name name{text, room};
  return elf.valid() && for_each_unit(elf, [&](const Unit& unit) { return name_in(unit, linked, &name); });
}

} // namespace explore
