// Where simulated tasks wait, and the clock that says whose turn it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph.h"

namespace chomp::simulate {

inline constexpr Time kNever = std::numeric_limits<Time>::max();

/// The times at which each worker acts next, as a tournament: the first is found at once, a change costs log2(size).
class Clock {
public:
  explicit Clock(int workers) {
    while (leaves_ < workers) leaves_ *= 2;
    times_.assign(static_cast<size_t>(leaves_), kNever);
    winners_.resize(static_cast<size_t>(2 * leaves_));
    for (int i = 0; i < leaves_; ++i) winners_[static_cast<size_t>(leaves_ + i)] = i;
    for (int i = leaves_ - 1; i > 0; --i) play(i);
  }
  int first() const { return winners_[1]; }
  Time time(int worker) const { return times_[static_cast<size_t>(worker)]; }
  void set(int worker, Time time) {
    times_[static_cast<size_t>(worker)] = time;
    for (int i = (leaves_ + worker) / 2; i > 0; i /= 2) play(i);
  }

private:
  void play(int i) {
    int left = winners_[static_cast<size_t>(2 * i)], right = winners_[static_cast<size_t>(2 * i + 1)];
    winners_[static_cast<size_t>(i)] =
        times_[static_cast<size_t>(right)] < times_[static_cast<size_t>(left)] ? right : left;
  }
  int leaves_ = 1;
  std::vector<Time> times_;
  std::vector<int> winners_;
};

/// Tasks in the order in which they came. Positions are counted from the first ever, so that one names a moment.
class TaskQueue {
public:
  uint64_t base() const { return offset_ + taken_; }
  uint64_t top() const { return offset_ + tasks_.size(); }
  size_t size() const { return tasks_.size() - taken_; }
  bool empty() const { return size() == 0; }
  void push(TaskId task) { tasks_.push_back(task); }
  TaskId pop_newest() {
    TaskId task = tasks_.back();
    tasks_.pop_back();
    if (tasks_.size() == taken_) forget();
    return task;
  }
  TaskId pop_oldest() {
    TaskId task = tasks_[taken_++];
    if (tasks_.size() == taken_ || taken_ > 4096) forget();
    return task;
  }
  /// The newest or oldest that the predicate allows; kNoTask if none.
  template <class May> TaskId take(bool newest, May may) {
    for (size_t i = 0; i < size(); ++i) {
      size_t at = newest ? tasks_.size() - 1 - i : taken_ + i;
      if (!may(tasks_[at])) continue;
      TaskId task = tasks_[at];
      if (i == 0) return newest ? pop_newest() : pop_oldest();
      tasks_.erase(tasks_.begin() + static_cast<ptrdiff_t>(at));
      return task;
    }
    return kNoTask;
  }

private:
  void forget() { // what was taken; positions stay
    tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<ptrdiff_t>(taken_));
    offset_ += taken_;
    taken_ = 0;
  }
  std::vector<TaskId> tasks_;
  size_t taken_ = 0;
  uint64_t offset_ = 0;
};

} // namespace chomp::simulate
