// The blocks of memory that a program has marked, to know them again when it frees them (abi/gomp_alloc.cpp). Any
// thread may call these; few programs do, so there is one table under one lock.
#pragma once

namespace chomp {

/// `block` is not null. Marking it again changes nothing.
void mark_block(void* block);

/// Whether the block was marked; it is not any more.
bool unmark_block(void* block);

void marked_blocks_reset_after_fork();

} // namespace chomp
