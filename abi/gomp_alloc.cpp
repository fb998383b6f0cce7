// What gfortran (13 and later, -fopenmp-allocators) asks of the memory of an allocatable scalar, which has no
// descriptor: whether GOMP_alloc() or malloc() made it, so that the right function frees it.
#include "abi/abi.h"
#include "runtime/base/marked_blocks.h"

/// `block` comes from GOMP_alloc().
CHOMP_EXPORT void GOMP_add_alloc(void* block) { chomp::mark_block(block); }

/// Asked once, before the block is freed, so the block is then forgotten.
CHOMP_EXPORT bool GOMP_is_alloc(void* block) { return chomp::unmark_block(block); }
