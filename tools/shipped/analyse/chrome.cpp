// See chrome.h.
#include "tools/shipped/analyse/chrome.h"

#include <cerrno>
#include <cstring>

#include "tools/shipped/recording/recording.h"

namespace chomp::analyse {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char each : text) {
    if (each == '"' || each == '\\') result += '\\';
    if (static_cast<unsigned char>(each) >= ' ') result += each;
  }
  return result + '"';
}

std::string description(const std::string& name, const char* category, TraceWriter::Note note) {
  std::string text = ",\"name\":" + quoted(name) + ",\"cat\":" + quoted(category);
  if (note.name != nullptr) text += ",\"args\":{" + quoted(note.name) + ":" + std::to_string(note.value) + "}";
  return text;
}

} // namespace

ChromeWriter::ChromeWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) throw recording::Error(path + ": " + std::strerror(errno));
}

ChromeWriter::~ChromeWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void ChromeWriter::finish() {
  buffer_ += "\n]\n";
  failed_ |= std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size();
  failed_ |= std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed_) throw recording::Error(path_ + ": cannot be written to its end: " + std::strerror(errno));
}

// ---- Events: an object each -----------------------------------------------------------------------------------------

void ChromeWriter::open(const char* phase, uint64_t track, uint64_t ns) {
  char text[128];
  // Microseconds, with three digits behind the point.
  std::snprintf(text, sizeof text, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%llu,\"ts\":%llu.%03llu", first_ ? "" : ",",
                phase, places_[track].process, static_cast<unsigned long long>(track),
                static_cast<unsigned long long>(ns / 1000), static_cast<unsigned long long>(ns % 1000));
  first_ = false;
  buffer_ += text;
}

void ChromeWriter::close() {
  buffer_ += '}';
  if (buffer_.size() < 1 << 20) return;
  failed_ |= std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size();
  buffer_.clear();
}

void ChromeWriter::name_it(const char* what, uint64_t track, const std::string& name) {
  open("M", track, 0);
  buffer_ += std::string(",\"name\":\"") + what + "\",\"args\":{\"name\":" + quoted(name) + "}";
  close();
}

void ChromeWriter::process(uint64_t track, uint32_t process, const std::string& name) {
  places_[track] = {process, "", {}};
  name_it("process_name", track, name);
}

void ChromeWriter::track(uint64_t track, uint64_t parent, const std::string& name, int) {
  const Place above = places_[parent];
  places_[track] = {above.process, above.name.empty() ? name : above.name + ", " + name, {}};
  name_it("thread_name", track, places_[track].name);
}

void ChromeWriter::counter_track(uint64_t track, uint64_t parent, const std::string& name, int) {
  places_[track] = {places_[parent].process, name, {}};
}

// An arrow is an event of its own, at the time of the slice that it begins or ends at.
void ChromeWriter::add_arrow(uint64_t track, uint64_t ns, Arrow arrow) {
  if (arrow.number == 0) return;
  open(arrow.ends ? "f" : "s", track, ns);
  buffer_ += ",\"name\":\"made\",\"cat\":\"arrow\",\"bp\":\"e\",\"id\":" + std::to_string(arrow.number);
  close();
}

void ChromeWriter::begin(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                         Arrow arrow) {
  places_[track].open.push_back(description(name, category, note));
  open("B", track, ns);
  buffer_ += places_[track].open.back();
  close();
  add_arrow(track, ns, arrow);
}

void ChromeWriter::end(uint64_t track, uint64_t ns) {
  std::vector<std::string>& slices = places_[track].open;
  open("E", track, ns);
  if (!slices.empty()) {
    buffer_ += slices.back();
    slices.pop_back();
  }
  close();
}

void ChromeWriter::instant(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                           Arrow arrow) {
  open("i", track, ns);
  buffer_ += ",\"s\":\"t\"" + description(name, category, note);
  close();
  add_arrow(track, ns, arrow);
}

void ChromeWriter::counter(uint64_t track, uint64_t ns, int64_t value) {
  open("C", track, ns);
  buffer_ += ",\"name\":" + quoted(places_[track].name) + ",\"args\":{\"value\":" + std::to_string(value) + "}";
  close();
}

} // namespace chomp::analyse
