// The tools interface of OpenMP 5.2 (chapter 19) as tools are compiled against it: the numbers and function types of
// omp-tools.h that chomp uses. Only observe/ompt_*.cpp include it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/observe/tool_state.h"

namespace chomp::ompt {

/// Numbers of callbacks (ompt_callbacks_t).
enum Event : int {
  kNoEvent,
#define CALLBACK(name, text) name,
#include "runtime/core/events.def"
  kEventCount,
};
static_assert(kSyncRegionWait == 16 && kFlush == 29 && kError == 37);

enum SetResult : int { kSetError = 0, kSetNever = 1, kSetSometimes = 3, kSetAlways = 5 };
enum Endpoint : int { kBegin = 1, kEnd = 2 };
enum ThreadKind : int { kInitialThread = 1, kWorkerThread = 2 };

enum TaskFlag : uint32_t {
  kInitialTask = 0x1,
  kImplicitTaskFlag = 0x2,
  kExplicitTask = 0x4,
  kTaskwaitTask = 0x10,
  kImportingTask = 0x02000000,
  kExportingTask = 0x04000000,
  kUndeferredTask = 0x08000000,
  kUntiedTask = 0x10000000,
  kFinalTask = 0x20000000,
  kMergeableTask = 0x40000000,
};

enum TaskStatus : int {
  kComplete = 1,
  kYield = 2,
  kCancelled = 3,
  kDetach = 4,
  kEarlyFulfill = 5,
  kLateFulfill = 6,
  kSwitch = 7,
  kTaskwaitComplete = 8,
};

enum SyncRegionKind : uint32_t {
  kBarrierExplicit = 3,
  kBarrierImplementation = 4,
  kTaskwait = 5,
  kTaskgroup = 6,
  kReductionRegion = 7,
  kBarrierWorkshare = 8,
  kBarrierParallel = 9,
};

enum CancelFlag : int {
  kCancelParallel = 0x01,
  kCancelSections = 0x02,
  kCancelLoop = 0x04,
  kCancelTaskgroup = 0x08,
  kCancelActivated = 0x10,
  kCancelDetected = 0x20,
  kCancelDiscardedTask = 0x40,
};

enum State : uint32_t {
  kWorkSerial = 0x000,
  kWorkParallel = 0x001,
  kWorkReduction = 0x002,
  kWaitBarrierParallel = 0x011,
  kWaitBarrierWorkshare = 0x012,
  kWaitBarrierExplicit = 0x014,
  kWaitBarrierImplementation = 0x015,
  kWaitTaskwait = 0x020,
  kWaitTaskgroup = 0x021,
  kWaitLock = 0x041,
  kWaitCritical = 0x042,
  kWaitAtomic = 0x043,
  kWaitOrdered = 0x044,
  kIdle = 0x100,
  kOverhead = 0x101,
  kUndefined = 0x102,
};

struct Dependence {
  ToolWord variable;
  int type;
};

struct Chunk {
  uint64_t start, iterations;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);

struct StartResult {
  int (*initialize)(Lookup lookup, int initial_device, ToolWord* tool_data);
  void (*finalize)(ToolWord* tool_data);
  ToolWord tool_data;
};
using StartTool = StartResult*(unsigned openmp_version, const char* runtime_version);

// The callbacks.
using ThreadBegin = void(int kind, ToolWord* thread);
using ThreadEnd = void(ToolWord* thread);
using ParallelBegin = void(ToolWord* task, const ToolFrame* frame, ToolWord* parallel, unsigned requested, int flags,
                           const void* site);
using ParallelEnd = void(ToolWord* parallel, ToolWord* task, int flags, const void* site);
using ImplicitTask = void(int endpoint, ToolWord* parallel, ToolWord* task, unsigned size, unsigned index, int flags);
using TaskCreate = void(ToolWord* creator, const ToolFrame* frame, ToolWord* task, int flags, int has_dependences,
                        const void* site);
using TaskSchedule = void(ToolWord* prior, int status, ToolWord* next);
using Dependences = void(ToolWord* task, const Dependence* dependences, int count);
using TaskDependence = void(ToolWord* source, ToolWord* sink);
using SyncRegion = void(int kind, int endpoint, ToolWord* parallel, ToolWord* task, const void* site);
using Work = void(int kind, int endpoint, ToolWord* parallel, ToolWord* task, uint64_t count, const void* site);
using Dispatch = void(ToolWord* parallel, ToolWord* task, int kind, ToolWord instance);
using Masked = void(int endpoint, ToolWord* parallel, ToolWord* task, const void* site);
using MutexAcquire = void(int kind, unsigned hint, unsigned implementation, uint64_t wait_id, const void* site);
using Mutex = void(int kind, uint64_t wait_id, const void* site);
using NestLock = void(int endpoint, uint64_t wait_id, const void* site);
using Flush = void(ToolWord* thread, const void* site);
using Cancel = void(ToolWord* task, int flags, const void* site);
using ControlTool = int(uint64_t command, uint64_t modifier, void* argument, const void* site);
using Error = void(int severity, const char* message, size_t length, const void* site);

} // namespace chomp::ompt
