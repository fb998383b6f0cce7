// Writes a trace in Perfetto's format (protobuf, perfetto/trace/perfetto_trace.proto): tracks, slices, instants,
// counters, arrows. Only what is needed here; the numbers of the fields are those of the public schema.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "tools/shipped/analyse/trace_writer.h"

namespace chomp::analyse {

class PerfettoWriter : public TraceWriter {
public:
  explicit PerfettoWriter(const std::string& path); // throws recording::Error
  ~PerfettoWriter() override;
  void finish() override;

  void process(uint64_t track, uint32_t process, const std::string& name) override;
  void track(uint64_t track, uint64_t parent, const std::string& name, int rank) override;
  void counter_track(uint64_t track, uint64_t parent, const std::string& name, int rank) override;

  void begin(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
             Arrow arrow) override;
  void end(uint64_t track, uint64_t ns) override;
  void instant(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
               Arrow arrow) override;
  void counter(uint64_t track, uint64_t ns, int64_t value) override;

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
