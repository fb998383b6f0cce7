// A table that doubles when it is three quarters full. It begins small, since a run pays for what it touches of it.
// What is in it is never moved or given back.
#pragma once

#include "tools/laboratory/virtual/machine.h"

namespace virtual_machine {

/// Entries by one of their members, a number.
template <typename Entry, auto kKey> class Table {
public:
  size_t room() const { return places_ == nullptr ? 0 : size_t{1} << bits_; }
  /// Null: there is none.
  Entry* find(uint64_t key) const { return places_ == nullptr ? nullptr : *place_of(key); }
  /// If there is none it is made, and zero but for its key.
  Entry& at(uint64_t key) {
    if (places_ == nullptr) make_places();
    Entry** place = place_of(key);
    if (*place != nullptr) return **place;
    if (++count_ > 3 * room() / 4) {
      Entry** before = places_;
      size_t places = size_t{1} << bits_++;
      make_places();
      for (size_t i = 0; i < places; ++i)
        if (before[i] != nullptr) *place_of(before[i]->*kKey) = before[i];
      place = place_of(key);
    }
    *place = static_cast<Entry*>(permanent(sizeof(Entry)));
    (*place)->*kKey = key;
    return **place;
  }
  template <typename Do> void for_each(Do act) const {
    for (size_t i = 0; i < room(); ++i)
      if (places_[i] != nullptr) act(places_[i]);
  }

private:
  void make_places() { places_ = static_cast<Entry**>(permanent((size_t{1} << bits_) * sizeof(Entry*))); }
  Entry** place_of(uint64_t key) const {
    size_t index = (key * 0x9e3779b97f4a7c15) >> (64 - bits_);
    while (places_[index] != nullptr && places_[index]->*kKey != key) index = (index + 1) & (room() - 1);
    return &places_[index];
  }

  Entry** places_ = nullptr;
  size_t count_ = 0;
  unsigned bits_ = 8;
};

} // namespace virtual_machine
