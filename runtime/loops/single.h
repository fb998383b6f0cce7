// single constructs and copyprivate.
#pragma once

namespace chomp {

struct Worker;

/// single (OpenMP 5.2, 11.1): whether this member executes the region.
bool single_begin(Worker* worker);

/// copyprivate: `copy(mine, theirs)` on every member but the one that executed the region.
void copyprivate_broadcast(Worker* worker, void* data, void (*copy)(void*, void*), bool executed);
/// Returns the pointer that the member which executed the region passes; the others pass null. A barrier must follow
/// the last use.
void* copyprivate_exchange(Worker* worker, void* data);

} // namespace chomp
