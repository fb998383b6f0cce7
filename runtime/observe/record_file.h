// The file of CHOMP_RECORD: its header; its slots, of which each worker has one mapped at a time; and the modules of
// the process, by which readers find the source lines of addresses.
#pragma once

#include <cstdint>

#include "runtime/observe/record_format.h"

namespace chomp {

/// Opens the file that config.record names. False, after a warning, if that fails. Called once, at start-up.
bool record_file_begin(double event_ns);

/// A new, empty slot for a worker, in place of its full one, `last` (or null), which nobody may touch any more. Null:
/// the disk is full, and a message has said so once.
RecordChunk* record_file_next(RecordChunk* last, uint32_t worker, uint32_t domain);

/// Records, for readers, which file of code the address lies in.
void record_file_know_module(uintptr_t address);

/// Called when the process ends. Slots stay mapped, since threads may still write to them.
void record_file_end(uint64_t events);

/// Called in the child of fork(): unmaps a slot of the parent's file (or null).
void record_file_forget(RecordChunk* chunk);
/// Called afterwards: closes the parent's file. If the recording goes on, and the name has %p in it, opens a file of
/// the child's own. False: the child has no file.
bool record_file_fork(double event_ns, bool goes_on);

} // namespace chomp
