// Orders that are written down. An order is what is usual, but for a list of decisions: the usual thread goes on at a
// point, and the next one by number when it waits or yields. So any run can be noted as such a list (`noted`),
// shortened and run again (strategy kWritten, `written`). A decision is known by its thread and by how many that thread
// has made before: what other threads do meanwhile does not count, so the rest of a list means the same when parts are
// left out.
#include "tools/laboratory/virtual/machine.h"

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
Place* places = nullptr;
unsigned place_bits = 4;

Place* place_of(uint64_t key) {
  size_t mask = (size_t{1} << place_bits) - 1;
  size_t index = (key * 0x9e3779b97f4a7c15) >> (64 - place_bits);
  while (places[index].key != 0 && places[index].key != key) index = (index + 1) & mask;
  return &places[index];
}

const Switch* find() {
  if (written == nullptr || written->count == 0) return nullptr;
  if (places == nullptr) {
    while (size_t{1} << place_bits < size_t{2} * written->count) ++place_bits;
    places = static_cast<Place*>(permanent((size_t{1} << place_bits) * sizeof(Place)));
    for (uint32_t i = 0; i < written->count; ++i) {
      uint64_t key = key_of(written->list[i]);
      *place_of(key) = {key, &written->list[i]};
    }
  }
  return place_of(key_of({current->decisions, static_cast<uint16_t>(current->id), 0}))->found;
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
