// Orders weakened on purpose, to prove that tools/explore sees what each is for: an atomic access whose call returns to
// one of the named places of the runtime's code loses its acquire, its release or both. tools/explore finds the places
// of a line of source (EXPLORE's word weaken=).
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "tools/laboratory/virtual/machine.h"

namespace virtual_machine {

bool weakens = false;

namespace {

struct Place {
  uintptr_t address; // first an offset in the runtime's library
  char lost;         // a: acquire, r: release, b: both
};
constexpr int kMostPlaces = 512;
Place places[kMostPlaces];
int place_count = 0;

int find_runtime(dl_phdr_info* library, size_t, void* base) {
  if (strstr(library->dlpi_name, "/libomp") == nullptr) return 0;
  *static_cast<uintptr_t*>(base) = library->dlpi_addr;
  return 1;
}

} // namespace

bool read_weakened(const char* list) {
  char* rest = nullptr;
  for (const char* at = list; *at != 0; at = rest) {
    if (*at == ',') ++at;
    if (strchr("arb", *at) == nullptr || place_count == kMostPlaces) return false;
    places[place_count++] = {strtoul(at + 1, &rest, 16), *at};
    if (rest == at + 1) return false;
  }
  uintptr_t base = 0;
  if (dl_iterate_phdr(find_runtime, &base) == 0) return false;
  for (int i = 0; i < place_count; ++i) places[i].address += base;
  weakens = true;
  return true;
}

int weakened_order(int order, const void* pc) {
  bool acquire = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE, release = order >= __ATOMIC_RELEASE;
  for (int i = 0; i < place_count; ++i) {
    if (places[i].address != reinterpret_cast<uintptr_t>(pc)) continue;
    if (places[i].lost != 'r') acquire = false;
    if (places[i].lost != 'a') release = false;
    return acquire ? __ATOMIC_ACQUIRE : release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
  }
  return order;
}

} // namespace virtual_machine
