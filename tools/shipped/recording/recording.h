// Reading what CHOMP_RECORD wrote (runtime/observe/record_format.h): for `chomp trace` and
// `chomp report`. A file may be read while its process still records, or after that was killed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/observe/record_format.h"

namespace chomp::recording {

/// Something that the user can understand and that the program cannot mend.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Nothing was recorded; the text says why.
struct Nothing : Error {
  using Error::Error;
};

struct Event {
  RecordKind kind{};
  uint64_t ticks = 0;   // since the worker's last event
  uint64_t at = 0;      // the cycle counter's value
  uint64_t id = 0;      // of a task
  uint64_t number = 0;  // flags, wait, mode, size, member, kind of construct or mutex, tasks published, domain
  uint64_t number2 = 0; // priority, iterations
  uint64_t address = 0; // of a dependence or a lock
  uint64_t parent = 0;  // id of a task
  uint64_t site = 0;    // a place in the program, as RecordKind::kSite names it; 0: not known
};

/// The events of one worker. Where a chunk follows another, an event kPause stands between them.
class Stream {
public:
  struct Chunk {
    RecordChunk header{};
    const uint8_t* begin = nullptr;
    const uint8_t* end = nullptr;
    std::shared_ptr<const std::vector<uint8_t>> bytes; // what they point to: a copy, shared by copies of the stream
  };

  Stream(uint32_t worker, std::vector<Chunk> chunks); // in the order of their numbers
  uint32_t worker() const { return worker_; }
  uint32_t first_domain() const { return chunks_[0].header.domain; }
  uint64_t began_ticks() const { return chunks_[0].header.began_ticks; }
  /// False at the end. Throws Error if the chunk cannot be understood.
  bool next(Event& event);

private:
  void enter_chunk();
  uint64_t number();
  uint64_t id() { return cursor_.id += static_cast<uint64_t>(record_unzigzag(number())); }
  uint64_t address() { return cursor_.address += static_cast<uint64_t>(record_unzigzag(number())); }
  uint64_t site();

  uint32_t worker_;
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  const uint8_t* at_ = nullptr;
  RecordCursor cursor_;
  std::vector<uint64_t> sites_;
};

/// Calls use(path) for each; those without an event are left out, if others have some.
template <typename Use> void for_each_recording(const std::vector<std::string>& paths, Use use) {
  size_t used = 0;
  for (size_t i = 0; i < paths.size(); ++i) try {
      use(paths[i]);
      ++used;
    } catch (const Nothing&) {
      if (used == 0 && i + 1 == paths.size()) throw;
    }
}

/// A stretch of the process's memory that holds code.
struct Module {
  uint64_t low, high, offset; // offset: of `low` in the file
  std::string path;
};

class Recording {
public:
  explicit Recording(const std::string& path); // throws Nothing if it has no event
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  RecordHeader header;
  std::vector<Stream> streams; // by the workers' numbers; only workers that recorded something
  std::vector<Module> modules;

  bool ended() const { return header.ended_ns != 0; }
  /// Whether nothing is missing that was recorded.
  bool whole() const { return !cut_ && header.full == 0 && header.replaced == 0; }
  /// Why a part of the run is missing; empty: none is.
  std::string missing() const;
  std::string program() const;
  std::string scheduler() const;
  /// Nanoseconds since the process began to record.
  double ns(uint64_t ticks) const {
    return static_cast<double>(static_cast<int64_t>(ticks - header.began_ticks)) * header.ns_per_tick;
  }

private:
  void read_modules(const Stream::Chunk& chunk);

  bool cut_ = false; // the file ends in the middle of a slot, or a chunk was replaced while it was read
};

} // namespace chomp::recording
