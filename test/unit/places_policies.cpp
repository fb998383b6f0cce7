// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/config/places.cpp %root/runtime/machine/hardware.cpp -pthread -o %t && %t
// Where the threads of a team go (OpenMP 5.2, 10.1.3), for all partitions of up to 12 places, primaries, and up to 30
// threads: the properties that the specification demands, and its examples.
#include "runtime/config/places.h"
#include "test/unit/check_that.h"

using namespace chomp;

static bool inside(const Placement& own, const Placement& outer) {
  return own.count >= 1 && own.first >= outer.first && own.first + own.count <= outer.first + outer.count &&
         own.place >= own.first && own.place < own.first + own.count;
}

static bool is(ProcBind policy, Placement primary, int threads, int tid, int place, int first, int count) {
  Placement own = placement_of(policy, primary, threads, tid);
  return own.place == place && own.first == first && own.count == count;
}

/// All threads of one team.
static void team(ProcBind policy, Placement primary, int threads) {
  int places = primary.count;
  int at[64] = {}, part_of_place[64] = {}, moves = 0;
  Placement before = {};
  for (int tid = 0; tid < threads; tid++) {
    Placement own = placement_of(policy, primary, threads, tid);
    THAT(inside(own, primary));
    if (tid == 0) THAT(own.place == primary.place);
    at[own.place]++;
    if (policy != ProcBind::kSpread) THAT(own.first == primary.first && own.count == primary.count);
    if (tid > 0 && own.place != before.place) {
      moves++; // to the next place, or to the next part, around the end
      int next = policy == ProcBind::kSpread ? before.first + before.count : before.place + 1;
      THAT(own.place == (next == primary.first + places ? primary.first : next));
    }
    if (policy == ProcBind::kSpread) {
      if (threads > places) THAT(own.count == 1);
      if (threads <= places) THAT(own.count == places / threads || own.count == (places + threads - 1) / threads);
      if (tid > 0) THAT(own.place == own.first);
      if (threads <= places)
        for (int place = own.first; place < own.first + own.count; place++) part_of_place[place]++;
    }
    before = own;
  }
  if (policy == ProcBind::kPrimary) THAT(moves == 0 && at[primary.place] == threads);
  if (policy == ProcBind::kPrimary) return;
  THAT(moves == (threads < places ? threads : places) - 1);
  for (int place = primary.first; place < primary.first + places; place++) {
    if (threads >= places) THAT(at[place] == threads / places || at[place] == (threads + places - 1) / places);
    if (threads < places) THAT(at[place] <= 1);
    if (policy == ProcBind::kSpread && threads <= places) THAT(part_of_place[place] == 1); // parts cover, none twice
  }
}

int main() {
  for (int first : {0, 3})
    for (int places = 1; places <= 12; places++)
      for (int here = 0; here < places; here++)
        for (int threads = 1; threads <= 30; threads++)
          for (ProcBind policy : {ProcBind::kPrimary, ProcBind::kClose, ProcBind::kSpread})
            team(policy,
                 {static_cast<int16_t>(first + here), static_cast<uint16_t>(first), static_cast<uint16_t>(places)},
                 threads);

  // The examples document: 8 places, 4 threads, the primary on place 0 or 2.
  THAT(is(ProcBind::kSpread, {0, 0, 8}, 4, 1, 2, 2, 2) && is(ProcBind::kSpread, {0, 0, 8}, 4, 3, 6, 6, 2));
  THAT(is(ProcBind::kSpread, {2, 0, 8}, 4, 0, 2, 2, 2) && is(ProcBind::kSpread, {2, 0, 8}, 4, 3, 0, 0, 2));
  THAT(is(ProcBind::kClose, {2, 0, 8}, 4, 3, 5, 0, 8) && is(ProcBind::kClose, {6, 0, 8}, 4, 2, 0, 0, 8));
  // 16 threads: pairs on each place, with single places as partitions when they are spread.
  THAT(is(ProcBind::kClose, {0, 0, 8}, 16, 3, 1, 0, 8) && is(ProcBind::kSpread, {2, 0, 8}, 16, 15, 1, 1, 1));
  THAT(is(ProcBind::kPrimary, {5, 0, 8}, 16, 9, 5, 0, 8));

  // Balanced: no core has two threads more than another, and neighbours are together.
  for (int cores = 1; cores <= 8; cores++)
    for (int threads = 1; threads <= 24; threads++) {
      int on[8] = {}, last = 0;
      for (int tid = 0; tid < threads; tid++) {
        BalancedPosition position = balanced_position(cores, threads, tid);
        THAT(position.core >= last && position.core <= last + 1 && position.core < cores);
        THAT(position.thread == on[position.core]);
        on[position.core]++;
        last = position.core;
      }
      for (int core = 0; core < cores; core++)
        THAT(on[core] >= threads / cores && on[core] <= (threads + cores - 1) / cores);
    }
  return result();
}
