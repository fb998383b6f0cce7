// What a timeline is drawn with: tracks, slices, instants, counters, arrows. There are two forms of files: Perfetto's
// own (perfetto.h), and the JSON that Chrome's viewer had, which others read too (chrome.h).
#pragma once

#include <cstdint>
#include <string>

namespace chomp::analyse {

class TraceWriter {
public:
  /// One number that belongs to a slice or an instant.
  struct Note {
    const char* name = nullptr; // null: none
    uint64_t value = 0;
  };
  /// One end of an arrow between two slices or instants.
  struct Arrow {
    uint64_t number = 0; // 0: none
    bool ends = false;
  };

  TraceWriter() = default;
  virtual ~TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  /// Writes what is left. Throws recording::Error if the file does not hold all of it.
  virtual void finish() = 0;

  virtual void process(uint64_t track, uint32_t process, const std::string& name) = 0;
  virtual void track(uint64_t track, uint64_t parent, const std::string& name, int rank) = 0;
  virtual void counter_track(uint64_t track, uint64_t parent, const std::string& name, int rank) = 0;

  virtual void begin(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                     Arrow arrow) = 0;
  virtual void end(uint64_t track, uint64_t ns) = 0;
  virtual void instant(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                       Arrow arrow) = 0;
  virtual void counter(uint64_t track, uint64_t ns, int64_t value) = 0;
};

} // namespace chomp::analyse
