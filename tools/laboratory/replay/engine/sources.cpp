#include "sources.h"

#include <fstream>
#include <sstream>

namespace chomp::simulate {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path + ": cannot be read");
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

} // namespace

Graph load(const std::vector<std::string>& sources, const RecordingCosts& overheads) {
  if (sources.empty()) throw Error("which recording?");
  const std::string& source = sources[0];
  if (source.rfind("fib:", 0) == 0 || source.rfind("flat:", 0) == 0) return make_synthetic(source);
  if (source.size() > 6 && source.compare(source.size() - 6, 6, ".graph") == 0) return read_text(slurp(source));
  return read_recordings(sources, overheads);
}

RecordingCosts read_overheads(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path + ": cannot be read");
  RecordingCosts costs;
  for (auto& row : costs.ns)
    for (double& ns : row) ns = -1;
  int from = 0, to = 0;
  for (double ns = 0; in >> from >> to >> ns;)
    if (from >= 0 && from < int{kRecordKinds} && to >= 0 && to < int{kRecordKinds}) costs.ns[from][to] = ns;
  costs.known = true;
  return costs;
}

} // namespace chomp::simulate
