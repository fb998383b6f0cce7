// See places.h. Reads the entries of DWARF (versions 4 and 5) that say which functions were inlined where.
#include "tools/shipped/explore/places.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "runtime/observe/debug_file.h"

namespace explore {
namespace {

using chomp::Bytes;
using chomp::Elf;
using virtual_machine::permanent;

enum Tag { kBlock = 0x0b, kUnit = 0x11, kInlined = 0x1d, kFunction = 0x2e };
enum Attribute {
  kName = 0x03,
  kLines = 0x10,
  kLow = 0x11,
  kHigh = 0x12,
  kOrigin = 0x31,
  kSpecification = 0x47,
  kRanges = 0x55,
  kCallFile = 0x58,
  kCallLine = 0x59,
  kLinkageName = 0x6e,
  kTextsBase = 0x72,
  kAddressesBase = 0x73,
  kRangesBase = 0x74
};
enum Form {
  kAddress = 0x01,
  kText = 0x08,
  kTextAt = 0x0e,
  kReferenceAddress = 0x10,
  kReference1,
  kReference2,
  kReference4,
  kReference8,
  kReferenceLeb,
  kSectionOffset = 0x17,
  kTextIndex = 0x1a,
  kAddressIndex = 0x1b,
  kLineTextAt = 0x1f,
  kConstant = 0x21,
  kRangesIndex = 0x23,
  kTextIndex1 = 0x25,
  kAddressIndex1 = 0x29
};

/// The value of an attribute, as the file has it.
struct Value {
  uint64_t form = 0; // 0: there is none
  uint64_t number = 0;
  const char* text = "";
};

struct Entry {
  uint64_t tag = 0; // 0: the end of a list
  bool has_children = false;
  Value name, linkage_name, origin, specification, low, high, ranges, lines, call_file, call_line;
  Value texts_base, addresses_base, ranges_base;
};

struct Abbreviation {
  uint64_t tag = 0;
  bool has_children = false;
  Bytes attributes;
};

/// One compilation unit of .debug_info.
class Unit {
public:
  Unit(const Elf& elf, Bytes all, uint64_t at, Bytes after_length, bool wide)
      : elf_(elf), all_(all), at_(at), entries_(after_length), wide_(wide) {}

  bool read_header() {
    version_ = entries_.get<uint16_t>();
    if (version_ < 4 || version_ > 5) return false;
    uint64_t abbreviations;
    if (version_ >= 5) {
      auto type = entries_.get<uint8_t>();
      entries_.skip(1); // size of addresses
      abbreviations = offset(entries_);
      if (type != 1) return false; // not a full unit
    } else {
      abbreviations = offset(entries_);
      entries_.skip(1);
    }
    read_abbreviations(abbreviations);
    Bytes begin = entries_;
    root_ = read(begin);
    return root_.tag == kUnit && !begin.bad;
  }

  const Entry& root() const { return root_; }
  Bytes entries() const { return entries_; }

  Entry read(Bytes& from) const {
    Entry entry;
    uint64_t code = from.leb();
    if (code == 0 || code >= abbreviation_count_) return entry;
    const Abbreviation& form = abbreviations_[code];
    entry.tag = form.tag;
    entry.has_children = form.has_children;
    Bytes attributes = form.attributes;
    for (;;) {
      uint64_t attribute = attributes.leb(), kind = attributes.leb();
      int64_t constant = kind == kConstant ? attributes.signed_leb() : 0;
      if (attribute == 0 && kind == 0) return entry;
      Value value = read_value(from, kind, constant);
      if (from.bad) return Entry();
      if (Value* place = of(entry, attribute)) *place = value;
    }
  }

  bool has(const Entry& entry, uint64_t address) const {
    if (entry.ranges.form != 0) return in_ranges(entry, address);
    if (entry.low.form == 0 || entry.high.form == 0) return false;
    uint64_t low = address_of(entry.low);
    uint64_t high = is_address(entry.high) ? address_of(entry.high) : low + entry.high.number;
    return address >= low && address < high;
  }

  /// The function's name, as the linker knows it if that is said.
  const char* name_of(Entry entry) const {
    for (int depth = 0; depth < 5; ++depth) {
      if (entry.linkage_name.form != 0) return text_of(entry.linkage_name);
      const Value& next = entry.origin.form != 0 ? entry.origin : entry.specification;
      if (entry.name.form != 0 && entry.specification.form == 0) return text_of(entry.name);
      if (next.form == 0) return "";
      Bytes from = all_;
      from.skip(next.form == kReferenceAddress ? next.number : at_ + next.number);
      entry = read(from);
    }
    return "";
  }

private:
  uint64_t offset(Bytes& from) const { return wide_ ? from.get<uint64_t>() : from.get<uint32_t>(); }

  void read_abbreviations(uint64_t at) {
    Bytes table = elf_.section(".debug_abbrev");
    table.skip(at);
    for (int pass = 0; pass < 2; ++pass) { // counts them first
      Bytes from = table;
      while (from.more()) {
        uint64_t code = from.leb();
        if (code == 0) break;
        Abbreviation each;
        each.tag = from.leb();
        each.has_children = from.get<uint8_t>() != 0;
        each.attributes = from;
        for (uint64_t attribute = 1, form = 1; from.more() && (attribute != 0 || form != 0);) {
          attribute = from.leb();
          form = from.leb();
          if (form == kConstant) from.signed_leb();
        }
        if (pass == 0 && code >= abbreviation_count_ && code < (1 << 20)) abbreviation_count_ = code + 1;
        if (pass == 1 && code < abbreviation_count_) abbreviations_[code] = each;
      }
      if (pass == 0) abbreviations_ = static_cast<Abbreviation*>(permanent(abbreviation_count_ * sizeof(Abbreviation)));
    }
  }

  static Value* of(Entry& entry, uint64_t attribute) {
    switch (attribute) {
    case kName: return &entry.name;
    case kLinkageName: return &entry.linkage_name;
    case kOrigin: return &entry.origin;
    case kSpecification: return &entry.specification;
    case kLow: return &entry.low;
    case kHigh: return &entry.high;
    case kRanges: return &entry.ranges;
    case kLines: return &entry.lines;
    case kCallFile: return &entry.call_file;
    case kCallLine: return &entry.call_line;
    case kTextsBase: return &entry.texts_base;
    case kAddressesBase: return &entry.addresses_base;
    case kRangesBase: return &entry.ranges_base;
    default: return nullptr;
    }
  }

  Value read_value(Bytes& from, uint64_t form, int64_t constant) const {
    Value value;
    value.form = form;
    switch (form) {
    case kAddress:
    case 0x07: // data8
    case kReference8:
    case 0x20: value.number = from.get<uint64_t>(); break; // ref_sig8
    case 0x03: from.skip(from.get<uint16_t>()); break;     // block2
    case 0x04: from.skip(from.get<uint32_t>()); break;     // block4
    case 0x09:                                             // block
    case 0x18: from.skip(from.leb()); break;               // exprloc
    case 0x0a: from.skip(from.get<uint8_t>()); break;      // block1
    case 0x05:                                             // data2
    case kReference2:
    case 0x26:                                             // strx2
    case 0x2a: value.number = from.get<uint16_t>(); break; // addrx2
    case 0x06:                                             // data4
    case kReference4:
    case 0x28:                                             // strx4
    case 0x2c: value.number = from.get<uint32_t>(); break; // addrx4
    case 0x27:                                             // strx3
    case 0x2b:                                             // addrx3
      value.number = from.get<uint16_t>();
      value.number |= uint64_t{from.get<uint8_t>()} << 16;
      break;
    case 0x0b: // data1
    case 0x0c: // flag
    case kReference1:
    case kTextIndex1:
    case kAddressIndex1: value.number = from.get<uint8_t>(); break;
    case kText: value.text = from.text(); break;
    case 0x0d: value.number = static_cast<uint64_t>(from.signed_leb()); break; // sdata
    case kTextAt:
    case kLineTextAt:
    case kReferenceAddress:
    case kSectionOffset: value.number = offset(from); break;
    case 0x0f: // udata
    case kReferenceLeb:
    case kTextIndex:
    case kAddressIndex:
    case 0x22: // loclistx
    case kRangesIndex: value.number = from.leb(); break;
    case 0x19: break;                // flag_present
    case 0x1e: from.skip(16); break; // data16
    case kConstant: value.number = static_cast<uint64_t>(constant); break;
    default: from.bad = true; // of another file
    }
    return value;
  }

  static bool is_address(const Value& value) {
    return value.form == kAddress || value.form == kAddressIndex ||
           (value.form >= kAddressIndex1 && value.form < kAddressIndex1 + 4);
  }
  uint64_t indexed_address(uint64_t index) const {
    Bytes from = elf_.section(".debug_addr");
    from.skip(root_.addresses_base.number + index * 8);
    return from.get<uint64_t>();
  }
  uint64_t address_of(const Value& value) const {
    return value.form == kAddress ? value.number : indexed_address(value.number);
  }

  const char* text_of(const Value& value) const {
    switch (value.form) {
    case kText: return value.text;
    case kTextAt: return elf_.section(".debug_str").text_at(value.number);
    case kLineTextAt: return elf_.section(".debug_line_str").text_at(value.number);
    default: break;
    }
    Bytes offsets = elf_.section(".debug_str_offsets");
    offsets.skip(root_.texts_base.number + value.number * (wide_ ? 8 : 4));
    return elf_.section(".debug_str").text_at(offset(offsets));
  }

  bool in_ranges(const Entry& entry, uint64_t address) const {
    uint64_t base = root_.low.form != 0 ? address_of(root_.low) : 0;
    if (version_ < 5) {
      Bytes from = elf_.section(".debug_ranges");
      from.skip(entry.ranges.number);
      while (from.more()) {
        auto low = from.get<uint64_t>(), high = from.get<uint64_t>();
        if (low == 0 && high == 0) return false;
        if (low == ~uint64_t{0})
          base = high;
        else if (address >= base + low && address < base + high)
          return true;
      }
      return false;
    }
    Bytes all = elf_.section(".debug_rnglists"), from = all;
    uint64_t at = entry.ranges.number;
    if (entry.ranges.form == kRangesIndex) {
      from.skip(root_.ranges_base.number + at * (wide_ ? 8 : 4));
      at = root_.ranges_base.number + offset(from);
    }
    from = all;
    from.skip(at);
    while (from.more()) {
      uint64_t low = 0, high = 0;
      switch (from.get<uint8_t>()) {
      case 1: base = indexed_address(from.leb()); continue;
      case 2: low = indexed_address(from.leb()), high = indexed_address(from.leb()); break;
      case 3: low = indexed_address(from.leb()), high = low + from.leb(); break;
      case 4: low = base + from.leb(), high = base + from.leb(); break;
      case 5: base = from.get<uint64_t>(); continue;
      case 6: low = from.get<uint64_t>(), high = from.get<uint64_t>(); break;
      case 7: low = from.get<uint64_t>(), high = low + from.leb(); break;
      default: return false;
      }
      if (address >= low && address < high) return true;
    }
    return false;
  }

  const Elf& elf_;
  Bytes all_;
  uint64_t at_; // of this unit in .debug_info
  Bytes entries_;
  bool wide_;
  unsigned version_ = 0;
  Abbreviation* abbreviations_ = nullptr;
  uint64_t abbreviation_count_ = 1;
  Entry root_;
};

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
  Bytes all = elf.section(".debug_info"), rest = all;
  while (rest.more()) {
    uint64_t at = all.left() - rest.left(), length = rest.get<uint32_t>();
    bool wide = length == 0xffffffff;
    if (wide) length = rest.get<uint64_t>();
    Bytes part = rest.take(length);
    Unit unit(elf, all, at, part, wide);
    if (!unit.read_header() || !unit.has(unit.root(), linked)) continue;
    if (int count = places_in(elf, unit, linked, list, most)) return count;
  }
  return 0;
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

void demangle(const char* name, char* text, size_t room) {
  using Demangle = char*(const char*, char*, size_t*, int*);
  static auto* in_libstdcxx = reinterpret_cast<Demangle*>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  snprintf(text, room, "%s", name);
  if (strncmp(name, "__", 2) == 0) { // gfortran: __module_MOD_name
    const char* middle = strstr(name, "_MOD_");
    if (middle != nullptr) snprintf(text, room, "%.*s::%s", static_cast<int>(middle - name - 2), name + 2, middle + 5);
    return;
  }
  if (strncmp(name, "_Z", 2) != 0 || in_libstdcxx == nullptr) return;
  int status = 0;
  char* whole = in_libstdcxx(name, nullptr, nullptr, &status);
  if (whole == nullptr) return;
  bool is_special = strncmp(name, "_ZT", 3) == 0 || strncmp(name, "_ZG", 3) == 0; // "vtable for ..."
  shorten(whole, !is_special, text, room);
  free(whole);
}

} // namespace explore
