// What files of code say: ELF's segments, sections and symbols, DWARF's line numbers (versions 2 to 5). source_line.cpp
// reads lines with it, `chomp explore` also what was inlined, `chomp doctor` what a program asks for. It trusts no
// content of a file: the section bounds each read.
#pragma once

#include <algorithm>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chomp {

/// A stretch of a file, read from its beginning. Reads beyond the end give zeros and set `bad`.
struct Bytes {
  const uint8_t* at = nullptr;
  const uint8_t* end = nullptr;
  bool bad = false;

  size_t left() const { return static_cast<size_t>(end - at); }
  bool more() const { return !bad && at < end; }
  template <typename T> T get() {
    T value{};
    if (left() < sizeof(T)) {
      bad = true;
      at = end;
      return value;
    }
    memcpy(&value, at, sizeof(T));
    at += sizeof(T);
    return value;
  }
  void skip(uint64_t bytes) {
    if (bytes > left()) bad = true;
    at = bytes > left() ? end : at + bytes;
  }
  Bytes take(uint64_t bytes) {
    Bytes part{at, at + std::min(bytes, left())};
    skip(bytes);
    return part;
  }
  uint64_t leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; more(); shift += 7) {
      auto byte = get<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t signed_leb() {
    int64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (more() && (byte & 0x80) != 0) {
      byte = get<uint8_t>();
      if (shift < 64) value |= static_cast<int64_t>(static_cast<uint64_t>(byte & 0x7f) << shift);
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= -(int64_t{1} << shift);
    return value;
  }
  const char* text() {
    const auto* begin = reinterpret_cast<const char*>(at);
    const void* zero = memchr(at, 0, left());
    if (zero == nullptr) {
      bad = true;
      at = end;
      return "";
    }
    at = static_cast<const uint8_t*>(zero) + 1;
    return begin;
  }
  const char* text_at(uint64_t offset) const {
    Bytes from = *this;
    from.skip(offset);
    return from.text();
  }
};

inline void copy_text(char (&to)[256], const char* from) { snprintf(to, sizeof to, "%s", from); }

// ---- Files ----------------------------------------------------------------------------------------------------------

/// A file that is mapped to be read.
class MappedFile {
public:
  explicit MappedFile(const char* path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
      void* pages = mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (pages != MAP_FAILED) bytes_.at = static_cast<uint8_t*>(pages), size_ = static_cast<size_t>(facts.st_size);
    }
    close(file);
    bytes_.end = bytes_.at + size_;
  }
  ~MappedFile() {
    if (size_ != 0) munmap(const_cast<uint8_t*>(bytes_.at), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  Bytes all() const { return bytes_; }
  Bytes part(uint64_t offset, uint64_t size) const {
    Bytes from = bytes_;
    from.skip(offset);
    return from.take(size);
  }

private:
  Bytes bytes_;
  size_t size_ = 0;
};

/// The file that is mapped at the address, and which byte of it lies there. Called by one thread at a time.
bool find_module(uintptr_t address, char (&path)[256], uint64_t* file_offset);

// ---- ELF ------------------------------------------------------------------------------------------------------------

class Elf {
public:
  explicit Elf(const char* path) : file_(path) {
    Bytes all = file_.all();
    header_ = all.get<Elf64_Ehdr>();
    valid_ = !all.bad && memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64;
  }
  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }
  Bytes part(uint64_t offset, uint64_t size) const { return file_.part(offset, size); }
  Bytes segments() const { return part(header_.e_phoff, uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr)); }
  Elf64_Shdr section_header(unsigned index) const {
    return part(header_.e_shoff + uint64_t{index} * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr)).get<Elf64_Shdr>();
  }
  Bytes content(const Elf64_Shdr& section) const { return part(section.sh_offset, section.sh_size); }

  /// The address that the linker gave the byte at `offset` of the file.
  bool linked_address(uint64_t offset, uint64_t* address) const {
    for (Bytes table = segments(); table.more();) {
      auto segment = table.get<Elf64_Phdr>();
      if (segment.p_type != PT_LOAD || offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz)
        continue;
      *address = offset - segment.p_offset + segment.p_vaddr;
      return true;
    }
    return false;
  }

  /// Empty if there is none, or if it is compressed.
  Bytes section(const char* name, Elf64_Shdr* header = nullptr) const {
    Bytes texts = content(section_header(header_.e_shstrndx));
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr each = section_header(i);
      if (each.sh_type == SHT_NOBITS || (each.sh_flags & SHF_COMPRESSED) != 0) continue;
      if (strcmp(texts.text_at(each.sh_name), name) != 0) continue;
      if (header != nullptr) *header = each;
      return content(each);
    }
    return {};
  }

  /// The name of the symbol of that type (STT_FUNC, STT_OBJECT) that has the address, from one of the tables of
  /// symbols; null: none has.
  const char* symbol_at(uint64_t address, const char* table_name, unsigned type, Elf64_Sym* found) const {
    Elf64_Shdr header{};
    Bytes table = section(table_name, &header);
    Bytes texts = content(section_header(header.sh_link));
    while (table.more()) {
      *found = table.get<Elf64_Sym>();
      if (ELF64_ST_TYPE(found->st_info) != type || found->st_shndx == SHN_UNDEF) continue;
      if (address >= found->st_value && address - found->st_value < found->st_size)
        return texts.text_at(found->st_name);
    }
    return nullptr;
  }

private:
  MappedFile file_;
  Elf64_Ehdr header_{};
  bool valid_ = false;
};

// ---- DWARF ----------------------------------------------------------------------------------------------------------

/// The line-number program of one compilation unit (DWARF 5, 6.2).
class LineProgram {
public:
  LineProgram(Bytes unit, bool wide, Bytes strings, Bytes line_strings)
      : unit_(unit), wide_(wide), strings_(strings), line_strings_(line_strings) {}

  /// False: it cannot be read. Called before the others.
  bool read_header() {
    version_ = unit_.get<uint16_t>();
    if (version_ < 2 || version_ > 5) return false;
    if (version_ >= 5) unit_.skip(2); // sizes of addresses and segment selectors
    uint64_t length = offset_here(unit_);
    tables_ = unit_.take(length);
    least_length_ = tables_.get<uint8_t>();
    if (version_ >= 4) tables_.skip(1); // operations per instruction: for VLIW machines
    default_is_statement_ = tables_.get<uint8_t>() != 0;
    line_base_ = tables_.get<int8_t>();
    line_range_ = tables_.get<uint8_t>();
    opcode_base_ = tables_.get<uint8_t>();
    if (opcode_base_ == 0 || line_range_ == 0) return false;
    lengths_ = tables_.take(opcode_base_ - 1u);
    return !tables_.bad;
  }

  /// Whether the unit has the address. Called once.
  /// `is_entry`: a function begins at the address, perhaps with what is inlined into it; its own line comes first.
  /// `begins`: where the code of the line does.
  bool find(uint64_t address, bool is_entry, uint64_t* file, int* line, uint64_t* begins) {
    is_entry_ = is_entry;
    return run(address, file, line, begins);
  }

  /// The name of a source, maybe with folders, and the folder that it is in.
  struct Source {
    const char *name, *folder;
  };
  Source source(uint64_t number) { return version_ >= 5 ? source_5(number) : source_2(number); }

private:
  struct Row {
    uint64_t address = 0, file = 1;
    int64_t line = 1;
    bool is_statement = false; // it begins there
  };

  uint64_t offset_here(Bytes& from) { return wide_ ? from.get<uint64_t>() : from.get<uint32_t>(); }

  // A row covers the address if it is at or below the address, and the next row of the sequence is above. Where a row
  // names no line, the one before goes on. Where a function begins, GCC may have one more row, of the function before:
  // no statement begins with that.
  bool run(uint64_t address, uint64_t* file, int* line, uint64_t* begins) {
    Row row, before;
    row.is_statement = default_is_statement_;
    bool sequence_begun = false;
    auto covers = [&](bool end_of_sequence) {
      bool here = before.address <= address && address < row.address;
      bool begins_there = is_entry_ && before.address == address && before.is_statement;
      bool found = sequence_begun && (here || begins_there);
      if (found) *file = before.file, *line = static_cast<int>(before.line), *begins = before.address;
      bool names_no_line = row.line == 0 && sequence_begun && !end_of_sequence; // what the compiler added
      if (!names_no_line) before = row;
      sequence_begun = !end_of_sequence;
      return found;
    };
    for (Bytes& code = unit_; code.more();) {
      auto opcode = code.get<uint8_t>();
      if (opcode >= opcode_base_) { // special
        unsigned adjusted = opcode - opcode_base_;
        row.address += uint64_t{adjusted / line_range_} * least_length_;
        row.line += line_base_ + static_cast<int>(adjusted % line_range_);
        if (covers(false)) return true;
        continue;
      }
      switch (opcode) {
      case 0: { // extended
        Bytes arguments = code.take(code.leb());
        auto extended = arguments.get<uint8_t>();
        if (extended == 1) { // end_sequence
          if (covers(true)) return true;
          row = Row();
          row.is_statement = default_is_statement_;
        } else if (extended == 2) { // set_address
          row.address = arguments.get<uint64_t>();
        }
        break;
      }
      case 1: // copy
        if (covers(false)) return true;
        break;
      case 2: row.address += code.leb() * least_length_; break;                                    // advance_pc
      case 3: row.line += code.signed_leb(); break;                                                // advance_line
      case 4: row.file = code.leb(); break;                                                        // set_file
      case 6: row.is_statement = !row.is_statement; break;                                         // negate_stmt
      case 8: row.address += uint64_t{(255u - opcode_base_) / line_range_} * least_length_; break; // const_add_pc
      case 9: row.address += code.get<uint16_t>(); break;                                          // fixed_advance_pc
      default: { // not needed here, or of a later version; the header says how many arguments to skip
        Bytes lengths = lengths_;
        lengths.skip(opcode - 1u);
        for (auto arguments = lengths.get<uint8_t>(); arguments > 0; --arguments) code.leb();
      }
      }
    }
    return false;
  }

  Source source_2(uint64_t number) {
    Bytes tables = tables_;
    const Bytes folders = tables_;
    while (tables.more() && *tables.text() != 0) {
    }
    for (uint64_t i = 1; tables.more(); ++i) {
      const char* name = tables.text();
      if (*name == 0) break;
      uint64_t folder = tables.leb();
      tables.leb();
      tables.leb();
      if (i == number) return {name, nth_text(folders, folder)};
    }
    return {"", ""};
  }
  static const char* nth_text(Bytes texts, uint64_t number) { // from 1 on; 0 is where the compiler was called
    const char* text = "";
    for (uint64_t i = 0; i < number && texts.more(); ++i) text = texts.text();
    return text;
  }

  Source source_5(uint64_t number) {
    uint64_t folder = 0;
    const char* name = entry_5(1, number, &folder);
    return {name, entry_5(0, folder, nullptr)};
  }

  // Two tables, of folders (0) and of files (1): each has the form of an entry, then the entries.
  const char* entry_5(int wanted, uint64_t number, uint64_t* folder) {
    Bytes tables = tables_;
    const char* name = "";
    for (int table = 0; table <= wanted; ++table) {
      auto fields = tables.get<uint8_t>();
      Bytes form = tables;
      for (int i = 0; i < fields; ++i) tables.leb(), tables.leb();
      uint64_t entries = tables.leb();
      for (uint64_t i = 0; i < entries && tables.more(); ++i) {
        Bytes fields_here = form;
        for (int field = 0; field < fields; ++field) {
          uint64_t content = fields_here.leb(), value = 0;
          const char* text = read_form(tables, fields_here.leb(), &value);
          if (table != wanted || i != number) continue;
          if (content == 1) name = text; // DW_LNCT_path
          if (content == 2 && folder != nullptr) *folder = value;
        }
      }
    }
    return name;
  }

  // Skips a value; returns it, if it is a text, or a number.
  const char* read_form(Bytes& from, uint64_t form, uint64_t* value) {
    switch (form) {
    case 0x08: return from.text();                              // string
    case 0x0e: return strings_.text_at(offset_here(from));      // strp
    case 0x1f: return line_strings_.text_at(offset_here(from)); // line_strp
    case 0x0b: *value = from.get<uint8_t>(); break;             // data1
    case 0x05: *value = from.get<uint16_t>(); break;            // data2
    case 0x06: from.skip(4); break;                             // data4
    case 0x07: from.skip(8); break;                             // data8
    case 0x1e: from.skip(16); break;                            // data16
    case 0x0f: *value = from.leb(); break;                      // udata
    case 0x09: from.skip(from.leb()); break;                    // block
    default: from.bad = true;                                   // compilers use no other form here
    }
    return "";
  }

  Bytes unit_, tables_, lengths_;
  bool wide_, is_entry_ = false, default_is_statement_ = false;
  Bytes strings_, line_strings_;
  unsigned version_ = 0, least_length_ = 1, line_range_ = 1, opcode_base_ = 1;
  int8_t line_base_ = 0;
};

} // namespace chomp
