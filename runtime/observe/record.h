// CHOMP_RECORD: writes the events of a run to a file (record_format.h) for `chomp trace` and
// `chomp report`. An observer of events.h.
#pragma once

namespace chomp {

/// If CHOMP_RECORD names a file: opens it and observes from now on. Called once, at start-up, after config_read().
void record_start();

} // namespace chomp
