// The blocks of memory that a program has marked, so that chomp knows them again when the program frees them
// (abi/gomp_alloc.cpp). Any thread may call these. Few programs do, so there is one table under one lock.
#pragma once

namespace chomp {

/// `block` is not null. Marking it again changes nothing.
void mark_block(void* block);

/// Removes the mark. Returns whether the block had one.
bool unmark_block(void* block);

void marked_blocks_reset_after_fork();

} // namespace chomp
