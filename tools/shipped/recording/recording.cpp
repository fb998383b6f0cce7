// See recording.h.
#include "tools/shipped/recording/recording.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chomp::recording {

// ---- Events ---------------------------------------------------------------------------------------------------------

Stream::Stream(uint32_t worker, std::vector<Chunk> chunks) : worker_(worker), chunks_(std::move(chunks)) {
  enter_chunk();
}

void Stream::enter_chunk() {
  at_ = chunks_[chunk_].begin;
  cursor_ = {};
  cursor_.ticks = chunks_[chunk_].header.began_ticks;
  sites_.assign(1, 0);
}

uint64_t Stream::number() {
  uint64_t value = 0;
  const uint8_t* end = chunks_[chunk_].end;
  for (int shift = 0; shift < 64 && at_ != end; shift += 7) {
    uint8_t byte = *at_++;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw Error("the recording is damaged: an event is cut off");
}

uint64_t Stream::site() {
  uint64_t index = number();
  if (index >= sites_.size()) throw Error("the recording is damaged: a place in the program that was not named");
  return sites_[index];
}

bool Stream::next(Event& event) {
  event = Event{};
  if (at_ == chunks_[chunk_].end) {
    if (chunk_ + 1 == chunks_.size()) return false;
    uint64_t before = cursor_.ticks;
    ++chunk_;
    enter_chunk();
    event.kind = RecordKind::kPause;
    event.at = cursor_.ticks;
    event.ticks = event.at > before ? event.at - before : 0;
    return true;
  }
  uint64_t head = number();
  event.kind = static_cast<RecordKind>(head % kRecordKinds);
  event.ticks = head / kRecordKinds;
  event.at = cursor_.ticks += event.ticks;
  if (event.kind >= RecordKind::kCount) throw Error("the recording is damaged: an unknown event");
  for (const char* part = kRecordForms[head % kRecordKinds].layout; *part != 0; ++part) switch (*part) {
    case 'i': event.id = id(); break;
    case 'p': event.parent = id(); break;
    case 'n': event.number = number(); break;
    case 'm': event.number2 = number(); break;
    case 'a': event.address = address(); break;
    default: event.site = site();
    }
  if (event.kind == RecordKind::kCreate) {
    if (event.number & kRecordPriority) event.number2 = number();
    if (event.number & kRecordParent) event.parent = id();
  }
  if (event.kind == RecordKind::kSite) sites_.push_back(event.site = event.number);
  return true;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

namespace {

/// A file that is open for reading. What is read is a copy: the process that records may replace any part meanwhile,
/// and a run that comes later may empty the file.
class File {
public:
  explicit File(const std::string& path) : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail();
  }
  ~File() { close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  uint64_t size() const {
    struct stat status{};
    if (fstat(file_, &status) != 0) fail();
    return static_cast<uint64_t>(status.st_size);
  }

  /// False where the file ends before.
  bool read(uint64_t at, void* to, size_t bytes) const {
    for (size_t done = 0; done < bytes;) {
      ssize_t got = pread(file_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) return false;
      done += static_cast<size_t>(got);
    }
    // Each read sees what the one before it has seen, or something newer: read_chunk() relies on that.
    std::atomic_thread_fence(std::memory_order_acquire); // acquire: pairs with the releases in record_file.cpp
    return true;
  }

private:
  [[noreturn]] void fail() const { throw Error(path_ + ": cannot be read: " + std::strerror(errno)); }

  const std::string& path_;
  int file_;
};

enum class Found { kNothing, kChunk, kReplaced };

/// What the slot at this place holds. A chunk's number is read before and after everything else of it: a recorder that
/// replaces the chunk takes the number away first, and sets the new one last.
Found read_chunk(const File& file, uint64_t at, Stream::Chunk& chunk) {
  uint64_t before = 0, after = 0;
  if (!file.read(at, &before, sizeof before) || before == 0) return Found::kNothing;
  if (!file.read(at, &chunk.header, sizeof chunk.header)) return Found::kReplaced;
  chunk.header.number = before;
  size_t bytes = std::min<size_t>(chunk.header.bytes, kRecordSlotBytes - sizeof chunk.header);
  auto events = std::make_shared<std::vector<uint8_t>>(bytes);
  if (!file.read(at + sizeof chunk.header, events->data(), bytes)) return Found::kReplaced;
  if (!file.read(at, &after, sizeof after) || after != before) return Found::kReplaced;
  if (bytes != chunk.header.bytes) throw Error("the recording is damaged: a chunk that is larger than its place");
  chunk.begin = events->data();
  chunk.end = chunk.begin + bytes;
  chunk.bytes = std::move(events);
  return bytes == 0 ? Found::kNothing : Found::kChunk;
}

} // namespace

Recording::Recording(const std::string& path) {
  File file(path);
  uint64_t bytes = file.size();
  if (bytes == 0) throw Nothing(path + ": nothing was recorded: there was no room for it");
  if (!file.read(0, &header, sizeof header) || bytes < kRecordHeaderBytes ||
      std::memcmp(header.magic, kRecordMagic, sizeof kRecordMagic) != 0)
    throw Error(path + ": not a recording of CHOMP_RECORD");
  if (header.version != kRecordVersion)
    throw Error(path + ": a recording of version " + std::to_string(header.version) + "; this program reads version " +
                std::to_string(kRecordVersion));
  if (!(header.ns_per_tick > 0 && header.ns_per_tick < 1e6))
    throw Error(path + ": the recording is damaged: its clock");
  cut_ = (bytes - kRecordHeaderBytes) % kRecordSlotBytes != 0;
  std::map<uint32_t, std::vector<Stream::Chunk>> chunks;
  for (uint64_t at = kRecordHeaderBytes; at + kRecordSlotBytes <= bytes; at += kRecordSlotBytes) {
    Stream::Chunk chunk;
    Found found = read_chunk(file, at, chunk);
    cut_ |= found == Found::kReplaced;
    if (found != Found::kChunk) continue;
    if (chunk.header.worker == kRecordModules)
      read_modules(chunk);
    else
      chunks[chunk.header.worker].push_back(std::move(chunk));
  }
  for (auto& [worker, list] : chunks) {
    std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.header.number < b.header.number; });
    streams.emplace_back(worker, std::move(list));
  }
  if (!streams.empty()) return;
  const char* why = header.full != 0 ? "the disk was full"
                    : cut_           ? "a part of the recording is missing"
                    : ended()        ? "it has no parallel region"
                                     : "it ended too early";
  throw Nothing(program() + ": nothing was recorded: " + why);
}

void Recording::read_modules(const Stream::Chunk& chunk) {
  std::string text(chunk.begin, chunk.end);
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    unsigned long low, high, offset;
    size_t slash = line.find('/');
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &low, &high, &offset) == 3 && slash != std::string::npos)
      modules.push_back({low, high, offset, line.substr(slash)});
  }
}

std::string Recording::missing() const {
  if (header.full != 0) return "the disk was full: what the program did afterwards is missing";
  if (!ended()) return "the program was killed, or still runs: this is what it did until now";
  if (header.replaced != 0) return "the last part of the run: what came before was too much (--limit)";
  return cut_ ? "the file is cut off" : "";
}

std::string Recording::program() const { return {header.program, strnlen(header.program, sizeof header.program)}; }
std::string Recording::scheduler() const {
  return {header.scheduler, strnlen(header.scheduler, sizeof header.scheduler)};
}

} // namespace chomp::recording
