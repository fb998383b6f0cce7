// Throughput and latency of putting tasks into schedulers and queues and taking them out (tools/bench schedulers, table
// 5).
//
//   queue-benchmark --list                                            what there is: `scheduler NAME` or `queue NAME`
//   queue-benchmark NAME all|one [--threads N] [--operations N]       one line of key=value pairs:
//
//   ns_per_task=… in_p50=… in_p99=… out_p50=… out_p99=… clock=… tasks=… refused=… empty=… check=ok
//
// `ns_per_task` is the wall time of a run without clocks, divided by the tasks. Latencies are cycles of the time stamp
// counter in a second run that times each operation that succeeded; `clock` is the median of two readings in a row,
// which they contain. `refused`: how often there was no room. With `one`, thread 0 alone produces.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/machine/topology.h"
#include "tools/laboratory/schedulers/queues/targets.h"
#include "tools/laboratory/schedulers/queues/traffic.h"

// The schedulers ask the topology for the distances between domains; here there is one domain.
chomp::Topology chomp::topology;

namespace {

using namespace queues;

struct Options {
  const char* name = nullptr;
  Producers producers = Producers::kAll;
  int threads = 1;
  uint64_t operations = 100000;
};

using Measure = bool (*)(const Options&);

template <class Make> bool measure(const Options& options, Make make) {
  auto untimed = make(), timed = make();
  Outcome rate = Traffic(*untimed, options.threads, options.producers, options.operations, false).run();
  Outcome latency = Traffic(*timed, options.threads, options.producers, options.operations, true).run();
  Histogram clock;
  for (int i = 0; i < 10000; ++i) {
    uint64_t begin = cycles();
    clock.add(cycles() - begin);
  }
  auto percentile = [](const Histogram& all, double part) {
    return static_cast<unsigned long long>(all.percentile(part));
  };
  bool right = rate.right && latency.right;
  printf("ns_per_task=%.3f in_p50=%llu in_p99=%llu out_p50=%llu out_p99=%llu clock=%llu tasks=%llu refused=%llu "
         "empty=%llu check=%s\n",
         rate.ns_per_task, percentile(latency.put_cycles, 0.5), percentile(latency.put_cycles, 0.99),
         percentile(latency.take_cycles, 0.5), percentile(latency.take_cycles, 0.99), percentile(clock, 0.5),
         static_cast<unsigned long long>(rate.tasks), static_cast<unsigned long long>(rate.refused),
         static_cast<unsigned long long>(rate.empty_takes), right ? "ok" : "WRONG");
  return right;
}

template <class Target> bool measure_queue(const Options& options) {
  return measure(options, [&] { return std::make_unique<Target>(options.threads); });
}

bool measure_scheduler(const chomp::Scheduler& scheduler, const Options& options) {
  return measure(options, [&] { return std::make_unique<SchedulerTarget>(scheduler, options.threads); });
}

constexpr struct {
  const char* name;
  Measure measure;
} kQueues[] = {
    {"locked-lifo", measure_queue<SharedListTarget<true>>},
    {"locked-fifo", measure_queue<SharedListTarget<false>>},
    {"nemesis-mpsc", measure_queue<NemesisTarget>},
    {"spsc-rings", measure_queue<RingMatrixTarget>},
};

int list() {
  for (const auto& queue : kQueues) printf("queue %s\n", queue.name);
  for (int i = 0; chomp::scheduler_by_number(i).name != nullptr; ++i)
    printf("scheduler %s\n", chomp::scheduler_by_number(i).name);
  return 0;
}

bool parse(int argc, char** argv, Options* options) {
  if (argc < 3 || argc % 2 == 0) return false;
  options->name = argv[1];
  if (strcmp(argv[2], "one") == 0)
    options->producers = Producers::kOne;
  else if (strcmp(argv[2], "all") != 0)
    return false;
  for (int i = 3; i < argc; i += 2) {
    long long value = atoll(argv[i + 1]);
    if (strcmp(argv[i], "--threads") == 0 && value >= 1 && value <= 1024)
      options->threads = static_cast<int>(value);
    else if (strcmp(argv[i], "--operations") == 0 && value >= 1)
      options->operations = static_cast<uint64_t>(value);
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
  Options options;
  if (!parse(argc, argv, &options)) {
    fprintf(stderr, "usage: %s --list | NAME all|one [--threads N] [--operations N]\n", argv[0]);
    return 2;
  }
  for (const auto& queue : kQueues)
    if (strcmp(queue.name, options.name) == 0) return queue.measure(options) ? 0 : 1;
  const chomp::Scheduler* scheduler = chomp::scheduler_find(options.name);
  if (scheduler == nullptr) {
    fprintf(stderr, "%s: no scheduler or queue of that name\n", options.name);
    return 2;
  }
  return measure_scheduler(*scheduler, options) ? 0 : 1;
}
