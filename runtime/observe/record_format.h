// The format of a recorded run (CHOMP_RECORD): written by runtime/observe/record.cpp, read by tools/shipped/recording
// for `chomp trace` and `chomp report`.
//
//   file    = RecordHeader, filled up to kRecordHeaderBytes; then slots of kRecordSlotBytes each
//   slot    = RecordChunk, then `bytes` of events of one worker, or of text: the modules (kRecordModules)
//   event   = varint(ticks << 5 | kind), then what the table of kinds says (core/events.def). `ticks` of the cycle
//             counter have passed on this worker since its last event in the chunk, or since began_ticks. An event
//             concerns the worker's innermost running task.
//   id      = zigzag varint: ObservedTask::id (worker << 48 | its count), minus the id recorded last in the chunk
//   address = zigzag varint, minus the address recorded last in the chunk
//   site    = varint: the address in the program that the chunk's n-th kSite has named; 0: not known
//
// Each chunk can be read by itself. Chunks of one worker follow one another by their numbers, not by their places:
// where the size of the file is limited, new chunks take the places of the oldest ones. The recording process maps the
// file into memory, so that the file can be read at any time, also after that process was killed.
//
// Little-endian, as the machines are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chomp {

enum class RecordKind : uint8_t {
#define RECORD(kind, layout, shown) kind,
#include "runtime/core/events.def"
  kCount,
  kPause = 31, // not in files: readers put it between two chunks, for the time that the recorder took
};
inline constexpr unsigned kRecordKinds = 32; // the most that the encoding has room for
static_assert(RecordKind::kCount <= RecordKind::kPause);

/// What follows the first number of an event, and how it is shown (events.def).
struct RecordForm {
  const char* layout;
  const char* shown;
};
inline constexpr RecordForm kRecordForms[] = {
#define RECORD(kind, layout, shown) {layout, shown},
#include "runtime/core/events.def"
};

enum RecordTaskFlags : uint32_t {
  kRecordUntied = 1,
  kRecordUndeferred = 2, // if(0), or below a final task
  kRecordFinal = 4,
  kRecordDetachable = 8,
  kRecordPriority = 16, // the priority follows
  kRecordParent = 32,   // the parent follows: the task that encountered the taskloop, not the innermost one here
};

enum class RecordWait : uint8_t {
  kChildren,
  kGroup,
  kBarrier,
  kDependences,
  kJoin,  // the end of the region
  kOther, // for what an earlier event has recorded
};
enum class RecordAccess : uint8_t { kIn, kOut, kInOutSet, kMutexInOutSet, kAll };

inline constexpr char kRecordMagic[8] = {'c', 'h', 'o', 'm', 'p', 'r', 'e', 'c'};
inline constexpr uint32_t kRecordVersion = 7 << 8 | static_cast<uint32_t>(RecordKind::kCount); // which has these kinds
inline constexpr uint64_t kRecordEntry = uint64_t{1} << 63; // no address of a program has it
inline constexpr uint64_t kRecordLongNs = 100'000;          // a thread that loses its CPU usually loses it for longer
inline constexpr size_t kRecordHeaderBytes = 4096;
inline constexpr size_t kRecordSlotBytes = 1 << 17;
inline constexpr uint32_t kRecordModules = 0xffffffff; // RecordChunk::worker: lines of /proc/self/maps

struct RecordHeader {
  char magic[8];
  uint32_t version;
  uint32_t process;
  char runtime[32];   // chomp's version
  char scheduler[32]; // in force while recording
  char program[176];  // its command line, for titles
  uint64_t began_ticks;
  int64_t began_ns;
  int64_t ended_ns;   // 0: the process has not ended, or was killed
  double ns_per_tick; // brought up to date with each chunk
  double event_ns;    // what recording one event takes, measured by the recorder at its start
  uint64_t events;    // set when the process ends
  uint64_t replaced;  // chunks that newer ones have replaced: the file holds the last part of the run
  uint64_t preempted; // how often the kernel took a CPU from one of the threads; set when the process ends
  uint32_t full;      // 1: the disk was full; what came later is missing
  uint32_t cpus;      // that the process may use; 0: not known
  char host[64];
  int64_t began_date; // seconds since 1970; 0: not known
};
static_assert(sizeof(RecordHeader) <= kRecordHeaderBytes);

struct RecordChunk {
  uint64_t number; // from 1, over all workers; 0: nothing was recorded here yet
  uint32_t worker;
  uint32_t domain; // where the worker is when the chunk begins
  uint64_t began_ticks;
  uint32_t bytes; // up to the end of the last whole event
  uint32_t slot;  // where the chunk is
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

/// No event, with a kSite and a kDelayed before it, has more bytes.
inline constexpr size_t kLongestRecord = 96;

/// The last values in a chunk, from which differences are taken. Writers and readers update it alike.
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
    at_ = record_put(at_, ticks << 5 | static_cast<uint8_t>(kind));
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
