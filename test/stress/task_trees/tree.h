// Random trees of tasks. The seed says which node makes its children by which construct of OpenMP; the hash of a tree
// depends on the seed alone, never on which thread runs what when. tree.cpp is compiled twice: without OpenMP, where
// every pragma is nothing and the tree is a recursion, and with it.
#pragma once

#include <cstdint>
#include <omp.h>

/// What a tree may contain; a failing seed is reduced by leaving out one after the other. The shape stays the same:
/// children whose construct is left out become plain tasks.
enum Feature : unsigned {
  kUntied = 1u << 0,
  kUndeferred = 1u << 1, // if(0)
  kFinal = 1u << 2,      // final and mergeable
  kPriorities = 1u << 3,
  kYields = 1u << 4,
  kScatter = 1u << 5, // parents that finish before their children, inside a taskgroup
  kDependences = 1u << 6,
  kReductions = 1u << 7, // of tasks
  kTaskloops = 1u << 8,
  kDetach = 1u << 9,
  kCancel = 1u << 10,
  kExceptions = 1u << 11,
  kRegions = 1u << 12, // parallel regions inside tasks
  kChains = 1u << 13,  // deep nesting, with large frames
  kLong = 1u << 14,    // a few tasks that last
  kAllFeatures = (1u << 15) - 1,
};

struct Program {
  uint64_t seed = 1;
  int size = 400; // about how many nodes
  int depth = 12; // at most so many levels
  unsigned features = kAllFeatures;
};

namespace serial {
uint64_t hash_of(const Program& program);
}
namespace parallel {
uint64_t hash_of(const Program& program);
}

/// A thread that knows nothing of tasks fulfils the event, soon.
void hand_to_external_thread(omp_event_handle_t event);

/// A property other than the hash does not hold: says so, with the seed, and ends the process.
[[noreturn]] void broken(const char* what);
