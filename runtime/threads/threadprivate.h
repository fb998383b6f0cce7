// threadprivate variables of compilers that do not use thread-local storage for them (clang -fnoopenmp-use-tls, Flang).
//
// Each worker has its own copies, which stay where they are until the thread exits; the worker with gtid 0 uses the
// program's own variable. Compiled code keeps a pointer per variable to an array of copies by gtid (the cache). Arrays
// are replaced when a gtid does not fit, never freed or shortened. The worker's own table decides.
#pragma once

#include <cstddef>

namespace chomp {

struct Worker;

/// A worker's copy of one variable. The first five fields are the ABI's private_common.
struct ThreadprivateCopy {
  ThreadprivateCopy* next; // in the same bucket
  ThreadprivateCopy* link; // all copies of the worker, newest first
  void* variable;          // the program's
  void* own;               // this worker's
  size_t bytes;
  struct ThreadprivateVariable* record;
};

/// How copies are made and destroyed, either per object or per array.
struct ThreadprivateFunctions {
  using Construct = void* (*)(void*);
  using CopyConstruct = void* (*)(void*, void*);
  using Destroy = void (*)(void*);
  using ConstructArray = void* (*)(void*, size_t);
  using CopyConstructArray = void* (*)(void*, void*, size_t);
  using DestroyArray = void (*)(void*, size_t);
  Construct construct = nullptr;
  CopyConstruct copy_construct = nullptr;
  Destroy destroy = nullptr;
  ConstructArray construct_array = nullptr;
  CopyConstructArray copy_construct_array = nullptr;
  DestroyArray destroy_array = nullptr;
  size_t elements = 0;
};

/// Notes how copies of the variable are made. Called before its first use; a second call is ignored.
void threadprivate_register(void* address, const ThreadprivateFunctions& functions);

/// The calling worker's copy; made at its first use.
ThreadprivateCopy* threadprivate_copy(Worker* worker, void* address, size_t bytes);

/// The same, through the array that *cache points to.
void* threadprivate_cached(Worker* worker, void* variable, size_t bytes, void*** cache);

/// Destroys the worker's copies when its thread exits. Runs the program's destructors. Called before
/// memory_release_lists().
void threadprivate_destroy(Worker* worker);

void threadprivate_reset_after_fork();

} // namespace chomp
