// Which line of source an address of a recorded process belongs to. binutils' or LLVM's addr2line knows; without one,
// or without debug information, the function or the place in the file is named.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tools/shipped/recording/recording.h"

namespace chomp::analyse {

struct Symbol {
  std::string function; // of the program, without what compilers add for outlined code; empty: not known
  std::string file;     // without its folder; empty: not known
  int line = 0;

  /// "fib.c:12"; without debug information "libgraph.so+0x69a890"; empty: not known.
  std::string place() const;
  /// "fib.c:12 fib"; without debug information the function first, "GB_unjumble libgraph.so+0x69a890".
  std::string text() const;
  /// The same in so many letters: the function and the end of the place, where the line or the address is.
  std::string text_within(size_t room) const;
};

class Symbols {
public:
  /// Asks for all `sites` (as RecordKind::kSite names them; 0 is left out) at once.
  Symbols(const recording::Recording& recording, const std::set<uint64_t>& sites);
  const Symbol& at(uint64_t site) const;

private:
  std::map<uint64_t, Symbol> symbols_;
};

} // namespace chomp::analyse
