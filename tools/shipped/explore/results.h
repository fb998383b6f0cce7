// What all runs have found, for other programs: JUnit's XML and SARIF 2.1.
#pragma once

#include <stdint.h>

#include "tools/shipped/explore/findings.h"

namespace explore {

/// Keeps a copy of what a run has found, unless the same places are known. `order` is what repeats it.
void keep(const Findings& of_run, const char* order);
/// Whether all that a run has found is kept already.
bool all_known(const Findings& of_run);
/// Both return false, with errno, if the file cannot be written.
bool write_junit(const char* path, const char* command);
bool write_sarif(const char* path, const char* command);

} // namespace explore
