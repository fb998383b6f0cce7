// Writes a trace in Perfetto's format (protobuf, perfetto/trace/perfetto_trace.proto): tracks, slices, instants,
// counters, arrows. Only what is needed here; the numbers of the fields are those of the public schema.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>

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

  explicit TraceWriter(const std::string& path); // throws recording::Error
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  /// Writes what is left. Throws recording::Error if the file does not hold all of it.
  void finish();

  void process(uint64_t track, uint32_t process, const std::string& name);
  void track(uint64_t track, uint64_t parent, const std::string& name, int rank);
  void counter_track(uint64_t track, uint64_t parent, const std::string& name, int rank);

  void begin(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note, Arrow arrow);
  void end(uint64_t track, uint64_t ns);
  void instant(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note, Arrow arrow);
  void counter(uint64_t track, uint64_t ns, int64_t value);

private:
  class Message;
  void describe(Message& descriptor);
  void event(uint64_t ns, const Message& event, const Message& names);
  void named(Message& event, Message& names, const std::string& name, const char* category, Note note, Arrow arrow);
  void packet(const Message& packet);
  uint64_t intern(std::unordered_map<std::string, uint64_t>& known, const std::string& text, Message& names,
                  unsigned field);
  void write_buffer();

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  bool begun_ = false, failed_ = false;
  std::unordered_map<std::string, uint64_t> names_, categories_, notes_;
};

} // namespace chomp::analyse
