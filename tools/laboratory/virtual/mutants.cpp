// Which mutant is in force (runtime/base/mutant.h): the runtime asks at the place where the bug would be.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/mutant.h"
#include "tools/laboratory/virtual/machine.h"

extern "C" __attribute__((visibility("default"))) int chomp_virtual_mutant = -1;

namespace virtual_machine {

void put_in_mutant(const char* name) {
  if (name[0] == 0) return;
  static constexpr const char* kNames[] = {
#define MUTANT(id, name, what) name,
      CHOMP_MUTANTS(MUTANT)
#undef MUTANT
  };
  int index = 0;
  for (const char* each : kNames) {
    if (strcmp(each, name) == 0) chomp_virtual_mutant = index;
    ++index;
  }
  if (chomp_virtual_mutant >= 0) return;
  dprintf(2, "explore: no mutant is called \"%s\"; there are:", name);
  for (const char* each : kNames) dprintf(2, " %s", each);
  dprintf(2, "\n");
  _exit(2);
}

} // namespace virtual_machine
