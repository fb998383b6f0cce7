// For gfortran (13 and later, -fopenmp-allocators), which has no descriptor for the memory of an allocatable scalar. It
// asks whether GOMP_alloc() or malloc() made the memory, so that the right function frees it.
#include "abi/abi.h"
#include "runtime/base/marked_blocks.h"
#include "runtime/startup.h"

// The child of a _Fork() takes its parent's state over when it starts the runtime.

/// `block` comes from GOMP_alloc().
CHOMP_EXPORT void GOMP_add_alloc(void* block) {
  chomp::runtime_start();
  chomp::mark_block(block);
}

/// Asked once, before the program frees the block, so chomp then forgets the block.
CHOMP_EXPORT bool GOMP_is_alloc(void* block) {
  chomp::runtime_start();
  return chomp::unmark_block(block);
}
