// Being idle. See idle.h. While its team may have tasks, a member that waits asks for some. It spins, then parks on its
// worker's own futex. Between regions it sleeps on its domain's futex. Requesters pay for sharing here: the heavy sides
// of the fences are in park() and sleep_between_regions().
#include "runtime/wait/idle.h"

#include <algorithm>

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/binding.h"
#include "runtime/stealing/publish.h"
#include "runtime/stacks/stack.h"
#include "runtime/wait/fiber.h"
#include "runtime/wait/block.h"
#include "runtime/threads/running_threads.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/wait/light_thread.h"
#include "runtime/wait/sentinel.h"

namespace chomp {
namespace {

using policy::kBusyPauseNs;
using policy::kQuietPauseNs;
constexpr uint32_t kLooksPerSweep = 2 * policy::kRoundsBeforeClock; // of the sentinel, in vain: then all sleepers look

uint64_t bit_of(int32_t tid) { return uint64_t{1} << (tid % 64); }

bool private_tasks_elsewhere(const Member* member) {
  const Team* team = member->team;
  for (int32_t tid = 0; tid < team->size(); ++tid)
    if (tid != member->tid && team->members[tid].deque.size() > 0) return true;
  return false;
}

} // namespace

// If nobody observes, only longer spells are noted: in these the member looks at the clock anyway.
void Idler::note_idle(int64_t now_ns) {
  if (idle_.since_ns != 0) return;
  bool after_region = wait_.what == WaitFor::kGo && member_->took_part;
  idle_ = {now_ns, after_region ? &member_->team->barrier.ended_ns : nullptr};
  worker_->observe.counters.begin_idle(idle_);
  if (CHOMP_LIKELY(!member_->team->observed())) return;
  announced_ = true;
  event_idle_begin(worker_);
}

// For the stall report; end_idle() hides it.
void Idler::show_wait() const {
  if (CHOMP_UNLIKELY(waits_are_shown)) wait_show(worker_, wait_.what, wait_.epoch, wait_.task);
}

void Idler::end_idle() {
  if (tasks_possible(wait_, member_)) idle_.region_ended_ns = nullptr; // the region has not ended
  worker_->observe.counters.end_idle(idle_, monotonic_ns());
  idle_.since_ns = 0;
  if (CHOMP_UNLIKELY(waits_are_shown)) wait_hide(worker_);
  if (CHOMP_LIKELY(!announced_)) return;
  announced_ = false;
  event_idle_end(worker_);
}

void Idler::found_work() {
  waiting_.restart();
  if (idle_since_ != 0) {
    worker_->stealing.idle_cycles += cycle_counter() - idle_since_;
    idle_since_ = 0;
  }
  if (idle_.since_ns != 0) end_idle();
  forced_steal_.stop();
  asker_.stop();
}

// A sum reads a line of each member. While all spin, only the first member of each domain sums, again and again. So
// when the last task has been completed, that member has most of the lines already.
bool Idler::sums_for_barrier() const { return member_->tid == 0 || member_->propagates; }

CpuOffers* Idler::offers_of(Worker* worker) { return &worker->wait.cpu_offers; }

uint32_t Idler::ask_and_pause() {
  asker_.ask(!member_->team->serial());
  waiting_.pause_awake();
  if (waiting_.rounds() % (policy::kRoundsBeforeClock / 4) == 0) asker_.show_presence();
  return waiting_.rounds();
}

Task* Idler::step(bool possible) {
  Team* team = member_->team;
  if (CHOMP_UNLIKELY(team->light) && rests_light(possible)) return nullptr;
  if (idle_since_ == 0) idle_since_ = cycle_counter();
  if (CHOMP_UNLIKELY(team->observed())) note_idle(monotonic_ns());
  asker_.ask(possible);
  CpuDemand others = demand(possible);
  if (wait_.what == WaitFor::kSpawned) return park(); // its CPU belongs to those who compute
  int32_t sharers = others == CpuDemand::kCertain ? team->total_threads() / topology.running_cpus : 0;
  if (!waiting_.pause(others, sharers)) {
    waiting_.restart();
    return park();
  }
  if (CHOMP_UNLIKELY(others == CpuDemand::kCertain)) return nullptr;
  if (waiting_.rounds() % (policy::kRoundsBeforeClock / 4) == 0) asker_.show_presence();
  if (!waiting_.saw_clock()) return nullptr;
  note_idle(waiting_.now_ns());
  show_wait(); // the member may spin for ever
  if (member_->requesting)
    forced_steal_.look_if_due(policy::kLooksInPassing);
  else
    forced_steal_.stop(); // an owner that sees no request would seem to be stuck
  return nullptr;
}

// A light member rests between regions (wait/light_team.h). Its host starts it if it rests when the host sees the start
// signal; so it looks for that last.
bool Idler::rests_light(bool possible) {
  if (wait_.what != WaitFor::kGo || possible || !member_->team->is_light(member_->tid)) return false;
  found_work();
  if (!wait_is_over(wait_, member_)) light_rest(worker_);
  return true;
}

// A member without a part in the region gives way where the team has room for more threads than there are CPUs.
CpuDemand Idler::demand(bool possible) const {
  const Team* team = member_->team;
  bool no_part = wait_.what == WaitFor::kGo && !member_->took_part && team->capacity > topology.running_cpus;
  return no_part ? CpuDemand::kCertain : cpu_demand(team, possible);
}

// Whether this sleep is likely to be brief, and one of many.
bool Idler::sleeps_briefly(bool possible) const {
  return cpu_demand(member_->team, possible) == CpuDemand::kCertain || yields_are_costly();
}

// A woken thread leaves its waker's CPU if another CPU may be free. Else the thread would lose its place in the queue
// of its CPU for nothing, and its waker, which soon sleeps, would wait for one that waits for a CPU.
bool Idler::leaves_wakers_cpu(bool possible) const {
  return cpu_demand(member_->team, possible) != CpuDemand::kCertain && !yields_are_costly();
}

// Called after the fence. What a thread published, pushed, counted or stored before it failed to see us is visible now.
Task* Idler::last_look() {
  if (help_barrier(member_, wait_)) {
    heavy_fence(); // at the first fence a thief may have had our last private task: a member that sums after us must
                   // see the new count
    help_barrier(member_, wait_);
  }
  if (wait_is_over(wait_, member_) || !tasks_possible(wait_, member_)) return nullptr;
  return find_work(worker_, member_, wait_);
}

// The heavy side of every waker's light fence. It interrupts all CPUs that run this process. Where others want the CPU,
// threads sleep often and briefly. So a brief sleep does without this fence, and wakers execute one of their own. A
// waker that does not know yet may miss the sleeper, which therefore wakes by itself. Returns whether the next sleep
// may last for ever.
bool Idler::fence_before_sleep(bool brief) {
  if (!brief) {
    heavy_fence(); // pairs with light_fence() of every waker
  } else {
    store_if_new(threads_sleep_briefly, true);
    thread_fence(std::memory_order_seq_cst); // pairs with the waker's, or with the heavy fence that follows
  }
  return !brief;
}

// No task can come. The member waits for the next start signal only, which all members of a domain get at once.
void Idler::sleep_between_regions() {
  const Team* team = member_->team;
  DomainLine& line = member_->team->domain_lines[member_->domain];
  // relaxed: the fence makes sure that this is read before we look at the signal. The word grows only after a later
  // signal.
  uint32_t seen = line.eventcount.load(std::memory_order_relaxed);
  line.sleeping.fetch_add(1, std::memory_order_relaxed); // relaxed: ordered by the fence
  // Both pair with the fence in wake_for_start().
  bool fenced = true;
  if (team->was_oversubscribed())
    thread_fence(std::memory_order_seq_cst); // pairs as said
  else
    fenced = fence_before_sleep(sleeps_briefly(false));
  worker_->observe.counters.parks.add();
  while (!wait_is_over(wait_, member_)) {
    if (!sleep_on(&line.eventcount, seen, fenced ? pool_sleep_limit_ns(worker_) : kQuietPauseNs)) {
      if (fenced) pool_sleep_limit_reached(worker_);
      fenced = fenced || fence_before_sleep(false);
    }
    // The eventcount may have grown late, for a signal that we have followed already.
    seen =
        line.eventcount.load(std::memory_order_acquire); // acquire: pairs with the release of the thread that signals
  }
  line.sleeping.fetch_sub(1, std::memory_order_relaxed); // relaxed: at worst a thread wakes nobody
  if (!leaves_wakers_cpu(false)) return;
  // relaxed, both: hints.
  worker_->wait.wakers_cpu.store(line.notifiers_cpu.load(std::memory_order_relaxed), std::memory_order_relaxed);
  binding_leave_wakers_cpu(worker_);
}

// In a team with more threads than CPUs only the sentinel asks, and who sleeps briefly, and only while a CPU is idle.
// `going`: the member is awake still, and counted.
void Idler::ask_asleep(int32_t going) {
  const Team* team = member_->team;
  bool may = team->may_spin() || ((sentinel_ || !fenced_) && !all_cpus_taken(team, going));
  asker_.ask_asleep(may && tasks_possible(wait_, member_));
}

// The sentinel must find by itself everything for which owners do not wake it. For they see the requests of other
// domains late, and they do not answer while steals are not worth it.
int64_t Idler::sentinel_timeout_ns() {
  const Team* team = member_->team;
  bool waiting = forced_steal_.watches() || anything_published(team) || private_tasks_elsewhere(member_) ||
                 member_->deque.size() > 0;
  // relaxed: see there.
  // Without a membarrier publish_if_requested() has no fence. What is dealt wakes only the member that it is dealt to.
  bool quiet = !waiting && membarrier_available.load(std::memory_order_relaxed) && !member_->deals;
  int64_t longest = quiet ? kQuietPauseNs : kBusyPauseNs;
  int64_t until_probe = asker_.until_probe_ns();
  if (quiet && !fenced_) return until_probe != 0 ? std::min(until_probe, longest) : longest;
  int64_t pause = std::min(pause_ns_, longest);
  pause_ns_ = 2 * pause;
  return until_probe != 0 && until_probe < longest && until_probe > pause ? until_probe : pause;
}

// A start signal or an opened barrier wakes all brief sleepers of a domain by one system call. If each had one of its
// own, the first that was woken would take the waker's CPU while the others sleep.
bool Idler::sleeps_with_domain() const {
  return (wait_.what == WaitFor::kGo || wait_.what == WaitFor::kBarrier) && !threads_share_kernel_thread() &&
         futex_waits_for_any();
}

// False if the time is over.
bool Idler::sleep_until_woken(int64_t timeout_ns) {
  atomic<uint32_t>& parked = worker_->wait.parked;
  if (parked_ != kParkedWithDomain) return sleep_on(&parked, parked_, timeout_ns);
  atomic<uint32_t>& events = member_->team->domain_lines[member_->domain].brief_events;
  cpu_number_rest();
  FutexSleep words[] = {{&parked, parked_}, {&events, events_}};
  futex_wait_any(words, 2, timeout_ns);
  uint32_t before = events_;
  events_ = events.load(std::memory_order_acquire); // acquire: pairs with the release of the thread that wakes all
  // relaxed: the caller looks again.
  return events_ != before || parked.load(std::memory_order_relaxed) != parked_;
}

// A member that may begin nothing does not look out for others.
uint32_t Idler::fully_parked() const { return wait_.begins_nothing ? kParkedForItself : kParked; }

// The next sleep may last for ever. False if somebody has woken the member.
bool Idler::end_brief_sleep() {
  if (!sentinel_may_be_asked(worker_, parked_, fully_parked())) return false;
  parked_ = fully_parked();
  fenced_ = fence_before_sleep(false);
  return true;
}

// One sleep. May return a task.
Task* Idler::sleep() {
  bool possible = tasks_possible(wait_, member_);
  if (!sentinel_ && wait_.what != WaitFor::kSpawned && !wait_.begins_nothing && sentinel_take(member_)) {
    sentinel_ = true;
    pause_ns_ = policy::kFirstPauseNs;
  }
  bool was_requesting = member_->requesting;
  ask_asleep(0);
  if (member_->requesting && !was_requesting)
    pause_ns_ = policy::kFirstPauseNs; // the sentinel may have to steal by force
  int64_t timeout = sentinel_ && possible ? sentinel_timeout_ns() : kNoTimeout; // else the end of the wait wakes it
  if (timeout == kNoTimeout && wait_.what == WaitFor::kGo) timeout = pool_sleep_limit_ns(worker_);
  if (tasks_may_stop()) timeout = until_moment(worker_, wait_, timeout);
  if (!fenced_ && (timeout == kNoTimeout || timeout > kQuietPauseNs)) timeout = kQuietPauseNs;
  if (sleep_until_woken(timeout)) return nullptr;
  if (tasks_may_stop() && can_resume(worker_, member_)) return nullptr;              // its moment has come
  if (wait_.what == WaitFor::kGo && !tasks_possible(wait_, member_)) return nullptr; // it sleeps with the others now
  if (!fenced_ && !end_brief_sleep()) return nullptr;                                // somebody has woken it
  return sentinel_ ? look_out() : last_look();
}

// Below its floor this member may hold tasks that it may not run, but others may. Others would not see these tasks
// while the member sleeps.
void Idler::publish_own_tasks() {
  uint64_t waiting = member_->deque.size();
  if (waiting == 0) return;
  uint64_t half = (waiting + 1) / 2;
  TaskBatch batch = member_->deque.take_oldest(static_cast<unsigned>(std::min(half, policy::kThrottle)), member_);
  if (batch.count > 0) publish_batch(member_, batch);
}

Task* Idler::look_out() {
  if (!tasks_possible(wait_, member_)) return nullptr; // it will be woken, as all others there (README.md)
  Team* team = member_->team;
  publish_own_tasks();
  if (member_->requesting || !team->may_spin())
    forced_steal_.look(team->size());
  else
    forced_steal_.stop();
  if (Task* task = last_look()) return task;
  bool published = anything_published(team);
  looks_in_vain_ = published ? looks_in_vain_ + 1 : 0;
  // Another member may be allowed to run what waits. Each that is woken looks, and passes the wake on.
  bool sweep = (looks_in_vain_ & (looks_in_vain_ - 1)) == 0 || looks_in_vain_ % kLooksPerSweep == 0;
  if (published && sweep) wake_next_sleeper(team, 0, member_->tid);
  return nullptr;
}

Task* Idler::park() {
  note_idle(monotonic_ns());
  show_wait();
  forced_steal_.stop();
  bool possible = tasks_possible(wait_, member_), others_wait = tasks_may_stop();
  if (!possible || !others_wait) stack_rest(worker_); // the next tasks soon need what stopped ones have used
  if (wait_.what == WaitFor::kGo && !possible) {
    asker_.stop();
    if (CHOMP_LIKELY(!rests_light(possible))) sleep_between_regions();
    return nullptr;
  }
  fenced_ = false;
  ask_asleep(1); // whoever pushes the next task wakes a requesting member
  Team* team = member_->team;
  bool announced = wait_announce(wait_);
  if (others_wait) announce_left(worker_);
  atomic<uint64_t>& word = team->sleepers[member_->tid / 64];
  uint64_t bit = bit_of(member_->tid);
  bool brief = sleeps_briefly(possible), leaves = leaves_wakers_cpu(possible);
  parked_ = !brief ? fully_parked() : sleeps_with_domain() ? kParkedWithDomain : kParkedBriefly;
  // relaxed, both: released with the bit. Whoever sees it there lets the events grow later.
  events_ = team->domain_lines[member_->domain].brief_events.load(std::memory_order_relaxed);
  worker_->wait.parked.store(parked_, std::memory_order_relaxed);
  word.fetch_or(bit, std::memory_order_release); // release: pairs with acq_rel of the waker, which sees `parked`
  fenced_ = fence_before_sleep(brief);
  Task* task = last_look();
  bool slept = false;
  while (task == nullptr && !wait_is_over(wait_, member_) && sentinel_still_parked(member_)) {
    if (others_wait && can_resume(worker_, member_)) break;
    if (slept && wait_.what == WaitFor::kGo && !tasks_possible(wait_, member_)) break; // to sleep_between_regions()
    if (!slept) worker_->observe.counters.parks.add();
    slept = true;
    task = sleep();
  }
  // acquire: pairs with acq_rel in ask_to_look_out(); a waker that saw us parked wakes nobody, harmlessly
  worker_->wait.parked.exchange(kAwake, std::memory_order_acquire);
  // acq_rel: pairs with the waker's fetch_and.
  bool claimed = (word.fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0;
  sentinel_leave(member_, sentinel_);
  sentinel_ = false;
  if (slept && leaves) binding_leave_wakers_cpu(worker_);
  if (announced) wait_withdraw(wait_);
  if (others_wait) withdraw_left(worker_);
  if (claimed) pass_wake_on(task);
  return task;
}

// A waker has claimed us for work. If more work is left, or we may not run it, the wake goes to the next sleeper.
void Idler::pass_wake_on(Task*& task) {
  if (task == nullptr && !wait_is_over(wait_, member_) && tasks_possible(wait_, member_))
    task = find_work(worker_, member_, wait_);
  if (!anything_published(member_->team)) return;
  if (task != nullptr)
    wake_one_sleeper(member_->team);
  else
    wake_next_sleeper(member_->team, member_->tid + 1);
}

} // namespace chomp
