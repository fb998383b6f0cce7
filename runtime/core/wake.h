// Waking a worker that is parked: the waker's half of the protocol whose other half is Idler::park() (idle/idle.cpp).
// Proof: runtime/idle/README.md, "Parking".
#pragma once

namespace chomp {

struct Worker;

/// Wakes a worker if it is parked. Call after the store it waits for; contains the light side of the fence.
void worker_wake(Worker* worker);

} // namespace chomp
