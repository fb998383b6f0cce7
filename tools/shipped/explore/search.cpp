// Dynamic partial-order reduction (Flanagan, Godefroid, POPL 2005) with sleep sets (Godefroid, 1996), by running the
// program again for each order. README.md has the proof.
#include "tools/shipped/explore/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace explore {
namespace {

// The strands of a set, few enough to be looked through.
struct Names {
  static constexpr uint32_t kMost = 64;
  uint32_t count;
  uint64_t list[kMost];
  bool has(uint64_t name) const {
    for (uint32_t i = 0; i < count; ++i)
      if (list[i] == name) return true;
    return false;
  }
  void add(uint64_t name) {
    if (!has(name) && count < kMost) list[count++] = name;
  }
};

// A decision of the order that was tried last: who went on there, in this order and in those before it with the same
// beginning; who has to; and who need not, since that would repeat orders.
struct Node {
  Names done, to_try, asleep;
};
Node* nodes = nullptr;
uint64_t* chosen = nullptr;
uint32_t depth = 0;
Names asleep_at_branch;
bool all_interleavings = false;

constexpr uint32_t kWords = Trace::kSteps / 64;
uint64_t (*past_of)[kWords] = nullptr; // of a step: those that happen before it, and itself

const Arrival& at(uint32_t step) { return trace->arrival[trace->step[step].chosen]; }
const Held* held_at(uint32_t step) { return trace->held_list + trace->step[step].first_held; }
const Arrival& held_arrival(uint32_t step, uint32_t index) { return trace->arrival[held_at(step)[index].arrival]; }

bool has_bit(const uint64_t* bits, uint32_t number) { return (bits[number / 64] >> number % 64 & 1) != 0; }
void join(uint64_t* bits, const uint64_t* others, uint32_t steps) {
  for (uint32_t word = 0; word <= steps / 64; ++word) bits[word] |= others[word];
}

// What happens before a strand got to where it is held: the steps that it knows of, and all before them.
void past_at(const Arrival& arrival, uint32_t steps, uint64_t* bits) {
  memset(bits, 0, sizeof *past_of);
  const uint64_t* known = trace->past + arrival.past;
  for (uint32_t i = 0; i < steps && i < arrival.steps; ++i)
    if (at(i).strand == arrival.strand || has_bit(known, i)) join(bits, past_of[i], steps);
}

// `step` came before what `arrival` is about to do, and need not have: the strand is to go on first, or one that leads
// there.
void reverse(uint32_t step, const Arrival& arrival, uint32_t steps, const uint64_t* past) {
  Node& node = nodes[step];
  const Held* held = held_at(step);
  uint32_t count = trace->step[step].held;
  for (uint32_t h = 0; h < count; ++h)
    if (held[h].enabled && held_arrival(step, h).strand == arrival.strand) return node.to_try.add(arrival.strand);
  uint64_t leads_there = 0;
  for (uint32_t h = 0; h < count; ++h) {
    if (!held[h].enabled) continue;
    uint64_t strand = held_arrival(step, h).strand;
    for (uint32_t i = step + 1; i < steps; ++i) {
      if (at(i).strand != strand || !has_bit(past, i)) continue;
      if (node.to_try.has(strand)) return;
      if (leads_there == 0) leads_there = strand;
    }
  }
  if (leads_there != 0) return node.to_try.add(leads_there);
  for (uint32_t h = 0; h < count; ++h)
    if (held[h].enabled) node.to_try.add(held_arrival(step, h).strand);
}

// All earlier steps with which the operation does not commute, and that do not happen before it.
void find_reversals(const Arrival& arrival, uint32_t steps) {
  uint64_t past[kWords];
  past_at(arrival, steps, past);
  for (uint32_t i = 0; i < steps; ++i)
    if (at(i).strand != arrival.strand && !commute(at(i), arrival) && !has_bit(past, i))
      reverse(i, arrival, steps, past);
}

void look_through(uint32_t known) {
  uint32_t steps = trace->steps;
  for (uint32_t i = 0; i < steps; ++i) {
    if (i >= known) find_reversals(at(i), i);
    uint64_t* past = past_of[i];
    past_at(at(i), i, past);
    for (uint32_t before = 0; before < i; ++before)
      if (!commute(at(before), at(i))) join(past, past_of[before], i);
    past[i / 64] |= uint64_t{1} << i % 64;
  }
  for (uint32_t a = 0; a < trace->arrivals; ++a)
    if (trace->arrival[a].in_vain) find_reversals(trace->arrival[a], steps);
  // What never went on.
  if (steps == 0 && !trace->ends_held) return;
  uint32_t last = trace->ends_held ? steps : steps - 1;
  for (uint32_t h = 0; h < trace->step[last].held; ++h)
    if (trace->ends_held || trace->step[last].chosen != held_at(last)[h].arrival)
      find_reversals(held_arrival(last, h), steps);
}

void add_nodes(uint32_t known) {
  for (uint32_t i = known; i < trace->steps; ++i) {
    Node& node = nodes[i];
    node.done.count = node.to_try.count = node.asleep.count = 0;
    if (i > 0) {
      const Node& before = nodes[i - 1];
      for (uint32_t h = 0; h < trace->step[i - 1].held; ++h) {
        const Arrival& other = held_arrival(i - 1, h);
        bool slept = before.asleep.has(other.strand) || (i == known && asleep_at_branch.has(other.strand));
        if (slept && other.strand != at(i - 1).strand && commute(other, at(i - 1))) node.asleep.add(other.strand);
      }
    }
    chosen[i] = at(i).strand;
  }
  for (uint32_t i = known > 0 ? known - 1 : 0; i < trace->steps; ++i) {
    nodes[i].done.add(chosen[i]);
    nodes[i].to_try.add(chosen[i]);
    if (!all_interleavings) continue;
    for (uint32_t h = 0; h < trace->step[i].held; ++h)
      if (held_at(i)[h].enabled) nodes[i].to_try.add(held_arrival(i, h).strand);
  }
}

} // namespace

void begin_search(bool naive) {
  if (nodes == nullptr) {
    nodes = static_cast<Node*>(virtual_machine::map_memory(Trace::kSteps * sizeof(Node)));
    chosen = static_cast<uint64_t*>(virtual_machine::map_memory(Trace::kSteps * sizeof(uint64_t)));
    past_of = static_cast<uint64_t(*)[kWords]>(virtual_machine::map_memory(Trace::kSteps * sizeof *past_of));
  }
  all_interleavings = naive;
  depth = 0;
  asleep_at_branch.count = 0;
  plan.chosen = chosen;
  plan.asleep = asleep_at_branch.list;
  plan.steps = plan.asleep_count = 0;
}

bool plan_next() {
  uint32_t known = depth;                 // the decisions of the plan: what comes after them is new
  if (trace->steps < known) return false; // it has given up
  add_nodes(known);
  if (!all_interleavings) look_through(known > 0 ? known - 1 : 0);
  for (uint32_t i = trace->steps; i-- > 0;) {
    Node& node = nodes[i];
    for (uint32_t t = 0; t < node.to_try.count; ++t) {
      uint64_t strand = node.to_try.list[t];
      if (node.done.has(strand) || node.asleep.has(strand)) continue;
      asleep_at_branch.count = 0;
      if (!all_interleavings) {
        asleep_at_branch = node.asleep;
        for (uint32_t d = 0; d < node.done.count; ++d) asleep_at_branch.add(node.done.list[d]);
      }
      chosen[i] = strand;
      depth = i + 1;
      plan.steps = depth;
      plan.asleep_count = asleep_at_branch.count;
      return true;
    }
  }
  return false;
}

void write_choices(char* text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < trace->steps && used < room; ++i) {
    uint32_t which = 0, usual = 0, count = 0;
    for (uint32_t h = 0; h < trace->step[i].held; ++h) {
      if (!held_at(i)[h].enabled) continue;
      if (held_at(i)[h].arrival == trace->step[i].chosen) which = count;
      if (i > 0 && held_arrival(i, h).strand == at(i - 1).strand) usual = count;
      ++count;
    }
    if (which == usual) continue;
    used += static_cast<size_t>(snprintf(text + used, room - used, "%s%u=%u", used > 0 ? "," : "", i, which));
  }
}

bool read_choices(const char* text) {
  plan.written = true;
  while (*text != 0) {
    char* end;
    auto step = static_cast<uint32_t>(strtoul(text, &end, 10));
    if (*end != '=' || plan.count == Trace::kSteps) return false;
    auto which = static_cast<uint32_t>(strtoul(end + 1, &end, 10));
    if (*end != 0 && *end != ',') return false;
    plan.list[plan.count++] = {step, which};
    text = *end == ',' ? end + 1 : end;
  }
  return true;
}

} // namespace explore
