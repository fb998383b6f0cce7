// The trees of tree.h: one function for each construct by which a node makes its children. Whatever may run in any
// order is combined by an operation that commutes; whatever is ordered, by a dependence, a wait or a barrier, is plain
// data, so that a wrong order shows in the hash, and to ThreadSanitizer.
#include "tree.h"

#include <cstdlib>

#ifdef _OPENMP
namespace parallel {
#else
namespace serial {
#endif
namespace {

const Program* program;

#ifdef _OPENMP
void fulfil(omp_event_handle_t event) { omp_fulfill_event(event); }
void external_thread_fulfils(omp_event_handle_t event) { hand_to_external_thread(event); }
#else
void fulfil(omp_event_handle_t) {}
void external_thread_fulfils(omp_event_handle_t) {}
#endif

constexpr int kMostChildren = 8;

struct Node {
  uint64_t id;
  int depth;
  int budget;    // nodes of this subtree, itself included
  bool doomed;   // in a taskgroup that is cancelled: it may be cut short anywhere, and its hash is not used
  bool included; // in a final task: what it makes is run on the spot, so it must not wait for what comes later
};

struct Children {
  int count = 0;
  Node node[kMostChildren];
};

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A random number below n: the one of that name, of that node.
int draw(const Node& node, unsigned name, int n) {
  return static_cast<int>(mix(node.id, 1000 + name) % static_cast<unsigned>(n));
}

bool has(unsigned feature) { return (program->features & feature) != 0; }

template <typename Number> Number load(Number& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
template <typename Number> void add(Number& word, Number value) { __atomic_fetch_add(&word, value, __ATOMIC_RELAXED); }

void burn(int rounds) {
  for (volatile int i = 0; i < rounds; i = i + 1) {
  }
}

// Most nodes do next to nothing; some last long enough to be waited for, a few long enough to fall asleep over.
void work(const Node& node) {
  if (draw(node, 0, 4) == 0) burn(draw(node, 1, 500));
  if (has(kLong) && draw(node, 2, 200) == 0) burn(40000);
  if (has(kYields) && draw(node, 3, 8) == 0) {
#pragma omp taskyield
  }
}

// Subtrees of very different sizes.
Children children_of(const Node& node) {
  Children children;
  int most = node.budget - 1, weights = 0, weight[kMostChildren];
  if (node.depth >= program->depth || most <= 0) return children;
  int wanted = 1 + draw(node, 4, kMostChildren);
  children.count = wanted < most ? wanted : most;
  for (int i = 0; i < children.count; ++i) {
    int w = draw(node, 10 + static_cast<unsigned>(i), 6);
    weights += weight[i] = 1 + w * w * w;
  }
  for (int i = 0; i < children.count; ++i)
    children.node[i] = {mix(node.id, static_cast<uint64_t>(i)), node.depth + 1,
                        1 + (most - children.count) * weight[i] / weights, node.doomed, node.included};
  return children;
}

uint64_t visit(Node node);

uint64_t in_order(const Children& children, const uint64_t* result) {
  uint64_t hash = 0;
  for (int i = 0; i < children.count; ++i) hash = mix(hash, result[i]);
  return hash;
}

// A node is run by its parent's choice of a clause.
void make_task(Node next, uint64_t* result) {
  int kind = draw(next, 20, 10);
  if (kind == 0 && has(kUntied)) {
#pragma omp task untied firstprivate(next, result)
    *result = visit(next);
  } else if (kind == 1 && has(kUndeferred)) {
#pragma omp task if (0) firstprivate(next, result)
    *result = visit(next);
  } else if (kind == 2 && has(kUndeferred) && has(kUntied)) {
#pragma omp task untied if (draw(next, 21, 2) == 0) firstprivate(next, result)
    *result = visit(next);
  } else if (kind == 3 && has(kFinal)) {
    bool last = next.budget < 30;
    next.included |= last;
#pragma omp task final(last) mergeable firstprivate(next, result)
    *result = visit(next);
  } else if (kind == 4 && has(kPriorities)) {
#pragma omp task priority(draw(next, 22, 10)) firstprivate(next, result)
    *result = visit(next);
  } else if (kind == 5 && has(kPriorities) && has(kUntied)) {
#pragma omp task untied priority(draw(next, 22, 10)) firstprivate(next, result)
    *result = visit(next);
  } else {
#pragma omp task firstprivate(next, result)
    *result = visit(next);
  }
}

uint64_t plain(const Node& node) {
  Children children = children_of(node);
  uint64_t result[kMostChildren] = {};
  if (draw(node, 30, 4) == 0) {
#pragma omp taskgroup
    for (int i = 0; i < children.count; ++i) make_task(children.node[i], &result[i]);
  } else {
    for (int i = 0; i < children.count; ++i) make_task(children.node[i], &result[i]);
#pragma omp taskwait
  }
  return in_order(children, result);
}

// Nothing waits but the group; a parent is usually gone before its children.
void scatter(Node node, uint64_t* sum) {
  Children children = children_of(node);
  add(*sum, mix(node.id, 1));
  for (int i = 0; i < children.count; ++i) {
    Node next = children.node[i];
    if (draw(next, 40, 4) == 0) {
#pragma omp task firstprivate(next, sum)
      add(*sum, visit(next));
    } else if (draw(next, 40, 4) == 1 && has(kUntied)) {
#pragma omp task untied firstprivate(next, sum)
      scatter(next, sum);
    } else {
#pragma omp task firstprivate(next, sum)
      scatter(next, sum);
    }
  }
}

uint64_t scattered(const Node& node) {
  uint64_t sum = 0;
#pragma omp taskgroup
  scatter(node, &sum);
  return load(sum);
}

// Tasks over a few cells; each child hangs below one of them.
uint64_t dependent(const Node& node) {
  enum { kCells = 4, kTasks = 14 };
  Children children = children_of(node);
  uint64_t cell[kCells] = {node.id, 1, 2, 3};
  for (int task = 0; task < kTasks; ++task) {
    Node next = {mix(node.id, 50 + static_cast<uint64_t>(task)), node.depth + 1, 1, node.doomed, node.included};
    if (task < children.count) next = children.node[task];
    int a = draw(next, 50, kCells), b = (a + 1 + draw(next, 51, kCells - 1)) % kCells;
    switch (draw(next, 52, 10)) {
    case 0:
#pragma omp task depend(in : cell[a]) depend(mutexinoutset : cell[b]) shared(cell) firstprivate(next, a, b)
      cell[b] += mix(visit(next), cell[a]);
      break;
    case 1:
#pragma omp task depend(mutexinoutset : cell[a], cell[b]) shared(cell) firstprivate(next, a, b)
    {
      uint64_t value = visit(next);
      cell[a] += value;
      cell[b] -= value;
    } break;
    case 2:
#pragma omp task depend(inoutset : cell[a]) depend(in : cell[b]) shared(cell) firstprivate(next, a, b)
      add(cell[a], mix(visit(next), cell[b]));
      break;
    case 3:
#pragma omp task untied depend(inout : cell[a]) shared(cell) firstprivate(next, a)
      cell[a] = mix(visit(next), cell[a]);
      break;
    case 4:
#pragma omp task if (0) depend(in : cell[a]) depend(out : cell[b]) shared(cell) firstprivate(next, a, b)
      cell[b] = mix(visit(next), cell[a]);
      break;
    case 5: {
#pragma omp taskwait depend(in : cell[a]) depend(inout : cell[b])
      cell[b] = mix(visit(next), cell[a] + cell[b]);
      break;
    }
    case 6:
#pragma omp task priority(draw(next, 53, 10)) depend(inout : cell[a], cell[b]) shared(cell) firstprivate(next, a, b)
      cell[a] = mix(visit(next), cell[b]);
      break;
    case 7:
      if (has(kDetach)) {
        omp_event_handle_t event = {};
#pragma omp task detach(event) depend(in : cell[a]) depend(out : cell[b]) shared(cell) firstprivate(next, a, b)
        {
          cell[b] = mix(visit(next), cell[a]);
          external_thread_fulfils(event);
        }
        break;
      }
#pragma omp task depend(in : cell[a]) depend(out : cell[b]) shared(cell) firstprivate(next, a, b)
      cell[b] = mix(visit(next), cell[a]);
      break;
    case 8:
#pragma omp task depend(out : omp_all_memory) shared(cell) firstprivate(next, a)
      cell[a] = mix(visit(next), cell[0] + cell[1] + cell[2] + cell[3]);
      break;
    default:
#pragma omp task depend(in : cell[a]) depend(inout : cell[b]) shared(cell) firstprivate(next, a, b)
      cell[b] = mix(cell[b] + visit(next), cell[a]);
    }
  }
#pragma omp taskwait
  uint64_t hash = 0;
  for (uint64_t value : cell) hash = mix(hash, value);
  return hash;
}

struct Tally {
  uint64_t sum = 0, count = 0;
  void take(uint64_t value) {
    sum += value;
    ++count;
  }
};
#pragma omp declare reduction(join:Tally : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count)                   \
    initializer(omp_priv = Tally())

uint64_t reduced(const Node& node) {
  Children children = children_of(node);
  Tally tally;
  uint64_t product = 1;
#pragma omp taskgroup task_reduction(join : tally) task_reduction(* : product)
  for (int i = 0; i < children.count; ++i) {
    Node next = children.node[i];
#pragma omp task in_reduction(join : tally) in_reduction(* : product) firstprivate(next)
    {
      // What it makes takes part too, and nothing waits for it but the group.
#pragma omp task in_reduction(join : tally) firstprivate(next)
      tally.take(mix(next.id, 2));
      uint64_t value = visit(next); // tasks of others may run here and use this thread's copies
      tally.take(value);
      product *= value | 1;
    }
  }
  return mix(tally.sum, mix(tally.count, product));
}

uint64_t looped(const Node& node) {
  Children children = children_of(node);
  const int n = children.count;
  [[maybe_unused]] const int grain = 1 + draw(node, 60, 3); // pragmas only
  uint64_t result[kMostChildren] = {}, sum = 0, last = 0;
  switch (draw(node, 61, 6)) {
  case 0:
#pragma omp taskloop grainsize(grain) shared(result)
    for (int i = 0; i < n; ++i) result[i] = visit(children.node[i]);
    break;
  case 1:
#pragma omp taskloop num_tasks(grain + 1) untied shared(result)
    for (int i = 0; i < n; ++i) result[i] = visit(children.node[i]);
    break;
  case 2:
#pragma omp taskloop reduction(+ : sum) lastprivate(last) grainsize(grain)
    for (int i = 0; i < n; ++i) {
      last = visit(children.node[i]);
      sum += last;
    }
    break;
  case 3:
#pragma omp taskloop nogroup priority(5) grainsize(grain) shared(result)
    for (int i = 0; i < n; ++i) result[i] = visit(children.node[i]);
#pragma omp taskwait
    break;
  case 4:
#pragma omp taskloop if (0) shared(result)
    for (int i = 0; i < n; ++i) result[i] = visit(children.node[i]);
    break;
  default:
#pragma omp taskloop collapse(2) grainsize(1) shared(result, sum)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 5; ++k) {
        if (k == 2) result[i] = visit(children.node[i]);
        add(sum, mix(children.node[i].id, static_cast<uint64_t>(k)));
      }
  }
  return mix(in_order(children, result), mix(sum, last));
}

// Events fulfilled by the task itself, a child of it, a sibling (before or after the body), an external thread.
uint64_t detached(const Node& node) {
  enum { kItself, kChild, kSibling, kExternalThread, kWays };
  Children children = children_of(node);
  uint64_t result[kMostChildren] = {};
  for (int i = 0; i < children.count; ++i) {
    Node next = children.node[i];
    int way = draw(next, 70, kWays);
    // A task that is cancelled fulfils nothing.
    if ((next.included || next.doomed) && way != kItself) way = kExternalThread;
    omp_event_handle_t event = {};
#pragma omp task detach(event) shared(result) firstprivate(next, i, way)
    {
      result[i] = visit(next);
      if (way == kItself) fulfil(event);
      if (way == kExternalThread) external_thread_fulfils(event);
      if (way == kChild) {
#pragma omp task firstprivate(event, next)
        {
          work(next);
          fulfil(event);
        }
      }
    }
    if (way == kSibling) {
#pragma omp task firstprivate(event)
      fulfil(event);
    }
  }
#pragma omp taskwait
  return in_order(children, result);
}

// Tasks look for something, and the one that finds it cancels the rest. It is certain that one finds it, but not what
// else runs.
uint64_t cancelled(const Node& node) {
  Children children = children_of(node);
  int found = 0, begun = 0, ended = 0, any = 0;
  for (int i = 0; i < children.count; ++i) any |= draw(children.node[i], 80, 3) == 0;
#pragma omp taskgroup
  for (int i = 0; i < children.count; ++i) {
    Node next = children.node[i];
    bool hit = draw(next, 80, 3) == 0;
    next.doomed |= any != 0;
#pragma omp task shared(found, begun, ended) firstprivate(next, hit)
    {
#pragma omp cancellation point taskgroup
      add(begun, 1);
      visit(next);
      if (hit) add(found, 1);
      add(ended, 1);
      if (hit) {
#pragma omp cancel taskgroup
      }
    }
  }
  if (load(begun) != load(ended)) broken("a task of a cancelled group outlives the group");
  return mix(node.id, load(found) != 0);
}

struct Thrown {
  uint64_t value;
};

// Also while an exception is on its way: tasks run, throw and catch in the middle of unwinding.
struct WaitsForChildren {
  ~WaitsForChildren() {
#pragma omp taskwait
  }
};

void descend_and_throw(const Node& node, int levels) {
  WaitsForChildren wait;
  uint64_t ignored = 0;
  if (levels == 0) throw Thrown{mix(node.id, 3)};
#pragma omp task shared(ignored)
  add(ignored, uint64_t{1});
  descend_and_throw(node, levels - 1);
}

uint64_t throwing(const Node& node) {
  Children children = children_of(node);
  uint64_t result[kMostChildren] = {}, in_handler = 0, hash = 0;
  int half = children.count / 2;
  try {
    try {
      WaitsForChildren wait;
      for (int i = 0; i < half; ++i) make_task(children.node[i], &result[i]);
      descend_and_throw(node, draw(node, 90, 4));
    } catch (const Thrown& thrown) {
      hash = thrown.value;
      for (int i = half; i < children.count; ++i) make_task(children.node[i], &result[i]);
#pragma omp task shared(in_handler) firstprivate(node)
      try {
        throw Thrown{mix(node.id, 4)};
      } catch (const Thrown& inner) {
        in_handler = inner.value;
      }
#pragma omp taskwait
      throw; // the one of this handler, whatever ran meanwhile
    }
  } catch (const Thrown& thrown) {
    hash = mix(hash, thrown.value);
  }
  return mix(hash, mix(in_handler, in_order(children, result)));
}

// A team inside a task, with tasks that only its barriers wait for.
uint64_t region(const Node& node) {
  Children children = children_of(node);
  const int n = children.count;
  uint64_t result[kMostChildren] = {}, sum = 0, late = 0;
#pragma omp parallel num_threads(1 + draw(node, 100, 3)) shared(children, result, sum, late)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < n; ++i) make_task(children.node[i], &result[i]);
#pragma omp barrier
#pragma omp for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += mix(result[i], static_cast<uint64_t>(i));
#pragma omp single nowait
    for (int i = 0; i < 5; ++i) {
#pragma omp task firstprivate(i) shared(late)
      add(late, mix(node.id, static_cast<uint64_t>(i)));
    }
  }
  return mix(sum, late);
}

// Tasks nested deeper than a stack is long.
uint64_t chain(Node node, int levels) {
  volatile char frame[2000];
  frame[levels] = static_cast<char>(levels);
  if (levels == 0) return plain(node);
  uint64_t below = 0;
#pragma omp task shared(below) firstprivate(node, levels)
  below = chain(node, levels - 1);
#pragma omp taskwait
  return mix(below, static_cast<uint64_t>(frame[levels]));
}

uint64_t visit(Node node) {
  work(node);
  if (node.budget <= 1) return mix(node.id, 0);
  switch (draw(node, 5, 20)) {
  case 0:
  case 1: return has(kScatter) ? scattered(node) : plain(node);
  case 2:
  case 3:
  case 4: return has(kDependences) ? dependent(node) : plain(node);
  case 5:
  case 6: return has(kReductions) ? reduced(node) : plain(node);
  case 7:
  case 8: return has(kTaskloops) ? looped(node) : plain(node);
  case 9:
  case 10: return has(kDetach) ? detached(node) : plain(node);
  case 11: return has(kCancel) ? cancelled(node) : plain(node);
  case 12:
  case 13: return has(kExceptions) ? throwing(node) : plain(node);
  case 14: return has(kRegions) && draw(node, 6, 2) == 0 ? region(node) : plain(node);
  case 15: return has(kChains) && draw(node, 6, 4) == 0 ? chain(node, 1 + draw(node, 7, 150)) : plain(node);
  default: return plain(node);
  }
}

} // namespace

// Three phases between barriers, each with its own way of starting: implicit tasks, one producer, all producers.
uint64_t hash_of(const Program& what) {
  enum { kRoots = 6 };
  program = &what;
  const int budget = 1 + what.size / (3 * kRoots);
  uint64_t first[kRoots] = {}, second[kRoots] = {}, third[kRoots] = {};
#pragma omp parallel shared(first, second, third)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < kRoots; ++i)
      first[i] = visit({mix(what.seed, static_cast<uint64_t>(i)), 0, budget, false, false});
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < kRoots; ++i) make_task({mix(first[i], 1), 0, budget, false, false}, &second[i]);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kRoots; ++i)
      make_task({mix(second[i], second[(i + 1) % kRoots]), 0, budget, false, false}, &third[i]);
  }
  uint64_t hash = 0;
  for (uint64_t value : third) hash = mix(hash, value);
  return hash;
}

} // namespace
