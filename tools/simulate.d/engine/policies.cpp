#include "policies.h"

#include <string_view>

#include "graph.h"

namespace chomp::simulate {
namespace {

struct Listed {
  std::string_view name, alias;
};

constexpr std::string_view text(const char* word) { return word; }
constexpr std::string_view text(std::nullptr_t) { return {}; }

constexpr Listed kListed[] = {
#define SCHEDULER(file, name, alias) {text(name), text(alias)},
#include "schedulers/list.def"
#undef SCHEDULER
};

constexpr bool is_listed(std::string_view name) {
  for (const Listed& each : kListed)
    if (each.name == name) return true;
  return false;
}

constexpr bool all_are_listed() {
  for (const Policy& each : kPolicies)
    if (!is_listed(each.name)) return false;
  return true;
}
static_assert(all_are_listed(), "kPolicies has the policy of a scheduler that schedulers/list.def does not name");

const Policy* find_policy(std::string_view name) {
  for (const Policy& each : kPolicies)
    if (name == each.name) return &each;
  return nullptr;
}

std::vector<Replayable> make_all() {
  std::vector<Replayable> all;
  for (const Listed& each : kListed)
    all.push_back(
        {each.name.data(), each.alias.empty() ? each.name.data() : each.alias.data(), find_policy(each.name)});
  return all;
}

} // namespace

const std::vector<Replayable>& all_schedulers() {
  static const std::vector<Replayable> all = make_all();
  return all;
}

const Policy& policy_of(const std::string& scheduler) {
  for (const Replayable& each : all_schedulers()) {
    if (scheduler != each.name && scheduler != each.alias) continue;
    if (each.policy == nullptr) throw Error(cannot_replay(each.name));
    return *each.policy;
  }
  std::string names;
  for (const Replayable& each : all_schedulers()) names += std::string(names.empty() ? "" : ", ") + each.name;
  throw Error("no scheduler is called " + scheduler + "; there are " + names);
}

std::string cannot_replay(const std::string& scheduler) {
  return "tools/simulate cannot replay under " + scheduler +
         ": add its policy to kPolicies in tools/simulate.d/engine/policies.h";
}

} // namespace chomp::simulate
