// The start signal. See start_signal.h.
#include "runtime/teams/start_signal.h"

#include "runtime/base/check.h"
#include "runtime/base/preemption.h"
#include "runtime/threads/wake.h"
#include "runtime/teams/domain_tree.h"
#include "runtime/wait/light_team.h"

namespace chomp {

// A domain whose members had no part in the last region that it was notified of, and have none now, is not notified.
bool must_be_notified(const DomainLine& line, uint64_t signal) {
  int32_t size = size_in(signal);
  // relaxed: nobody else writes it.
  return size == 0 || size > line.first_member || size_in(line.go.load(std::memory_order_relaxed)) > line.first_member;
}

// Notifies the domains below (start_signal.h). All stores come before the first system call.
void propagate_start(Team* team, int domain, uint64_t signal) {
  preemption_point();
  for_each_child_domain(domain, team->shape.domain_count, [=](int child) {
    DomainLine& line = team->domain_lines[child];
    if (!must_be_notified(line, signal)) return;
    // Nobody else reads or writes the packet: the child's members have a part in the region, so it is not over.
    if (size_in(signal) > line.first_member) line.packet.become(team->domain_lines[domain].packet);
    // release: pairs with acquire in wait_is_over(); publishes the region, ours or what we have acquired.
    line.go.store(signal, std::memory_order_release);
  });
  preemption_point();
  for_each_child_domain(domain, team->shape.domain_count, [=](int child) {
    // relaxed: our own writes.
    if (team->domain_lines[child].go.load(std::memory_order_relaxed) == signal) wake_for_start(team, child);
  });
}

// The threads of a new team come from the pool, where they sleep, or are being made. They are woken when the signal is
// there. Otherwise they would sleep a second time, to wait for it.
CHOMP_SLOW static void wake_new_members(Team* team) {
  team->members_are_new = false;
  // Either a thread sees its member or we see the thread parked.
  thread_fence(std::memory_order_seq_cst); // pairs with the fence in serve_teams()
  for (int tid = 1; tid < team->kernel_threads; ++tid) worker_wake(team->members[tid].worker);
}

static StartPacket packet_of(const Team* team) {
  const RegionCall& call = team->call;
  // relaxed: our own.
  StartPacket packet{call.microtask, team->members[0].implicit_task.parent.load(std::memory_order_relaxed),
                     team->first_loop, call.argc, team->fp_control};
  if (call.argc > kStartArguments)
    packet.arguments[0] = static_cast<void*>(call.argv);
  else
    for (int i = 0; i < call.argc; ++i) packet.arguments[i] = call.argv[i];
  return packet;
}

void signal_start(Team* team, int size) {
  DomainLine& line = team->domain_lines[0];
  // Each region has a barrier at its end, so signals grow. The signal to leave, too, is the only one of its epoch.
  uint64_t signal = team->members[0].barrier_epoch << kGoSizeBits | static_cast<uint64_t>(size);
  DCHECK(line.go.load(std::memory_order_relaxed) < signal); // relaxed: only the primary writes it
  if (size != 0) line.packet.become(packet_of(team));
  line.go.store(signal, std::memory_order_release); // release: pairs as in propagate_start()
  if (team->kernel_threads > 1) {
    if (team->shape.domain_count > 1) propagate_start(team, 0, signal);
    wake_for_start(team, 0);
    if (CHOMP_UNLIKELY(team->members_are_new)) wake_new_members(team); // last: else wake_for_start() meets sleepers
  }
  if (CHOMP_UNLIKELY(team->light)) light_start_hosted(team, 0, size);
}

} // namespace chomp
