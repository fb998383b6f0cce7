// See perfetto.h.
#include "tools/shipped/analyse/perfetto.h"

#include <cerrno>
#include <cstring>

#include "tools/shipped/recording/recording.h"

namespace chomp::analyse {

namespace {

// Fields of the schema that are used here.
enum TraceField { kPacket = 1 };
enum PacketField {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum SequenceFlag { kStateCleared = 1, kNeedsState = 2 };
enum DescriptorField { kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kCounter = 8, kChildOrder = 11, kRank = 12 };
enum ProcessField { kPid = 1, kProcessName = 6 };
enum EventField {
  kCategories = 3,
  kAnnotations = 4,
  kType = 9,
  kNameId = 10,
  kTrack = 11,
  kCounterValue = 30,
  kFlows = 47,
  kEndingFlows = 48,
};
enum EventType { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterType = 4 };
enum AnnotationField { kAnnotationNameId = 1, kUintValue = 3 };
enum InternedField { kCategoryNames = 1, kEventNames = 2, kAnnotationNames = 3 };
enum InternedEntryField { kEntryId = 1, kEntryName = 2 };
constexpr uint64_t kExplicitOrder = 3; // TrackDescriptor.ChildTracksOrdering: by sibling_order_rank
constexpr uint64_t kOnlySequence = 1;

} // namespace

/// A message of protobuf, field by field.
class TraceWriter::Message {
public:
  void number(unsigned field, uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void fixed(unsigned field, uint64_t value) {
    varint(field << 3 | 1);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(unsigned field, const std::string& value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes += value;
  }
  void message(unsigned field, const Message& value) { text(field, value.bytes); }

  std::string bytes;

private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
};

TraceWriter::TraceWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) throw recording::Error(path + ": cannot be written: " + std::strerror(errno));
}

TraceWriter::~TraceWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void TraceWriter::write_buffer() {
  failed_ |= std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size();
  buffer_.clear();
}

void TraceWriter::finish() {
  write_buffer();
  failed_ |= std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed_) throw recording::Error(path_ + ": cannot be written to its end: " + std::strerror(errno));
}

void TraceWriter::packet(const Message& packet) {
  Message whole;
  whole.message(kPacket, packet);
  buffer_ += whole.bytes;
  if (buffer_.size() > 1 << 20) write_buffer();
}

// ---- Tracks ---------------------------------------------------------------------------------------------------------

void TraceWriter::describe(Message& descriptor) {
  Message outer;
  outer.number(kSequence, kOnlySequence);
  outer.message(kTrackDescriptor, descriptor);
  packet(outer);
}

void TraceWriter::process(uint64_t track, uint32_t process, const std::string& name) {
  Message descriptor, inner;
  inner.number(kPid, process);
  inner.text(kProcessName, name);
  descriptor.number(kUuid, track);
  descriptor.number(kChildOrder, kExplicitOrder);
  descriptor.message(kProcess, inner);
  describe(descriptor);
}

void TraceWriter::track(uint64_t track, uint64_t parent, const std::string& name, int rank) {
  Message descriptor;
  descriptor.number(kUuid, track);
  descriptor.number(kParent, parent);
  descriptor.text(kName, name);
  descriptor.number(kChildOrder, kExplicitOrder);
  descriptor.number(kRank, static_cast<uint64_t>(rank));
  describe(descriptor);
}

void TraceWriter::counter_track(uint64_t track, uint64_t parent, const std::string& name, int rank) {
  Message descriptor;
  descriptor.number(kUuid, track);
  descriptor.number(kParent, parent);
  descriptor.text(kName, name);
  descriptor.number(kRank, static_cast<uint64_t>(rank));
  descriptor.message(kCounter, Message{});
  describe(descriptor);
}

// ---- Events ---------------------------------------------------------------------------------------------------------

uint64_t TraceWriter::intern(std::unordered_map<std::string, uint64_t>& known, const std::string& text, Message& names,
                             unsigned field) {
  auto [place, is_new] = known.try_emplace(text, known.size() + 1);
  if (is_new) {
    Message entry;
    entry.number(kEntryId, place->second);
    entry.text(kEntryName, text);
    names.message(field, entry);
  }
  return place->second;
}

void TraceWriter::event(uint64_t ns, const Message& event, const Message& names) {
  Message outer;
  outer.number(kTimestamp, ns);
  outer.number(kSequence, kOnlySequence);
  outer.number(kSequenceFlags, begun_ ? kNeedsState : kStateCleared | kNeedsState);
  begun_ = true;
  if (!names.bytes.empty()) outer.message(kInternedData, names);
  outer.message(kTrackEvent, event);
  packet(outer);
}

void TraceWriter::named(Message& event, Message& names, const std::string& name, const char* category, Note note,
                        Arrow arrow) {
  event.number(kNameId, intern(names_, name, names, kEventNames));
  event.number(kCategories, intern(categories_, category, names, kCategoryNames));
  if (note.name != nullptr) {
    Message annotation;
    annotation.number(kAnnotationNameId, intern(notes_, note.name, names, kAnnotationNames));
    annotation.number(kUintValue, note.value);
    event.message(kAnnotations, annotation);
  }
  if (arrow.number != 0) event.fixed(arrow.ends ? kEndingFlows : kFlows, arrow.number);
}

void TraceWriter::begin(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                        Arrow arrow) {
  Message slice, names;
  slice.number(kType, kSliceBegin);
  slice.number(kTrack, track);
  named(slice, names, name, category, note, arrow);
  event(ns, slice, names);
}

void TraceWriter::end(uint64_t track, uint64_t ns) {
  Message slice;
  slice.number(kType, kSliceEnd);
  slice.number(kTrack, track);
  event(ns, slice, {});
}

void TraceWriter::instant(uint64_t track, uint64_t ns, const std::string& name, const char* category, Note note,
                          Arrow arrow) {
  Message mark, names;
  mark.number(kType, kInstant);
  mark.number(kTrack, track);
  named(mark, names, name, category, note, arrow);
  event(ns, mark, names);
}

void TraceWriter::counter(uint64_t track, uint64_t ns, int64_t value) {
  Message point;
  point.number(kType, kCounterType);
  point.number(kTrack, track);
  point.number(kCounterValue, static_cast<uint64_t>(value));
  event(ns, point, {});
}

} // namespace chomp::analyse
