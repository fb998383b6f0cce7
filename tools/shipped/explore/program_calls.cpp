// Calls of the program's code that say something about memory: blocks of the heap, and those of OpenMP's entry points
// where the runtime hands the program memory that it orders itself.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <initializer_list>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/laboratory/virtual/table.h"
#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/library_calls.h"
#include "tools/shipped/explore/shared_calls.h"
#include "tools/shipped/explore/strand.h"

using namespace explore;
using virtual_machine::active;

// ---- Where code is, clocks ------------------------------------------------------------------------------------------

// A look at the clock takes some nanoseconds. A program that looks again and again waits for a time to come: so the
// more often a strand looks, the more time passes, and others run.
static void look_at_clock(const void* pc) {
  constexpr int kPatience = 64, kDoublings = 16;
  constexpr int64_t kLookNs = 16;
  static struct {
    const Strand* strand;
    int looks;
  } all[virtual_machine::kMaxFibers];
  auto& own = all[virtual_machine::current->id];
  findings->asked.time = true;
  virtual_machine::takes_chance("the time", pc);
  if (own.strand != running()) own = {running(), 0};
  int doublings = ++own.looks / kPatience;
  if (doublings == 0) return;
  virtual_machine::yield_point(pc, "clock", kLookNs << (doublings < kDoublings ? doublings : kDoublings));
  if (doublings < kDoublings) virtual_machine::last_progress = virtual_machine::report->steps;
}

void virtual_machine::takes_chance(const char* what, const void* pc) {
  if (is_in_runtime(pc)) return;
  for (const char* id : {"getpid()", "getppid()", "gettid()", "sched_getcpu()"})
    findings->asked.id = findings->asked.id || strcmp(what, id) == 0;
  if (findings->chance[0] != 0) return;
  snprintf(findings->chance, sizeof findings->chance, "%s", what);
  char why[100];
  snprintf(why, sizeof why, "it asks for %s, which may be another each time", what);
  virtual_machine::not_all(why);
}
void virtual_machine::clock_read(const void* pc) {
  if (!is_in_runtime(pc)) look_at_clock(pc);
}
// The machine that runs see is one chip, whatever the real one is: so a seed means the same on every machine.
EXPORT int open(const char* path, int flags, ...) {
  static auto next = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
  va_list arguments;
  va_start(arguments, flags);
  unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  if (active && strncmp(path, "/sys/", 5) == 0 && is_in_runtime(HERE)) {
    errno = ENOENT;
    return -1;
  }
  if (active && strncmp(path, "/dev/", 5) == 0 && strstr(path, "random") != nullptr)
    virtual_machine::takes_chance(path, HERE);
  use_shared(Shared::kFiles, "open", HERE);
  return next(path, flags, mode);
}

#define CLOCK(name)                                                                                                    \
  EXPORT double name() {                                                                                               \
    NEXT(name);                                                                                                        \
    if (!active) return next();                                                                                        \
    look_at_clock(HERE);                                                                                               \
    virtual_machine::point(HERE, "clock");                                                                             \
    constexpr int kLookNs = 20;                                                                                        \
    return static_cast<double>(virtual_machine::virtual_ns += kLookNs) / 1e9;                                          \
  }
CLOCK(omp_get_wtime)
CLOCK(omp_get_wtime_)

// ---- The heap -------------------------------------------------------------------------------------------------------

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_memalign(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void __libc_free(void*);

namespace {

// One that was freed keeps its place, without a size.
virtual_machine::Table<Block, &Block::address> blocks;

void* allocated(void* memory, size_t bytes, const void* site) {
  if (!active || memory == nullptr) return memory;
  note_allocation(site);
  forget(memory, malloc_usable_size(memory));
  auto address = reinterpret_cast<uintptr_t>(memory);
  blocks.at(address) = {address, bytes, {site, calls_now()}};
  return memory;
}

} // namespace

const Block* explore::block_of(uintptr_t address) {
  const Block* found = nullptr;
  blocks.for_each([&](const Block* block) {
    if (address >= block->address && address - block->address < block->bytes) found = block;
  });
  return found;
}

EXPORT void* memalign(size_t alignment, size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, HERE);
}
EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, HERE);
}
EXPORT int posix_memalign(void** result, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* memory = __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = allocated(memory, bytes, HERE);
  return 0;
}
void virtual_machine::memory_made(void* memory, size_t bytes, const void* pc) { allocated(memory, bytes, pc); }
EXPORT void* reallocarray(void* memory, size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (active && memory != nullptr) virtual_machine::forget_memory(memory, malloc_usable_size(memory), HERE);
  return allocated(__libc_realloc(memory, bytes), bytes, HERE);
}

// What the program itself defines comes before these names. The first of two that it does define, or null.
static bool is_ours(void* function) {
  Dl_info its{}, ours{};
  return dladdr(function, &its) == 0 || dladdr(reinterpret_cast<void*>(&is_ours), &ours) == 0 ||
         its.dli_fbase == ours.dli_fbase;
}
template <typename Function> static Function* of_program(const char* name, const char* other = nullptr) {
  const char* names[] = {name, other};
  for (const char* each : names)
    if (void* function = each != nullptr ? dlsym(RTLD_DEFAULT, each) : nullptr; function != nullptr)
      if (!is_ours(function)) return reinterpret_cast<Function*>(function);
  return nullptr;
}

// Finds those of the six plain operators that the program defines itself.
int explore::own_operators(CodeRange (&list)[6]) {
  static const char* const names[] = {"_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};
  int count = 0;
  for (const char* name : names) {
    void* function = of_program<void>(name);
    Dl_info info{};
    void* symbol = nullptr;
    if (function == nullptr || dladdr1(function, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) continue;
    auto low = reinterpret_cast<uintptr_t>(function);
    list[count++] = {low, low + static_cast<const ElfW(Sym)*>(symbol)->st_size};
  }
  return count;
}

// ---- Mapped memory --------------------------------------------------------------------------------------------------

// The system gives the same addresses out again.
static void* map(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  static auto next = reinterpret_cast<decltype(&mmap)>(dlsym(RTLD_NEXT, "mmap"));
  void* memory = next(at, bytes, protection, flags, file, offset);
  if (active && memory != MAP_FAILED) forget(memory, bytes);
  return memory;
}
EXPORT void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return map(at, bytes, protection, flags, file, offset);
}
EXPORT void* mmap64(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return map(at, bytes, protection, flags, file, offset);
}
EXPORT int munmap(void* memory, size_t bytes) {
  NEXT(munmap);
  if (active && whose(HERE) == Whose::kProgram) virtual_machine::forget_memory(memory, bytes, HERE);
  return next(memory, bytes);
}
EXPORT void* mremap(void* memory, size_t bytes, size_t wanted, int flags, ...) {
  NEXT(mremap);
  va_list arguments;
  va_start(arguments, flags);
  void* at = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (active && whose(HERE) == Whose::kProgram) virtual_machine::forget_memory(memory, bytes, HERE);
  void* moved = next(memory, bytes, wanted, flags, at);
  if (active && moved != MAP_FAILED) forget(moved, wanted);
  return moved;
}

static char* copy_of(const char* text, size_t length, const void* site) {
  static auto programs = of_program<void*(size_t)>("malloc"); // it will also free it
  void* memory = programs != nullptr ? programs(length + 1) : allocated(__libc_malloc(length + 1), length + 1, site);
  if (memory == nullptr) return nullptr;
  memcpy(memory, text, length);
  static_cast<char*>(memory)[length] = 0;
  return static_cast<char*>(memory);
}
EXPORT char* strdup(const char* text) {
  reads_text(text, HERE);
  return copy_of(text, strlen(text), HERE);
}
EXPORT char* strndup(const char* text, size_t most) {
  size_t length = strnlen(text, most);
  reads(text, length < most ? length + 1 : most, HERE);
  return copy_of(text, length, HERE);
}

// C++: the call in the program is the one to show, not libstdc++'s of malloc. Of the operators that a program defines
// itself the others make use, as the standard's own do; where memory is short, libstdc++ asks the program and throws.
#define NEW(name, own)                                                                                                 \
  EXPORT void* name(size_t bytes) {                                                                                    \
    static auto programs = of_program<void*(size_t)>(own);                                                             \
    if (programs != nullptr) return programs(bytes);                                                                   \
    if (void* memory = __libc_malloc(bytes != 0 ? bytes : 1)) return allocated(memory, bytes, HERE);                   \
    return reinterpret_cast<void* (*)(size_t)>(next_function(#name, HERE))(bytes);                                     \
  }
#define NEW_ALIGNED(name, own)                                                                                         \
  EXPORT void* name(size_t bytes, size_t alignment) {                                                                  \
    static auto programs = of_program<void*(size_t, size_t)>(own);                                                     \
    if (programs != nullptr) return programs(bytes, alignment);                                                        \
    if (void* memory = __libc_memalign(alignment, bytes)) return allocated(memory, bytes, HERE);                       \
    return reinterpret_cast<void* (*)(size_t, size_t)>(next_function(#name, HERE))(bytes, alignment);                  \
  }
#define NEW_NOTHROW(name, own, other)                                                                                  \
  EXPORT void* name(size_t bytes, const void* nothrow) {                                                               \
    static auto programs = of_program<void*(size_t)>(own, other);                                                      \
    if (programs == nullptr)                                                                                           \
      if (void* memory = __libc_malloc(bytes != 0 ? bytes : 1)) return allocated(memory, bytes, HERE);                 \
    return reinterpret_cast<void* (*)(size_t, const void*)>(next_function(#name, HERE))(bytes, nothrow);               \
  }
#define DELETE(name, own, other, ...)                                                                                  \
  EXPORT void name(void* memory __VA_OPT__(, ) __VA_ARGS__) {                                                          \
    static auto programs = of_program<void(void*)>(own, other);                                                        \
    if (programs != nullptr) return programs(memory);                                                                  \
    if (active && memory != nullptr) virtual_machine::forget_memory(memory, malloc_usable_size(memory), HERE);         \
    __libc_free(memory);                                                                                               \
  }
NEW(_Znwm, nullptr)
NEW(_Znam, "_Znwm")
NEW_ALIGNED(_ZnwmSt11align_val_t, nullptr)
NEW_ALIGNED(_ZnamSt11align_val_t, "_ZnwmSt11align_val_t")
NEW_NOTHROW(_ZnwmRKSt9nothrow_t, "_Znwm", nullptr)
NEW_NOTHROW(_ZnamRKSt9nothrow_t, "_Znam", "_Znwm")
DELETE(_ZdlPv, nullptr, nullptr)
DELETE(_ZdaPv, "_ZdlPv", nullptr)
DELETE(_ZdlPvm, "_ZdlPv", nullptr, size_t)
DELETE(_ZdaPvm, "_ZdaPv", "_ZdlPv", size_t)

// ---- OpenMP ---------------------------------------------------------------------------------------------------------

namespace {

/// What the calling strand does meanwhile is the runtime's: it calls functions of the program that copy and combine.
class Ignoring {
public:
  Ignoring() : strand_(active ? running() : nullptr) {
    if (strand_ != nullptr) ++strand_->ignoring;
  }
  ~Ignoring() {
    if (strand_ != nullptr) --strand_->ignoring;
  }
  Ignoring(const Ignoring&) = delete;
  Ignoring& operator=(const Ignoring&) = delete;

private:
  Strand* strand_;
};

} // namespace

static void note_asks_thread() {
  if (!active) return;
  findings->asked.id = true;
  uses_thread(running());
  if (running()->kind == Kind::kTask) virtual_machine::not_all("a task asks which thread runs it");
  if ((running()->kind == Kind::kTask || running()->by_chance) && findings->chance[0] == 0)
    snprintf(findings->chance, sizeof findings->chance, "the thread that happens to run it");
}
EXPORT int omp_get_thread_num() {
  NEXT(omp_get_thread_num);
  note_asks_thread();
  return next();
}
EXPORT int omp_get_thread_num_() {
  NEXT(omp_get_thread_num_);
  note_asks_thread();
  return next();
}

EXPORT int __kmpc_omp_taskyield(void* location, int thread, int end) {
  NEXT(__kmpc_omp_taskyield);
  int result = next(location, thread, end);
  if (active) may_change_thread();
  return result;
}
EXPORT void GOMP_taskyield() {
  NEXT(GOMP_taskyield);
  next();
  if (active) may_change_thread();
}

static void fulfil(void (*next)(void*), void* event) {
  Strand* strand = active ? running() : nullptr;
  if (strand != nullptr) begin_fulfilling(strand);
  next(event);
  if (strand != nullptr) strand->fulfils = nullptr;
}
EXPORT void omp_fulfill_event(void* event) {
  NEXT(omp_fulfill_event);
  fulfil(next, event);
}
EXPORT void omp_fulfill_event_(void* event) {
  NEXT(omp_fulfill_event_);
  fulfil(next, event);
}

// GCC's code calls it at barriers of the program and at the ends of constructs, which it does not tell apart. The
// runtime is called with the program's own return address.
EXPORT void GOMP_barrier() {
  NEXT(GOMP_barrier);
  if (active) running()->of_gcc = true;
  [[clang::musttail]] return next();
}

// GCC's code runs the teams of a target region on the host one after the other, with the same variables of its
// function: these are each team's own. Compiled with frame pointers.
EXPORT bool GOMP_teams4(unsigned lowest, unsigned highest, unsigned thread_limit, bool first) {
  NEXT(GOMP_teams4);
  if (!active) return next(lowest, highest, thread_limit, first);
  Strand* caller = running();
  caller->calls_from = HERE;
  bool more = next(lowest, highest, thread_limit, first);
  caller->calls_from = nullptr;
  auto* own = static_cast<void* const*>(__builtin_frame_address(0));
  auto low = reinterpret_cast<uintptr_t>(own + 2), high = reinterpret_cast<uintptr_t>(*own) + 2 * sizeof(void*);
  const Strand* team = running();
  more && team->below != nullptr ? teams_take_turns(low, high, team->below->known) : teams_are_done(low);
  return more;
}

// GCC's code shares out static loops itself, by these numbers.
EXPORT int omp_get_num_threads() {
  NEXT(omp_get_num_threads);
  if (active && running()->region != nullptr && running()->region->of_gcc)
    virtual_machine::not_all("GCC's code shares out its static loops itself, and where they are split is not tried");
  return next();
}

EXPORT void* __kmpc_threadprivate_cached(void* location, int thread, void* data, size_t bytes, void*** cache) {
  NEXT(__kmpc_threadprivate_cached);
  void* own = next(location, thread, data, bytes, cache);
  if (active) belongs_to_thread(own, bytes), uses_thread(running());
  return own;
}

EXPORT void __kmpc_copyprivate(void* location, int thread, size_t bytes, void* data, void (*copy)(void*, void*),
                               int has_it) {
  NEXT(__kmpc_copyprivate);
  Ignoring ignoring;
  next(location, thread, bytes, data, copy, has_it);
}

extern "C" void chomp_virtual_claim(const void* object, unsigned left);

// The data of all threads are combined in here, or by the thread that is told to (1), or by each with atomics.
#define REDUCE(name)                                                                                                   \
  EXPORT int name(void* location, int thread, int count, size_t bytes, void* data, void (*combine)(void*, void*),      \
                  void* lock) {                                                                                        \
    NEXT(name);                                                                                                        \
    Region* region = active ? running()->region : nullptr;                                                             \
    if (region != nullptr) region->reduction.join(release(running()));                                                 \
    if (region != nullptr) chomp_virtual_claim(&region->reduction, 1000);                                              \
    int how;                                                                                                           \
    {                                                                                                                  \
      Ignoring ignoring;                                                                                               \
      how = next(location, thread, count, bytes, data, combine, lock);                                                 \
    }                                                                                                                  \
    if (region != nullptr && how == 1) acquire(running(), region->reduction);                                          \
    return how;                                                                                                        \
  }
#define END_REDUCE(name)                                                                                               \
  EXPORT void name(void* location, int thread, void* lock) {                                                           \
    NEXT(name);                                                                                                        \
    if (Region* region = active ? running()->region : nullptr) region->reduction.join(release(running()));             \
    next(location, thread, lock);                                                                                      \
  }
REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)
END_REDUCE(__kmpc_end_reduce)
END_REDUCE(__kmpc_end_reduce_nowait)

// ---- Reductions over tasks: each thread has a copy, which its tasks use one after the other ------------------------

namespace {

struct ReducedItem { // as the compiler passes it, in both of its versions
  void* shared;
  void* original;
  size_t bytes;
  void *init, *fini, *combine;
  uint32_t flags;
};
struct OlderReducedItem {
  void* shared;
  size_t bytes;
  void *init, *fini, *combine;
  uint32_t flags;
};
struct KnownSize {
  const void* shared;
  size_t bytes;
  KnownSize* next;
};
KnownSize* known_sizes = nullptr;

KnownSize* find_size(const void* shared) {
  KnownSize* known = known_sizes;
  while (known != nullptr && known->shared != shared) known = known->next;
  return known;
}

void know_size(const void* shared, size_t bytes) {
  KnownSize* known = find_size(shared);
  if (known == nullptr) {
    known = static_cast<KnownSize*>(virtual_machine::permanent(sizeof(KnownSize)));
    *known = {shared, 0, known_sizes};
    known_sizes = known;
  }
  known->bytes = bytes;
}

template <typename Item> void know_sizes(int count, const void* items) {
  if (!active) return;
  for (int i = 0; i < count; ++i) {
    const auto& item = static_cast<const Item*>(items)[i];
    know_size(item.shared, item.bytes);
    if constexpr (requires { item.original; }) // a function that a region calls names the variable, not the copy
      if (item.original != nullptr) know_size(item.original, item.bytes);
  }
}

} // namespace

EXPORT void* __kmpc_taskred_init(int thread, int count, void* items) {
  NEXT(__kmpc_taskred_init);
  know_sizes<ReducedItem>(count, items);
  return next(thread, count, items);
}
EXPORT void* __kmpc_task_reduction_init(int thread, int count, void* items) {
  NEXT(__kmpc_task_reduction_init);
  know_sizes<OlderReducedItem>(count, items);
  return next(thread, count, items);
}
EXPORT void* __kmpc_taskred_modifier_init(void* location, int thread, int is_loop, int count, void* items) {
  NEXT(__kmpc_taskred_modifier_init);
  know_sizes<ReducedItem>(count, items);
  return next(location, thread, is_loop, count, items);
}
EXPORT void* __kmpc_task_reduction_modifier_init(void* location, int thread, int is_loop, int count, void* items) {
  NEXT(__kmpc_task_reduction_modifier_init);
  know_sizes<OlderReducedItem>(count, items);
  return next(location, thread, is_loop, count, items);
}
EXPORT void* __kmpc_task_reduction_get_th_data(int thread, void* group, void* shared) {
  NEXT(__kmpc_task_reduction_get_th_data);
  void* own;
  {
    Ignoring ignoring;
    own = next(thread, group, shared);
  }
  const KnownSize* known = active ? find_size(shared) : nullptr;
  size_t bytes = known != nullptr ? known->bytes : 0;
  if (bytes != 0 && own != shared) {
    constexpr size_t kLine = 64; // copies have lines of their own; Clang 19 gives too small a size for array sections
    belongs_to_thread(own, (bytes + kLine - 1) / kLine * kLine);
    know_size(own, bytes); // an inner group may reduce the copy in its turn
  } else if (active && own == shared) {
    uses_thread(running()); // a team of one has no copies: what its tasks reduce into is its only thread's
  }
  return own;
}
EXPORT void __kmpc_task_reduction_modifier_fini(void* location, int thread, int is_loop) {
  NEXT(__kmpc_task_reduction_modifier_fini);
  Ignoring ignoring;
  next(location, thread, is_loop);
}

// GCC's code has the copies of all threads in one block, which the runtime gives.
EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* reduction) {
  NEXT(GOMP_taskgroup_reduction_register);
  enum { kBytes = 1, kBlocks = 2, kMembers = 3 }; // of its description, as the compiler lays it out
  next(reduction);
  if (active) belongs_to_thread(reinterpret_cast<void*>(reduction[kBlocks]), reduction[kBytes] * reduction[kMembers]);
}
EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void** addresses) {
  NEXT(GOMP_task_reduction_remap);
  constexpr size_t kScalar = 16; // the size is not said
  next(count, originals, addresses);
  for (size_t i = 0; active && i < count; ++i) belongs_to_thread(addresses[i], kScalar);
}

// ---- taskloop: each task's data are copied from the first one's by a function of the program's ---------------------

namespace {

using Duplicate = void (*)(void* to, void* from, int is_last);
struct TaskData { // as the compiler lays it out
  void* shareds;
  const void* routine;
};
struct Duplicated {
  const void* routine;
  Duplicate duplicate;
};
constexpr int kLoops = 512; // taskloop constructs of a program
Duplicated loops[kLoops];

void duplicate_ignoring(void* to, void* from, int is_last) {
  const void* routine = static_cast<const TaskData*>(from)->routine;
  Ignoring ignoring;
  for (const Duplicated& loop : loops)
    if (loop.routine == routine) return loop.duplicate(to, from, is_last);
}

Duplicate with_ignoring(const void* task, Duplicate duplicate) {
  if (!active || duplicate == nullptr) return duplicate;
  const void* routine = static_cast<const TaskData*>(task)->routine;
  for (Duplicated& loop : loops) {
    if (loop.routine != nullptr && loop.routine != routine) continue;
    loop = {routine, duplicate};
    return duplicate_ignoring;
  }
  return duplicate;
}

} // namespace

EXPORT void __kmpc_taskloop(void* location, int thread, void* task, int if_value, uint64_t* lower, uint64_t* upper,
                            int64_t stride, int no_group, int how, uint64_t grain, Duplicate duplicate) {
  NEXT(__kmpc_taskloop);
  next(location, thread, task, if_value, lower, upper, stride, no_group, how, grain, with_ignoring(task, duplicate));
}
EXPORT void __kmpc_taskloop_5(void* location, int thread, void* task, int if_value, uint64_t* lower, uint64_t* upper,
                              int64_t stride, int no_group, int how, uint64_t grain, int modifier,
                              Duplicate duplicate) {
  NEXT(__kmpc_taskloop_5);
  next(location, thread, task, if_value, lower, upper, stride, no_group, how, grain, modifier,
       with_ignoring(task, duplicate));
}
