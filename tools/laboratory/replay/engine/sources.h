// Where graphs come from, by the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace chomp::simulate {

/// SOURCE is a recording, FILE.graph (text), or fib:N[,NS], flat:N[,NS]. Several recordings of one program: the
/// shortest times count. Throws Error.
Graph load(const std::vector<std::string>& sources, const RecordingCosts& overheads);

/// Lines of "kind kind ns", as `chomp-simulate gaps` prints them.
RecordingCosts read_overheads(const std::string& path);

} // namespace chomp::simulate
