// How iterations and sections are shared out among threads, and blocks of them among teams, where OpenMP lets the
// implementation choose: in half of the runs drawn from the seed. Two loops that are as long, in teams as large, are
// shared out alike, as OpenMP promises.
#include "tools/shipped/explore/shares.h"

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/search.h"

namespace explore {
namespace {

constexpr uint64_t kMostParts = virtual_machine::kMaxExplored;

uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t z = (a ^ b * 0xd1342543de82ef95) * 0x9e3779b97f4a7c15 + b;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 31);
}

bool draws = false;

// The first iterations of all parts but the first, each part with one at least. A fault is often in the first or in the
// last iteration alone, so these have a part of their own now and then.
struct Cuts {
  uint64_t count, parts;
  uint64_t at[kMostParts];
};
Cuts cuts;

void draw_cuts(uint64_t count, uint64_t parts) {
  if (cuts.count == count && cuts.parts == parts) return;
  cuts.count = count;
  cuts.parts = parts;
  uint64_t number = mixed(virtual_machine::settings.seed, mixed(count, parts));
  enum { kFirstAlone, kLastAlone, kAnywhere };
  uint64_t how = number % 4, made = 0;
  if (how == kFirstAlone) cuts.at[made++] = 1;
  if (how == kLastAlone) cuts.at[made++] = count - 1;
  while (made < parts - 1) {
    number = mixed(number, made);
    uint64_t cut = 1 + number % (count - 1), at = 0;
    for (bool again = true; again; cut = again ? cut % (count - 1) + 1 : cut) { // the next one that is free
      again = false;
      for (uint64_t i = 0; i < made; ++i) again = again || cuts.at[i] == cut;
    }
    for (at = made++; at > 0 && cuts.at[at - 1] > cut; --at) cuts.at[at] = cuts.at[at - 1];
    cuts.at[at] = cut;
  }
}

bool choose(uint64_t last, uint64_t part, uint64_t parts, uint64_t* first, uint64_t* beyond) {
  if (last < parts || parts > kMostParts || last == UINT64_MAX) return false; // each has one at most
  if (trace != nullptr) {
    virtual_machine::not_all("a thread gets more than one iteration or section, and which ones is not tried: --threads "
                             "with a larger number");
    return false;
  }
  if (!draws) return false;
  findings->drawn_shares = true;
  draw_cuts(last + 1, parts);
  *first = part == 0 ? 0 : cuts.at[part - 1];
  *beyond = part + 1 == parts ? last + 1 : cuts.at[part];
  return true;
}

} // namespace

void share_out_by_seed() {
  draws = virtual_machine::settings.seed > 1 && mixed(virtual_machine::settings.seed, 1) % 2 == 0;
  virtual_machine::choose_share = choose;
}

} // namespace explore
