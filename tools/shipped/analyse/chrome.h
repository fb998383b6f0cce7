// Writes a trace as the JSON of Chrome's viewer ("Trace Event Format"), which speedscope and others read. A track is a
// thread of its process; groups of tracks are unknown to that form, so their names go before those of their tracks.
#pragma once

#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/shipped/analyse/trace_writer.h"

namespace chomp::analyse {

class ChromeWriter : public TraceWriter {
public:
  explicit ChromeWriter(const std::string& path); // throws recording::Error
  ~ChromeWriter() override;
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
  struct Place {
    uint32_t process = 0;
    std::string name;              // of the process: empty
    std::vector<std::string> open; // what the slices say that have not ended: readers match ends by it
  };
  void open(const char* phase, uint64_t track, uint64_t ns);
  void name_it(const char* what, uint64_t track, const std::string& name);
  void add_arrow(uint64_t track, uint64_t ns, Arrow arrow);
  void close();

  std::string path_;
  std::FILE* file_;
  std::string buffer_ = "[";
  bool first_ = true, failed_ = false;
  std::unordered_map<uint64_t, Place> places_; // by the track
};

} // namespace chomp::analyse
