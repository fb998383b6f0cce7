// Costs by name.
#include "machine.h"

namespace chomp::simulate {
namespace {

struct Row {
  const char* name;
  double Costs::* cost;
};

constexpr Row kRows[] = {
    {"task_serial", &Costs::task_serial},
    {"task", &Costs::task},
    {"depend", &Costs::depend},
    {"group", &Costs::group},
    {"publish", &Costs::publish},
    {"publish_task", &Costs::publish_task},
    {"acquire", &Costs::acquire},
    {"steal", &Costs::steal},
    {"steal_task", &Costs::steal_task},
    {"probe", &Costs::probe},
    {"finish_elsewhere", &Costs::finish_elsewhere},
    {"lock", &Costs::lock},
    {"place", &Costs::place},
    {"notice", &Costs::notice},
    {"notice_far", &Costs::notice_far},
    {"wake", &Costs::wake},
    {"wake_call", &Costs::wake_call},
    {"revoke", &Costs::revoke},
    {"fork", &Costs::fork},
    {"barrier", &Costs::barrier},
    {"moved", &Costs::moved},
    {"moved_far", &Costs::moved_far},
    {"moved_per_us", &Costs::moved_per_us},
    {"moved_far_per_us", &Costs::moved_far_per_us},
    {"moved_most", &Costs::moved_most},
    {"spin", &Costs::spin},
};

const Row& row(const std::string& name) {
  for (const Row& each : kRows)
    if (name == each.name) return each;
  throw Error("no cost is called " + name);
}

} // namespace

void Costs::set(const std::string& name, double ns) {
  if (!(ns >= 0 && ns < 1e12)) throw Error("cost " + name + ": not a number of nanoseconds");
  this->*row(name).cost = ns;
}

double Costs::get(const std::string& name) const { return this->*row(name).cost; }

const std::vector<std::string>& Costs::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Row& each : kRows) names.emplace_back(each.name);
    return names;
  }();
  return all;
}

} // namespace chomp::simulate
