// See symbols.h.
#include "tools/shipped/analyse/symbols.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "runtime/observe/debug_file.h"

namespace chomp::analyse {

using recording::Module;

std::string Symbol::place() const { return line > 0 ? file + ":" + std::to_string(line) : file; }

std::string Symbol::text() const {
  const std::string where = place();
  if (function.empty()) return where.empty() ? "unknown place" : where;
  return where.empty() ? function : line > 0 ? where + " " + function : function + " " + where;
}

std::string Symbol::text_within(size_t room) const {
  constexpr size_t kEnd = 12, kBeginning = 6; // of a place, of a function: less tells nothing
  const std::string whole = text(), where = place();
  if (whole.size() <= room) return whole;
  auto end_of = [](const std::string& text, size_t width) {
    return text.size() <= width ? text : ".." + text.substr(text.size() - (width - 2));
  };
  if (function.empty()) return end_of(whole, room);
  if (where.empty() || (line > 0 && where.size() + kBeginning <= room)) return whole.substr(0, room);
  const size_t left = std::min(room - 1, std::max(kEnd, room - std::min(room, function.size() + 1)));
  const std::string last = end_of(where, left);
  return function.substr(0, room - 1 - last.size()) + " " + last;
}

namespace {

/// The address in the file's own numbering, for the tools that read its tables.
uint64_t address_in_file(const Module& module, uint64_t address) {
  const uint64_t offset = address - module.low + module.offset;
  uint64_t linked = offset;
  Elf elf(module.path.c_str());
  if (elf.valid()) elf.linked_address(offset, &linked);
  return linked;
}

/// What a command prints for `input`; empty if it cannot be run.
std::string output_of(const std::vector<std::string>& command, const std::string& input) {
  std::FILE* words = std::tmpfile();
  int ends[2];
  if (words == nullptr || pipe(ends) != 0) return "";
  std::fwrite(input.data(), 1, input.size(), words);
  std::rewind(words);
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(words), 0);
    dup2(ends[1], 1);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, 2);
    close(ends[0]);
    close(ends[1]);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[1 << 16];
  for (ssize_t got; child > 0 && (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  std::fclose(words);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  return status == 0 ? text : "";
}

std::string ask(const std::string& path, const std::string& addresses) {
  for (const char* tool :
       {"addr2line", "llvm-addr2line", "llvm-addr2line-19", "llvm-addr2line-22", "llvm-addr2line-16"})
    if (std::string text = output_of({tool, "-a", "-i", "-f", "-C", "-e", path}, addresses); !text.empty()) return text;
  return "";
}

/// Compilers move the code of constructs into functions of their own; their names begin with the program's function.
std::string without_outlined(std::string name) {
  for (const char* mark : {".omp_outlined", "._omp_fn.", ".omp_task_entry", ".omp_task"})
    if (size_t at = name.find(mark); at != std::string::npos) name.resize(at);
  if (size_t parenthesis = name.find('('); parenthesis != std::string::npos && parenthesis > 0)
    name.resize(parenthesis);
  return name == "??" ? "" : name;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// What addr2line says of one address: for each function that is inlined there, innermost first, its name and the line.
using Answer = std::vector<std::pair<std::string, std::string>>;

std::vector<Answer> read_answers(std::istream& text) {
  std::vector<Answer> answers;
  for (std::string line, place; std::getline(text, line);) {
    if (line.compare(0, 2, "0x") == 0)
      answers.emplace_back();
    else if (!answers.empty() && std::getline(text, place))
      answers.back().emplace_back(line, place);
  }
  return answers;
}

void take_answer(const std::pair<std::string, std::string>& answer, Symbol& symbol) {
  auto [function, place] = answer;
  symbol.function = without_outlined(function);
  place = place.substr(0, place.find(" (discriminator"));
  size_t colon = place.rfind(':');
  if (place.compare(0, 2, "??") == 0 || colon == std::string::npos) return;
  symbol.line = std::atoi(place.c_str() + colon + 1);
  if (symbol.line > 0) symbol.file = base_name(place.substr(0, colon));
}

} // namespace

Symbols::Symbols(const recording::Recording& recording, const std::set<uint64_t>& sites) {
  symbols_[0] = Symbol{};
  std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> by_file; // site, address in the file
  for (uint64_t site : sites) {
    if (site == 0) continue;
    Symbol& symbol = symbols_[site];
    const uint64_t code = (site & kRecordEntry) != 0 ? site & ~kRecordEntry : site - 1; // or the call itself
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(code));
    symbol.file = text;
    for (const Module& module : recording.modules) {
      if (code < module.low || code >= module.high) continue;
      uint64_t address = address_in_file(module, code);
      std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(address));
      symbol.file = base_name(module.path) + text;
      by_file[module.path].emplace_back(site, address);
      break;
    }
  }
  for (auto& [path, list] : by_file) {
    std::ostringstream addresses;
    for (auto [site, address] : list) addresses << "0x" << std::hex << address << "\n";
    std::istringstream text(ask(path, addresses.str()));
    std::vector<Answer> answers = read_answers(text);
    for (size_t i = 0; i < answers.size() && i < list.size(); ++i) {
      uint64_t site = list[i].first;
      if (answers[i].empty()) continue;
      // A function may begin with what is inlined into it.
      take_answer((site & kRecordEntry) != 0 ? answers[i].back() : answers[i].front(), symbols_[site]);
    }
  }
}

const Symbol& Symbols::at(uint64_t site) const {
  auto found = symbols_.find(site);
  return found != symbols_.end() ? found->second : symbols_.at(0);
}

} // namespace chomp::analyse
