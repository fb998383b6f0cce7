// What a scaled run tells: one line of JSON to the descriptor EXPLORE_REPORT when the process ends. tools/scale reads
// it.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"

namespace virtual_machine {

Costs costs;
int chips = 1;
int cores_per_chip = 4;
int64_t limit_ps = INT64_MAX;
Events events;

namespace {

struct Transfers {
  const void* pc; // nullptr: unused
  uint64_t count, far, writes;
  int64_t waited_ps;
};
constexpr size_t kPlaces = 1 << 14; // of code: a program with more places that miss would be very large
Transfers* places = nullptr;
size_t places_used = 0;

Transfers* place_of(const void* pc) {
  size_t index = (reinterpret_cast<uintptr_t>(pc) * 0x9e3779b97f4a7c15) >> 50;
  while (places[index].pc != nullptr && places[index].pc != pc) index = (index + 1) & (kPlaces - 1);
  return &places[index];
}

void write_place(FILE* out, const Transfers& place, const char* comma) {
  Dl_info info{};
  unsigned long offset = reinterpret_cast<unsigned long>(place.pc);
  const char* file = "?";
  if (dladdr(place.pc, &info) != 0 && info.dli_fname != nullptr) {
    file = info.dli_fname;
    offset -= reinterpret_cast<unsigned long>(info.dli_fbase);
  }
  fprintf(out, "%s{\"file\":\"%s\",\"offset\":%lu,\"count\":%llu,\"far\":%llu,\"writes\":%llu,\"waited_ns\":%lld}",
          comma, file, offset, (unsigned long long)place.count, (unsigned long long)place.far,
          (unsigned long long)place.writes, (long long)(place.waited_ps / 1000));
}

} // namespace

void count_transfer(const void* pc, int64_t ps, bool far, bool write) {
  if (places == nullptr) places = static_cast<Transfers*>(permanent(kPlaces * sizeof(Transfers)));
  Transfers* place = place_of(pc);
  if (place->pc == nullptr) {
    if (++places_used == kPlaces) fail("more than %zu places of code that miss", kPlaces - 1);
    place->pc = pc;
  }
  ++place->count;
  place->far += far;
  place->writes += write;
  place->waited_ps += ps;
}

bool read_scale_setting(const char* word) {
  if (sscanf(word, "machine=%dx%d", &chips, &cores_per_chip) == 2)
    return chips > 0 && cores_per_chip > 0 && chips * cores_per_chip <= kMaxCpus;
  long long ns = 0;
  if (sscanf(word, "limit_ns=%lld", &ns) == 1) {
    limit_ps = (kStartNs + ns) * 1000;
    return ns > 0;
  }
  const char* equals = strchr(word, '=');
  if (equals == nullptr) return false;
  auto length = static_cast<size_t>(equals - word);
#define COST(name, value)                                                                                              \
  if (strlen(#name) == length && strncmp(word, #name, length) == 0) {                                                  \
    costs.name = atoll(equals + 1);                                                                                    \
    return costs.name >= 0;                                                                                            \
  }
  VIRTUAL_COSTS(COST)
#undef COST
  return false;
}

void write_scale_report() {
  int to = 2;
  if (const char* text = getenv("EXPLORE_REPORT")) to = atoi(text);
  FILE* out = fdopen(dup(to), "w");
  if (out == nullptr) return;
  int64_t end = current->time.clock_ps, asleep = 0, lost = 0, longest_loss = 0;
  for (int i = 0; i < width; ++i) {
    Fiber& fiber = fibers[i];
    asleep += fiber.time.asleep_ps;
    lost += fiber.time.lost_ps;
    if (fiber.time.longest_loss_ps > longest_loss) longest_loss = fiber.time.longest_loss_ps;
    // A thread that sleeps to the end has slept since its clock stopped.
    if (fiber.state == State::kBlocked && fiber.time.clock_ps < end) asleep += end - fiber.time.clock_ps;
  }
  fprintf(out,
          "{\"time_ns\":%lld,\"asleep_ns\":%lld,\"switches\":%llu,\"crowded\":%d,\"lost_ns\":%lld,\"lost_by_first_ns\":"
          "%lld,\"longest_loss_ns\":%lld",
          (long long)(end / 1000 - kStartNs), (long long)(asleep / 1000), (unsigned long long)report->switches,
          events.oversubscribed, (long long)(lost / 1000), (long long)(fibers[0].time.lost_ps / 1000),
          (long long)(longest_loss / 1000));
  const struct {
    const char* name;
    uint64_t count;
  } counts[] = {{"atomics", events.atomics}, {"updates", events.updates},
                {"plain", events.plain},     {"fences", events.fences},
                {"blocks", events.blocks},   {"sleeps", events.sleeps},
                {"wakes", events.wakes},     {"woken", events.woken},
                {"threads", events.threads}, {"membarriers", events.membarriers},
                {"pauses", events.pauses},   {"moves", events.moves}};
  for (const auto& each : counts) fprintf(out, ",\"%s\":%llu", each.name, (unsigned long long)each.count);
  fprintf(out, ",\"transfers\":[");
  const char* comma = "";
  for (size_t i = 0; places != nullptr && i < kPlaces; ++i)
    if (places[i].pc != nullptr) {
      write_place(out, places[i], comma);
      comma = ",";
    }
  fprintf(out, "]}\n");
  fclose(out);
}

} // namespace virtual_machine
