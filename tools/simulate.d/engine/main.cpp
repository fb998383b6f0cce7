// chomp-simulate: the engine behind tools/simulate. Writes JSON to standard output.
//
//   chomp-simulate run SOURCE [--machine 4x8]… [--scheduler NAME]… [--cost NAME=NS]… [--overheads FILE] [--seed N]
//                      [--also RECORDING]…   of the same program, to take the shortest times
//   chomp-simulate dump SOURCE        the graph as text
//   chomp-simulate convert SOURCE F   as a recording
//   chomp-simulate gaps F…            mean times between events, for calibration
//   chomp-simulate policies          what --scheduler takes: names and aliases
//   chomp-simulate policies NAME…    fails if it does not take one of them
//
// SOURCE is a recording, FILE.graph (text), or fib:N[,NS], flat:N[,NS].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "simulation.h"

using namespace chomp;
using namespace chomp::simulate;

namespace {

struct Options {
  std::vector<std::pair<int, int>> machines;
  std::vector<const Policy*> policies;
  Costs costs;
  RecordingCosts overheads;
  uint64_t seed = 1;
  std::vector<std::string> more; // recordings of the same program
};

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path + ": cannot be read");
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

Graph load(const std::vector<std::string>& sources, const RecordingCosts& overheads) {
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

// All schedulers but those without a policy here; it says which these are.
std::vector<Replayable> those_known() {
  std::vector<Replayable> known;
  for (const Replayable& each : all_schedulers())
    if (each.policy != nullptr)
      known.push_back(each);
    else
      std::fprintf(stderr, "%s; it is left out\n", cannot_replay(each.name).c_str());
  return known;
}

Options parse(int count, char** words) {
  Options options;
  for (int i = 0; i < count; ++i) {
    std::string word = words[i];
    if (i + 1 == count) throw Error(word + " needs a value");
    std::string value = words[++i];
    if (word == "--machine") {
      int domains = 0, cores = 0;
      char rest = 0;
      if (std::sscanf(value.c_str(), "%dx%d%c", &domains, &cores, &rest) != 2 || domains < 1 || cores < 1 ||
          domains > 65535 || cores > 65535)
        throw Error("\"" + value + "\" is no machine: expected SOCKETSxCORES, as in 4x8");
      options.machines.emplace_back(domains, cores);
    } else if (word == "--scheduler") {
      if (value == "all")
        for (const Replayable& each : those_known()) options.policies.push_back(each.policy);
      else
        options.policies.push_back(&policy_of(value));
    } else if (word == "--cost") {
      size_t equals = value.find('=');
      if (equals == std::string::npos) throw Error("--cost wants NAME=NS");
      options.costs.set(value.substr(0, equals), std::atof(value.c_str() + equals + 1));
    } else if (word == "--overheads") {
      options.overheads = read_overheads(value);
    } else if (word == "--also") {
      options.more.push_back(value);
    } else if (word == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else {
      throw Error("unknown option " + word);
    }
  }
  if (options.machines.empty()) options.machines.emplace_back(1, 1);
  if (options.policies.empty()) options.policies.push_back(&kPolicies[0]);
  return options;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result + "\"";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_result(const Graph& graph, const Machine& machine, const Policy& policy, const char* separator) {
  auto start = std::chrono::steady_clock::now();
  Result result = chomp::simulate::simulate(graph, machine, policy);
  const Counters& c = result.counters;
  auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%s\n  {\"scheduler\": \"%s\", \"machine\": \"%dx%d\", \"domains\": %d, \"cores\": %d, \"time_ns\": %.1f, "
      "\"computed_ns\": %.1f, \"moved_ns\": %.1f, \"overhead_ns\": %.1f, \"idle_ns\": %.1f,\n",
      separator, policy.name, machine.domains, machine.cores, machine.domains, machine.size(), to_ns(result.time),
      to_ns(result.computed), to_ns(result.moved), to_ns(result.overhead), to_ns(result.idle));
  std::printf(
      "   \"created\": %llu, \"run\": %llu, \"run_inline\": %llu, \"published\": %llu, \"acquired_local\": %llu, "
      "\"stolen_operations\": %llu, \"stolen_tasks\": %llu, \"stolen_far\": %llu, \"failed_steals\": %llu, "
      "\"revocations\": %llu, \"revoked_tasks\": %llu, \"run_on_other_domain\": %llu, \"parks\": %llu, "
      "\"wakes\": %llu, \"deepest_nesting\": %u, \"seconds_simulating\": %.3f}",
      number(c.created), number(c.run), number(c.run_inline), number(c.published), number(c.acquired_local),
      number(c.stolen_operations), number(c.stolen_tasks), number(c.stolen_far), number(c.failed_steals),
      number(c.revocations), number(c.revoked_tasks), number(c.run_on_other_domain), number(c.parks), number(c.wakes),
      c.deepest_nesting, seconds_since(start));
}

void run(const std::string& source, const Options& options) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::string> sources{source};
  sources.insert(sources.end(), options.more.begin(), options.more.end());
  Graph graph = load(sources, options.overheads);
  Analysis analysis = analyse(graph);
  std::printf("{\"program\": %s, \"recorded_under\": %s, \"recorded_threads\": %d, \"regions\": %zu, \"tasks\": %llu,\n"
              " \"outside_ns\": %.1f, \"work_ns\": %.1f, \"span_ns\": %.1f, \"parallelism\": %.3f, \"deepest\": %u, "
              "\"seconds_reading\": %.3f,\n \"results\": [",
              quoted(graph.program).c_str(), quoted(graph.scheduler).c_str(), graph.workers_recorded,
              graph.regions.size(), static_cast<unsigned long long>(analysis.tasks), to_ns(graph.outside),
              to_ns(analysis.work), to_ns(analysis.span), analysis.parallelism(), analysis.deepest,
              seconds_since(start));
  const char* separator = "";
  for (auto [domains, cores] : options.machines)
    for (const Policy* policy : options.policies) {
      print_result(graph, Machine{domains, cores, options.costs, options.seed}, *policy, separator);
      separator = ",";
      std::fflush(stdout);
    }
  std::printf("\n]}\n");
}

int perform(int count, char** words) {
  std::string command = count > 1 ? words[1] : "";
  if (command == "policies") {
    for (int i = 2; i < count; ++i) policy_of(words[i]);
    if (count == 2)
      for (const Replayable& each : those_known()) std::printf("%s %s\n", each.name, each.alias);
    return 0;
  }
  if (command == "costs") {
    for (const std::string& name : Costs::names()) std::printf("%s %g\n", name.c_str(), Costs().get(name));
    return 0;
  }
  if (count < 3) throw Error("usage: chomp-simulate run|dump|convert|gaps SOURCE …; see tools/simulate --help");
  std::string source = words[2];
  if (command == "run")
    run(source, parse(count - 3, words + 3));
  else if (command == "dump")
    std::cout << write_text(load({source}, {}));
  else if (command == "convert" && count == 4)
    write_recording(load({source}, {}), words[3]);
  else if (command == "gaps") {
    RecordingCosts gaps = measure_gaps({words + 2, words + count});
    for (unsigned from = 0; from < kRecordKinds; ++from)
      for (unsigned to = 0; to < kRecordKinds; ++to)
        if (gaps.ns[from][to] >= 0) std::printf("%u %u %.3f\n", from, to, gaps.ns[from][to]);
  } else
    throw Error("unknown command " + command);
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return perform(count, words);
  } catch (const Error& error) {
    std::fprintf(stderr, "chomp-simulate: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "chomp-simulate: out of memory\n");
  }
  return 1;
}
