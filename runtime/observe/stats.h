// CHOMP_STATS: reports the counters of counters.h when the process ends.
#pragma once

namespace chomp {

/// Reads the setting. Called under the start-up lock, after config_read().
void stats_start();

} // namespace chomp
