// XQueue with load balancing by message (arXiv 2502.05293: NA-RP and NA-WS): as `xqueue`, but a member that finds
// nothing, the thief, asks another, its victim. When the victim next makes a task, it deals that and some more to the
// thief. Or, when it next takes a task, it gives the thief some of its own. So no thief ever takes from another's
// rings.
//
// A request is one word at the victim: the number of requests that the victim has answered, and the thief. Thieves
// write it with plain stores; if two ask at once the later store stands. A victim answers only a request that bears the
// present number, so it answers each request once. A thief whose request was overwritten looks kMostLooks times for an
// answer, and then asks another victim. The words carry no data, so nothing is ordered by them. Model:
// test/model/xqueue_requests.pml.
#include "schedulers/ring_matrix.h"

namespace chomp {
namespace {

constexpr unsigned kGiven = policy::kMostDealt / 4; // the most tasks that an answer brings
constexpr unsigned kMostLooks = policy::kFullLook;  // looks before a thief asks the next one
constexpr uint32_t kNear = policy::kLooksInPassing; // one request in this many goes to another domain

struct Mail {
  // Written by thieves: answers << kThiefBits | thief + 1.
  alignas(kCacheLine) atomic<uint64_t> request{0};
  // Written by the owner.
  alignas(kCacheLine) atomic<uint64_t> answers{0}; // requests answered
  int redirect_to = 0;                             // the member that gets the next `redirects` tasks
  unsigned redirects = 0;
  unsigned looks_left = 0; // as a thief: how often it still looks for the answer, before it asks the next victim
  uint32_t requests = 0;
  int victim = 0; // the member that this one has asked last
};
constexpr unsigned kThiefBits = 16;

using Tasks = DealtTasks<RingMatrix>;

struct State : Tasks {
  int members = 1;
  const uint16_t* domain_of_member = nullptr;
  const uint16_t* domain_size = nullptr;
  Mail* mail = nullptr; // [members]
  // How many members the region has. Requests may be left from the last region, by members that have no part in this
  // one. A member that has got a task sees what the dealer of that task stored here before.
  atomic<int> team_size{0};
};

State& of(SchedulerState* state) { return *static_cast<State*>(state); }

SchedulerState* make(const TeamShape& shape, const SchedulerSettings&, StateMemory memory) {
  auto* state = make_array<State>(memory, 1);
  state->init(shape, memory);
  state->members = shape.size;
  state->domain_of_member = shape.domain_of_member;
  state->domain_size = shape.domain_size;
  state->mail = make_array<Mail>(memory, shape.size);
  for (int member = 0; member < shape.size; ++member) state->mail[member].victim = member;
  return state;
}

// relaxed: carries no data.
uint64_t answers_of(const Mail& mail) { return mail.answers.load(std::memory_order_relaxed); }

// The thief that waits for an answer from the member, or -1.
int thief_of(const Mail& mail) {
  uint64_t request = mail.request.load(std::memory_order_relaxed); // relaxed: carries no data
  if (request >> kThiefBits != answers_of(mail)) return -1;
  return static_cast<int>(request & ((1u << kThiefBits) - 1)) - 1;
}

// Called by the member that was asked.
void note_answer(Mail& own, unsigned tasks, SchedulerCounts& counts) {
  own.answers.store(answers_of(own) + 1, std::memory_order_relaxed); // relaxed: carries no data
  counts.stolen_operations.add();
  counts.stolen_tasks.add(tasks);
}

// The next member to ask: mostly in the thief's own domain.
int next_victim(const State& state, int member) {
  Mail& own = state.mail[member];
  uint16_t domain = state.domain_of_member[member];
  bool far = state.domain_size[domain] == 1 || own.requests % kNear == kNear - 1;
  int victim = own.victim;
  for (int step = 0; step < state.members; ++step) {
    if (++victim >= state.members) victim = 0;
    if (victim != member && (state.domain_of_member[victim] == domain) != far) break;
  }
  return victim;
}

void ask(const State& state, int member, SchedulerCounts& counts) {
  Mail& own = state.mail[member];
  if (own.looks_left > 0) {
    --own.looks_left;
    return;
  }
  if (own.victim != member && thief_of(state.mail[own.victim]) == member) counts.failed_steals.add();
  own.victim = next_victim(state, member);
  ++own.requests;
  if (own.victim == member) return; // there is no member of that kind
  Mail& victim = state.mail[own.victim];
  if (thief_of(victim) >= 0) return; // another thief waits for it
  // relaxed: carries no data.
  victim.request.store(answers_of(victim) << kThiefBits | static_cast<uint64_t>(member + 1), std::memory_order_relaxed);
  own.looks_left = kMostLooks;
}

Acquired acquire(SchedulerState* memory, int member, const Eligible& eligible, SchedulerCounts& counts) {
  State& state = of(memory);
  Acquired acquired = Tasks::acquire(memory, member, eligible, counts);
  if (acquired.task == nullptr) {
    ask(state, member, counts);
    return acquired;
  }
  Mail& own = state.mail[member];
  int thief = thief_of(own);
  if (thief < 0 || thief >= state.team_size.load(std::memory_order_relaxed)) return acquired; // relaxed: see the field
  unsigned given = state.queues.give(member, thief, kGiven);
  if (given == 0) return acquired; // the request stands: the member may have tasks later
  note_answer(own, given, counts);
  acquired.given_to = thief;
  return acquired;
}

int deal(SchedulerState* memory, int member, int team_size, QueueHook* task, SchedulerCounts& counts) {
  State& state = of(memory);
  if (!state.has_room()) return -1;
  Mail& own = state.mail[member];
  int thief = thief_of(own);
  // relaxed, both: the ring releases it.
  if (state.team_size.load(std::memory_order_relaxed) != team_size)
    state.team_size.store(team_size, std::memory_order_relaxed);
  if (thief >= 0 && thief < team_size) {
    note_answer(own, 0, counts);
    own.redirect_to = thief;
    own.redirects = kGiven;
  }
  if (own.redirects > 0) {
    --own.redirects;
    if (own.redirect_to < team_size && state.queues.push(member, own.redirect_to, task)) {
      counts.stolen_tasks.add();
      return own.redirect_to;
    }
  }
  return Tasks::deal(memory, member, team_size, task, counts);
}

} // namespace

extern const Scheduler xqueue_steal_scheduler; // list.def
constinit const Scheduler xqueue_steal_scheduler = {
    .private_depth = 0,
    .make = make,
    .publish = Tasks::publish,
    .acquire = acquire,
    .set_request = Tasks::set_request,
    .wanted = Tasks::wanted,
    .has_tasks = Tasks::has_tasks,
    .deal = deal,
};

} // namespace chomp
