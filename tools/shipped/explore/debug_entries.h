// The entries of DWARF (versions 4 and 5), one compilation unit at a time. places.cpp reads with it which functions
// were inlined where, variables.cpp what lies at an address.
#pragma once

#include <stdint.h>

#include "runtime/observe/debug_file.h"
#include "tools/laboratory/virtual/machine.h"

namespace explore {

using chomp::Bytes;
using chomp::Elf;
using virtual_machine::permanent;

enum Tag {
  kArray = 0x01,
  kClass = 0x02,
  kBlock = 0x0b,
  kMember = 0x0d,
  kUnit = 0x11,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kBase = 0x1c,
  kInlined = 0x1d,
  kRange = 0x21,
  kConstType = 0x26,
  kFunction = 0x2e,
  kVariable = 0x34,
  kVolatileType = 0x35,
  kAtomicType = 0x47
};
enum Attribute {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kLines = 0x10,
  kLow = 0x11,
  kHigh = 0x12,
  kLanguage = 0x13,
  kUpperBound = 0x2f,
  kOrigin = 0x31,
  kCount = 0x37,
  kMemberAt = 0x38,
  kSpecification = 0x47,
  kType = 0x49,
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
  kExpression,
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
  Value location, type, byte_size, upper_bound, count, member_at, language; // of variables and types
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
      Bytes from = at(next);
      entry = read(from);
    }
    return "";
  }

  /// Where the entry that a reference names begins.
  Bytes at(const Value& reference) const {
    Bytes from = all_;
    from.skip(reference.form == kReferenceAddress ? reference.number : at_ + reference.number);
    return from;
  }

  const char* plain_name_of(const Entry& entry) const { return entry.name.form != 0 ? text_of(entry.name) : ""; }

  /// Of a variable that has one as long as the program runs; 0: it has not.
  uint64_t address_of_variable(const Entry& entry) const {
    constexpr uint8_t kIsAt = 0x03, kIsAtIndex = 0xa1;
    if (entry.location.form != kExpression) return 0;
    const auto* begin = reinterpret_cast<const uint8_t*>(entry.location.text);
    Bytes from{begin, begin + entry.location.number};
    auto operation = from.get<uint8_t>();
    uint64_t address = operation == kIsAt        ? from.get<uint64_t>()
                       : operation == kIsAtIndex ? indexed_address(from.leb())
                                                 : 0;
    return from.bad || from.more() ? 0 : address;
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
    case kLocation: return &entry.location;
    case kType: return &entry.type;
    case kByteSize: return &entry.byte_size;
    case kUpperBound: return &entry.upper_bound;
    case kCount: return &entry.count;
    case kMemberAt: return &entry.member_at;
    case kLanguage: return &entry.language;
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
    case 0x09: from.skip(from.leb()); break;               // block
    case kExpression:                                      // exprloc: its bytes
      value.number = from.leb();
      value.text = reinterpret_cast<const char*>(from.at);
      from.skip(value.number);
      break;
    case 0x0a: from.skip(from.get<uint8_t>()); break; // block1
    case 0x05:                                        // data2
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

/// Calls `act(unit)` for each unit of a file until that says true; whether one did.
template <typename Act> bool for_each_unit(const Elf& elf, Act act) {
  Bytes all = elf.section(".debug_info"), rest = all;
  while (rest.more()) {
    uint64_t at = all.left() - rest.left(), length = rest.get<uint32_t>();
    bool wide = length == 0xffffffff;
    if (wide) length = rest.get<uint64_t>();
    Unit unit(elf, all, at, rest.take(length), wide);
    if (unit.read_header() && act(unit)) return true;
  }
  return false;
}

} // namespace explore
