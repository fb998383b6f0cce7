// Orders that are written down. An order is what is usual, but for a list of decisions: the usual thread goes on at a
// point, and the next one by number when it waits or yields. So any run can be noted as such a list (`noted`),
// shortened and run again (strategy kWritten, `written`). A decision is known by its thread and by how many that thread
// has made before: what other threads do meanwhile does not count, so the rest of a list means the same when parts are
// left out.
#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/table.h"

namespace virtual_machine {

const SwitchList* written = nullptr;
SwitchList* noted = nullptr;
void (*tell_switch)(const Fiber* now, const Fiber* next, bool wakes) = nullptr;

namespace {

// A thread that spins without telling the machine must not keep others away for ever.
constexpr uint32_t kFair = 4000;
uint32_t points_in_turn = 0;

uint64_t key_of(const Switch& one) { return (uint64_t{one.fiber} << 32 | one.decision) + 1; }

// The list by key, made when it is asked for the first time.
struct Place {
  uint64_t key;
  const Switch* found;
};
Table<Place, &Place::key> places;

const Switch* find() {
  if (written == nullptr || written->count == 0) return nullptr;
  if (places.room() == 0)
    for (uint32_t i = 0; i < written->count; ++i) places.at(key_of(written->list[i])).found = &written->list[i];
  const Place* place = places.find(key_of({current->decisions, static_cast<uint16_t>(current->id), 0}));
  return place != nullptr ? place->found : nullptr;
}

void note(int next) {
  if (noted->count == SwitchList::kMost) return;
  noted->list[noted->count++] = {current->decisions, static_cast<uint16_t>(current->id), static_cast<int16_t>(next)};
}

bool may_run(const Fiber& fiber) { return fiber.state == State::kReady || fiber.frozen; }

} // namespace

Fiber* usual_next(bool may_stay) {
  if (may_stay && ++points_in_turn <= kFair) return current;
  points_in_turn = 0;
  for (int i = 1; i < width; ++i) {
    Fiber& fiber = fibers[(current->id + i) % width];
    if (may_run(fiber)) return &fiber;
  }
  return current;
}

Fiber* decide(Fiber* usual, Fiber* chosen) {
  if (settings.strategy == Strategy::kWritten) {
    const Switch* found = find();
    bool given = found != nullptr && found->next >= 0 && found->next < width && may_run(fibers[found->next]);
    chosen = given ? &fibers[found->next] : usual;
    if (given && chosen != usual && tell_switch != nullptr) tell_switch(current, chosen, false);
  } else if (noted != nullptr && chosen != usual) {
    note(chosen->id);
  }
  ++current->decisions;
  if (current->id < Report::kCounted) report->decisions[current->id] = current->decisions;
  if (chosen != current) points_in_turn = 0;
  return chosen;
}

int decide_wake(int usual, int chosen) {
  if (settings.strategy == Strategy::kWritten) {
    const Switch* found = find();
    chosen = found != nullptr && found->next < 0 ? -1 - found->next : usual;
    if (chosen != usual && tell_switch != nullptr && chosen < width) tell_switch(current, &fibers[chosen], true);
  } else if (noted != nullptr && chosen != usual) {
    note(-1 - chosen);
  }
  ++current->decisions;
  return chosen;
}

} // namespace virtual_machine
