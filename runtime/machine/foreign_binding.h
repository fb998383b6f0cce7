// An affinity mask that another OpenMP runtime has set. libgomp binds the first thread of a process in its own
// constructor, if OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY asks for places. If chomp is preloaded into a program
// that is linked with libgomp, that happens before chomp is called. Then the process seems to have the CPUs of one
// place only.
#pragma once

#include "runtime/base/dynamic.h"

namespace chomp {

struct ForeignBinding {
  const char* library = nullptr; // the path of that runtime; null: no binding was undone
  int bound_to = 0;              // CPUs that the calling thread was bound to
  int cpus = 0;                  // CPUs that it has now
};

/// Whether there is a libgomp in the process. Called without a lock of ours, since it takes one of the loader's.
bool foreign_runtime_find(LoadedLibrary* library);

/// If the calling thread's mask is a place of another libgomp, gives the thread the mask that the process began with.
/// The process's first thread gets that mask, too, if it is bound to a place. Called once, before the CPUs are counted.
void foreign_binding_undo(const LoadedLibrary& library, ForeignBinding* binding);

/// Reports what foreign_binding_undo() has done, once the settings are read: these decide whether messages are shown.
void foreign_binding_report(const ForeignBinding& binding);

} // namespace chomp
