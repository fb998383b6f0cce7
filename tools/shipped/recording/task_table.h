// A value for each task of a recording, by the task's id. Ids of one worker are nearly dense, but they need not begin
// at 1, since the beginning of a long run was replaced, and a damaged file may name any; so there are pages of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace chomp::recording {

template <class Value> class TaskTable {
public:
  explicit TaskTable(Value none) { none_.fill(none); }
  TaskTable(const TaskTable&) = delete;
  TaskTable& operator=(const TaskTable&) = delete;

  Value& operator[](uint64_t id) {
    uint64_t number = id / kPage;
    if (last_ == nullptr || number != last_number_) {
      last_ = &pages_.try_emplace(number, none_).first->second;
      last_number_ = number;
    }
    return (*last_)[id % kPage];
  }

  /// What operator[] would give, without making a page.
  Value at(uint64_t id) const {
    auto found = pages_.find(id / kPage);
    return found == pages_.end() ? none_[0] : found->second[id % kPage];
  }

private:
  // A page for each event of a full slot takes some 40 MB, which is what a damaged file can ask for.
  static constexpr size_t kPage = 256;
  using Page = std::array<Value, kPage>;

  Page none_;
  std::unordered_map<uint64_t, Page> pages_; // pages stay where they are when others are added
  Page* last_ = nullptr;
  uint64_t last_number_ = 0;
};

} // namespace chomp::recording
