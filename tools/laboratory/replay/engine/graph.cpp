// Building graphs, dependences, work and span. See graph.h.
#include "graph.h"

#include <algorithm>
#include <initializer_list>

namespace chomp::simulate {

TaskId Graph::add_task(TaskId parent, uint8_t task_properties) {
  if (tasks.size() >= kMostTasks) throw Error("more than 2^28 tasks");
  tasks.push_back({0, parent, 0, 0});
  properties.push_back(task_properties);
  return static_cast<TaskId>(tasks.size() - 1);
}

void Graph::add_operation(Time before, Op op, uint32_t argument) {
  constexpr Time kMost = UINT32_MAX;
  for (; before > kMost; before -= kMost)
    operations.push_back({static_cast<uint32_t>(kMost), static_cast<uint32_t>(Op::kNothing) << 28});
  operations.push_back({static_cast<uint32_t>(before), static_cast<uint32_t>(op) << 28 | argument});
}

void Graph::add_dependence(TaskId predecessor, TaskId successor) {
  std::vector<TaskId>& list = heirs[predecessor];
  if (predecessor == successor || (!list.empty() && list.back() == successor)) return;
  list.push_back(successor);
  ++predecessors[successor];
  properties[predecessor] |= kHasHeirs;
  properties[successor] |= kDependent;
}

void Graph::add_dependence_with_accesses(TaskId predecessor, TaskId successor) {
  uint64_t address = ~uint64_t{predecessor} * 64;
  std::vector<Dependence>& own = accesses[predecessor];
  if (own.empty() || own.back().address != address) own.push_back({address, Access::kOut});
  accesses[successor].push_back({address, Access::kIn});
  add_dependence(predecessor, successor);
}

void Graph::finish() {
  // Parents come before children, so one pass back counts subtrees and one pass forth places them.
  std::vector<uint32_t> size(tasks.size(), 1);
  for (size_t task = tasks.size(); task-- > 0;)
    if (tasks[task].parent != kNoTask) size[tasks[task].parent] += size[task];
  uint32_t next_root = 0;
  std::vector<uint32_t> next(tasks.size());
  for (size_t task = 0; task < tasks.size(); ++task) {
    uint32_t& from = tasks[task].parent == kNoTask ? next_root : next[tasks[task].parent];
    tasks[task].order = from;
    from += size[task];
    tasks[task].order_end = from;
    next[task] = tasks[task].order + 1;
  }
}

void DependenceResolver::depend(const std::vector<TaskId>& on, TaskId task, Awaited* awaited) {
  for (TaskId before : on)
    if (awaited != nullptr)
      awaited->tasks.push_back(before);
    else
      graph_.add_dependence(before, task);
}

void DependenceResolver::access(TaskId task, uint64_t address, Access access, Awaited* awaited) {
  (awaited != nullptr ? awaited->accesses : graph_.accesses[task]).push_back({address, access});
  if (access == Access::kAll) {
    for (auto& [each, record] : records_)
      for (auto* list : {&record.writers, &record.readers, &record.set}) depend(*list, task, awaited);
    depend(all_, task, awaited);
    if (task != kNoTask) {
      records_.clear();
      all_ = {task};
    }
    return;
  }
  Record& record = records_[address];
  depend(all_, task, awaited);
  if (access == Access::kIn) {
    depend(record.set.empty() ? record.writers : record.set, task, awaited);
    if (task != kNoTask) record.readers.push_back(task);
    return;
  }
  if (access == Access::kInOutSet) {
    if (!record.set.empty() && !record.readers.empty()) { // readers after a set end it
      record.writers = record.set;
      record.set.clear();
    }
    depend(record.writers, task, awaited);
    depend(record.readers, task, awaited);
    if (task != kNoTask) record.set.push_back(task);
    return;
  }
  if (record.readers.empty()) depend(record.set.empty() ? record.writers : record.set, task, awaited);
  depend(record.readers, task, awaited);
  if (task == kNoTask) return;
  record = Record{};
  record.writers = {task};
}

namespace {

// With as many cores as tasks could use, and operations that cost nothing, everything starts as soon as it can. So one
// walk in the order of creation gives each task its start and end: predecessors are older siblings.
class Walk {
public:
  explicit Walk(const Graph& graph) : graph_(graph) {}

  Analysis run() {
    for (const Region& region : graph_.regions) {
      std::vector<Frame> members;
      for (TaskId task : region.implicit) members.push_back(begin(task, now_));
      for (bool any = true; any;) {
        any = false;
        Time all = now_;
        for (Frame& member : members) {
          if (member.ended) continue;
          walk(member);
          all = std::max({all, member.now, member.subtree});
          any |= !member.ended;
        }
        now_ = all;
        for (Frame& member : members) member.now = member.children = member.subtree = now_;
      }
    }
    result_.span = now_;
    return result_;
  }

private:
  struct Frame {
    TaskId task;
    uint32_t next;
    bool called, ended;
    Time now, children, subtree; // itself; the last end of its children; of all descendants of this group
    std::vector<Time> groups;
  };

  Frame begin(TaskId task, Time start) {
    return {task, graph_.tasks[task].first_operation, false, false, start, start, start, {}};
  }

  // Up to the next barrier or the end of an implicit task.
  void walk(Frame& member) {
    std::vector<Frame> stack;
    stack.push_back(std::move(member));
    for (;;) {
      Frame& top = stack.back();
      result_.deepest = std::max(result_.deepest, static_cast<uint32_t>(stack.size()) - 1);
      Operation operation = graph_.operations[top.next++];
      top.now += operation.before;
      result_.work += operation.before;
      switch (operation.op()) {
      case Op::kCreate:
      case Op::kCall: {
        TaskId child = operation.argument();
        Time start = top.now;
        if (graph_.properties[child] & kDependent) start = std::max(start, ready_[child]);
        bool called = operation.op() == Op::kCall;
        stack.push_back(begin(child, start));
        stack.back().called = called;
        ++result_.tasks;
        break;
      }
      case Op::kWait: top.now = std::max(top.now, top.children); break;
      case Op::kWaitTasks:
        for (TaskId task : graph_.awaited[operation.argument()].tasks) top.now = std::max(top.now, end_[task]);
        break;
      case Op::kGroupBegin:
        top.groups.push_back(top.subtree);
        top.subtree = top.now;
        break;
      case Op::kGroupEnd:
        top.now = std::max(top.now, top.subtree);
        if (top.groups.empty()) break;
        top.subtree = std::max(top.subtree, top.groups.back());
        top.groups.pop_back();
        break;
      case Op::kBarrier: member = std::move(stack.front()); return;
      case Op::kFulfil: fulfilled_[operation.argument()] = top.now; break;
      case Op::kEnd: {
        if (stack.size() == 1) {
          member = std::move(stack.front());
          member.ended = true;
          return;
        }
        Frame ended = std::move(top);
        stack.pop_back();
        leave(ended, stack.back());
        break;
      }
      case Op::kNothing: break;
      }
    }
  }

  void leave(const Frame& ended, Frame& parent) {
    Time end = ended.now;
    // An event fulfilled by an older task is known; one of a younger task is taken for no delay.
    if (auto found = fulfilled_.find(ended.task); found != fulfilled_.end()) end = std::max(end, found->second);
    Time subtree = std::max(end, ended.subtree);
    parent.children = std::max(parent.children, end);
    parent.subtree = std::max(parent.subtree, subtree);
    if (ended.called) parent.now = std::max(parent.now, ended.now);
    uint8_t properties = graph_.properties[ended.task];
    if (properties & (kHasHeirs | kDependent)) end_[ended.task] = end;
    if (properties & kHasHeirs)
      for (TaskId heir : graph_.heirs.at(ended.task)) {
        Time& ready = ready_[heir];
        ready = std::max(ready, end);
      }
  }

  const Graph& graph_;
  Analysis result_;
  Time now_ = 0;
  std::unordered_map<TaskId, Time> ready_, end_, fulfilled_;
};

} // namespace

Analysis analyse(const Graph& graph) { return Walk(graph).run(); }

} // namespace chomp::simulate
