// The format of a recorded task graph (CHOMP_RECORD): written by runtime/observe/record.cpp, read by tools/simulate.
//
//   file    = RecordHeader, then chunks
//   chunk   = RecordChunk, then `bytes` of events of one worker, which continue that worker's last chunk;
//             the last chunk of a complete file has worker kRecordTrailer and holds a RecordTrailer
//   event   = varint(ticks << 4 | kind), then what the table of kinds says. `ticks` of the cycle counter have passed on
//             this worker since its last event. An event concerns the worker's innermost running task.
//   id      = zigzag varint: ObservedTask::id (worker << 48 | its count), minus the id that this worker recorded last
//
// Little-endian, as the machines are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chomp {

enum class RecordKind : uint8_t {
  kCreateTied,    // id. A tied task without anything special
  kCreate,        // id, varint of RecordTaskFlags [, varint priority] [, id of the parent]
  kBegin,         // id. The task runs on this worker, on top of what ran here before
  kEnd,           // the innermost task has returned; what lies below it goes on
  kWaitBegin,     // varint of RecordWait: the task waits, and may run others on top
  kWaitEnd,       // the wait is over
  kGroupBegin,    // a taskgroup
  kDependence,    // varint of the mode (RecordAccess), zigzag varint: the address, minus the last one recorded here; of
                  // the task that is created next here, or of the wait for dependences that has just begun
  kRegionBegin,   // varint: the size of the team
  kRegionEnd,     // the region that this worker began last is over
  kImplicitBegin, // id, id of the task that encountered the region (0: an initial task), varint: the member
  kImplicitEnd,
  kFulfil,  // id: the event of that detached task is fulfilled, after its body has returned
  kPause,   // the ticks since the last event were the recorder's own
  kDiscard, // id: a created task will never run (cancelled)
};

enum RecordTaskFlags : uint32_t {
  kRecordUntied = 1,
  kRecordUndeferred = 2, // if(0), or below a final task
  kRecordFinal = 4,
  kRecordDetachable = 8,
  kRecordPriority = 16, // the priority follows
  kRecordParent = 32,   // the parent follows: not the innermost task here, but the one that encountered the taskloop
};

enum class RecordWait : uint8_t {
  kChildren,
  kGroup,
  kBarrier,
  kDependences,
  kOther, // for something that was recorded already, or that a replay does not wait for
};
enum class RecordAccess : uint8_t { kIn, kOut, kInOutSet, kMutexInOutSet, kAll };

inline constexpr char kRecordMagic[8] = {'c', 'h', 'o', 'm', 'p', 'r', 'e', 'c'};
inline constexpr uint32_t kRecordVersion = 1;
inline constexpr uint32_t kRecordTrailerWorker = 0xffffffff;

struct RecordHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  char runtime[32];   // chomp's version
  char scheduler[32]; // in force while recording
  char program[176];  // /proc/self/comm, for titles
};

struct RecordChunk {
  uint32_t worker;
  uint32_t bytes;
};

struct RecordTrailer {
  double ns_per_tick;
  double event_ns; // what recording one event takes, measured by the recorder at its start
  uint64_t events;
};

// ---- Encoding -------------------------------------------------------------------------------------------------------

inline uint8_t* record_put(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value) | 0x80;
    value >>= 7;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

inline uint64_t record_zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t record_unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

/// No event has more bytes.
inline constexpr size_t kLongestRecord = 40;

/// The last values in one worker's stream, from which differences are taken. Writers and readers advance it alike.
struct RecordCursor {
  uint64_t ticks = 0;
  uint64_t id = 0;
  uint64_t address = 0;
};

/// Appends events to a buffer that has room for them.
class RecordEncoder {
public:
  RecordEncoder(RecordCursor& cursor, uint8_t* at) : cursor_(cursor), at_(at) {}
  RecordEncoder& kind(RecordKind kind, uint64_t now) {
    // Counters of different CPUs may disagree by a little.
    uint64_t ticks = now > cursor_.ticks ? now - cursor_.ticks : 0;
    cursor_.ticks = now;
    at_ = record_put(at_, ticks << 4 | static_cast<uint8_t>(kind));
    return *this;
  }
  RecordEncoder& number(uint64_t value) {
    at_ = record_put(at_, value);
    return *this;
  }
  RecordEncoder& id(uint64_t id) {
    at_ = record_put(at_, record_zigzag(static_cast<int64_t>(id - cursor_.id)));
    cursor_.id = id;
    return *this;
  }
  RecordEncoder& address(uint64_t address) {
    at_ = record_put(at_, record_zigzag(static_cast<int64_t>(address - cursor_.address)));
    cursor_.address = address;
    return *this;
  }
  uint8_t* end() const { return at_; }

private:
  RecordCursor& cursor_;
  uint8_t* at_;
};

} // namespace chomp
