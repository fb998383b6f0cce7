// See reduce.h. Delta debugging (Zeller, Hildebrandt, TSE 2002) over the switches of a run: ever smaller stretches are
// left out, as long as the run still fails.
#include "tools/shipped/explore/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace explore {
namespace {

using virtual_machine::Switch;

void without(const SwitchList& order, uint32_t first, uint32_t count, SwitchList* shorter) {
  uint32_t after = first + count < order.count ? first + count : order.count;
  shorter->count = first + order.count - after;
  memcpy(shorter->list, order.list, first * sizeof(Switch));
  memcpy(shorter->list + first, order.list + after, (order.count - after) * sizeof(Switch));
}

} // namespace

Outcome reduce(SwitchList* order, Outcome (*fails)(const SwitchList& order), const bool* enough) {
  auto* shorter = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
  bool again = true;
  for (uint32_t stretch = order->count; stretch > 0 && again;) {
    bool left_out = false;
    for (uint32_t at = 0; at < order->count && !*enough;) {
      without(*order, at, stretch, shorter);
      Outcome outcome = fails(*shorter);
      if (outcome == Outcome::kChild) return outcome;
      if (outcome == Outcome::kFails) {
        *order = *shorter;
        left_out = true;
      } else {
        at += stretch;
      }
    }
    again = !*enough && order->count > 0 && (stretch > 1 || left_out);
    if (stretch > order->count) stretch = order->count;
    stretch = (stretch + 1) / 2;
  }
  return Outcome::kFails;
}

Outcome try_single_switches(SwitchList* order, Outcome (*fails)(const SwitchList& order), const bool* enough) {
  constexpr int kThreads = virtual_machine::Report::kCounted;
  if (order->count < 2) return Outcome::kFails;
  auto* trial = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
  memset(virtual_machine::report->decisions, 0, sizeof virtual_machine::report->decisions);
  if (fails(*trial) == Outcome::kChild) return Outcome::kChild;
  uint32_t decisions[kThreads];
  memcpy(decisions, virtual_machine::report->decisions, sizeof decisions);
  int threads = 0;
  while (threads < kThreads && decisions[threads] != 0) ++threads;
  for (int thread = 0; thread < threads; ++thread)
    for (uint32_t at = 0; at < decisions[thread]; ++at)
      for (int next = 0; next < threads && !*enough; ++next) {
        if (next == thread) continue;
        trial->count = 1;
        trial->list[0] = {at, static_cast<uint16_t>(thread), static_cast<int16_t>(next)};
        Outcome outcome = fails(*trial);
        if (outcome == Outcome::kPasses) continue;
        order->count = 1;
        order->list[0] = trial->list[0];
        return outcome;
      }
  return Outcome::kFails;
}

void write_order(const SwitchList& order, char* text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < order.count && used < room; ++i) {
    const Switch& one = order.list[i];
    bool wakes = one.next < 0;
    used += static_cast<size_t>(snprintf(text + used, room - used, "%s%u.%u%c%d", i > 0 ? "," : "", one.fiber,
                                         one.decision, wakes ? '~' : '=', wakes ? -1 - one.next : one.next));
  }
}

bool read_order(const char* text, SwitchList* order) {
  order->count = 0;
  while (*text != 0) {
    char* end;
    auto fiber = strtoul(text, &end, 10);
    if (*end != '.' || order->count == SwitchList::kMost) return false;
    auto decision = strtoul(end + 1, &end, 10);
    bool wakes = *end == '~';
    if (!wakes && *end != '=') return false;
    auto next = static_cast<int>(strtoul(end + 1, &end, 10));
    if (*end != 0 && *end != ',') return false;
    if (fiber >= virtual_machine::kMaxFibers || next >= virtual_machine::kMaxFibers) return false;
    order->list[order->count++] = {static_cast<uint32_t>(decision), static_cast<uint16_t>(fiber),
                                   static_cast<int16_t>(wakes ? -1 - next : next)};
    text = *end == ',' ? end + 1 : end;
  }
  return true;
}

} // namespace explore
