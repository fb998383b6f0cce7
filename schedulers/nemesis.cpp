// Qthreads' Nemesis scheduler (Wheeler, Stark, Murphy, SAND2012-10594): a lock-free FIFO for each core with many
// producers and one consumer, round-robin dealing, no stealing.
#include "schedulers/dealt_tasks.h"
#include "schedulers/queues/nemesis_queue.h"
#include "schedulers/queues/owner_gate.h"

namespace chomp {
namespace {

class BoundedNemesis {
public:
  unsigned size() const {
    // relaxed: an estimate; exact after a heavy fence.
    return static_cast<unsigned>(pushed_.load(std::memory_order_relaxed) - popped_.value());
  }

  bool push(QueueHook* task) {
    if (size() >= kMostDealt) return false;
    pushed_.fetch_add(1, std::memory_order_relaxed); // relaxed: counted before it is there, so size() never falls short
    queue_.push(task);
    return true;
  }

  QueueHook* pop(const Eligible& eligible, TaskBatch* refused) {
    if (size() == 0 || !gate_.enter_owner_only()) return nullptr;
    QueueHook* task;
    while ((task = take()) != nullptr && !eligible.may_run(eligible.context, task)) append_task(refused, task);
    gate_.leave_owner_only();
    return task;
  }

  TaskBatch take_all() {
    TaskBatch batch;
    if (!gate_.try_enter()) return batch;
    while (QueueHook* task = take()) append_task(&batch, task);
    gate_.leave();
    return batch;
  }

private:
  QueueHook* take() {
    QueueHook* task = queue_.pop();
    if (task != nullptr) popped_.add();
    return task;
  }

  NemesisQueue queue_; // its consumer is the thread inside the gate
  atomic<uint64_t> pushed_{0};
  OwnerGate gate_;
  Counter popped_;
};

} // namespace

extern const Scheduler nemesis_scheduler; // list.def
constinit const Scheduler nemesis_scheduler = dealing_scheduler<QueuePerOwner<BoundedNemesis>>();

} // namespace chomp
