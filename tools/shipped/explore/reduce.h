// The fewest switches with which a run still fails, and orders as text: what `--reduce` prints and `--replay` reads.
#pragma once

#include "tools/laboratory/virtual/machine.h"

namespace explore {

using virtual_machine::SwitchList;

/// What became of a run. kChild: this process is the run, and goes on as the program.
enum class Outcome : uint8_t { kChild, kFails, kPasses };

/// Leaves out of the order what `fails` does without, until nothing can be left out, or it says that time is up by
/// setting `*enough`.
Outcome reduce(SwitchList* order, Outcome (*fails)(const SwitchList& order), const bool* enough);

/// If more than one switch is left: looks for one that suffices by itself, at all decisions of the usual order.
Outcome try_single_switches(SwitchList* order, Outcome (*fails)(const SwitchList& order), const bool* enough);

/// As "0.15=1,2.3~4": at decision 15 of thread 0 thread 1 goes on; at decision 3 of thread 2 thread 4 is woken first.
void write_order(const SwitchList& order, char* text, size_t room);
bool read_order(const char* text, SwitchList* order);

} // namespace explore
