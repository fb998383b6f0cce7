// See recording.h.
#include "tools/recording/recording.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
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
  switch (event.kind) {
  case RecordKind::kCreateTied:
    event.id = id();
    event.site = site();
    break;
  case RecordKind::kCreate:
    event.id = id();
    event.site = site();
    event.number = number();
    if (event.number & kRecordPriority) event.number2 = number();
    if (event.number & kRecordParent) event.parent = id();
    break;
  case RecordKind::kBegin:
  case RecordKind::kFulfil:
  case RecordKind::kDiscard: event.id = id(); break;
  case RecordKind::kDependence:
    event.number = number();
    event.address = address();
    break;
  case RecordKind::kImplicitBegin:
    event.id = id();
    event.parent = id();
    event.number = number();
    break;
  case RecordKind::kWaitBegin:
  case RecordKind::kRegionBegin:
    event.number = number();
    event.site = site();
    break;
  case RecordKind::kWorkBegin:
    event.number = number();
    event.number2 = number();
    event.site = site();
    break;
  case RecordKind::kMutexWait:
    event.number = number();
    event.address = address();
    event.site = site();
    break;
  case RecordKind::kMutexReleased: event.address = address(); break;
  case RecordKind::kPublish:
  case RecordKind::kDomain: event.number = number(); break;
  case RecordKind::kSite: sites_.push_back(event.site = number()); break;
  case RecordKind::kEnd:
  case RecordKind::kWaitEnd:
  case RecordKind::kGroupBegin:
  case RecordKind::kRegionEnd:
  case RecordKind::kImplicitEnd:
  case RecordKind::kIdleBegin:
  case RecordKind::kIdleEnd:
  case RecordKind::kWorkEnd:
  case RecordKind::kMutexAcquired:
  case RecordKind::kMutexGivenUp: break;
  default: throw Error("the recording is damaged: an unknown event");
  }
  return true;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

Recording::Recording(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) throw Error(path + ": cannot be read: " + std::strerror(errno));
  bytes_ = static_cast<size_t>(status.st_size);
  // A private copy in memory would be safe from a process that still records; chunks that change meanwhile are left
  // out.
  void* pages = bytes_ > 0 ? mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (bytes_ < kRecordHeaderBytes || pages == MAP_FAILED ||
      std::memcmp(pages, kRecordMagic, sizeof kRecordMagic) != 0) {
    if (pages != MAP_FAILED) munmap(pages, bytes_);
    throw Error(path + ": not a recording of CHOMP_RECORD");
  }
  data_ = static_cast<uint8_t*>(pages);
  std::memcpy(&header, data_, sizeof header);
  if (header.version != kRecordVersion)
    throw Error(path + ": a recording of version " + std::to_string(header.version) + "; this program reads version " +
                std::to_string(kRecordVersion));
  cut_ = (bytes_ - kRecordHeaderBytes) % kRecordSlotBytes != 0;
  std::map<uint32_t, std::vector<Stream::Chunk>> chunks;
  for (size_t at = kRecordHeaderBytes; at + kRecordSlotBytes <= bytes_; at += kRecordSlotBytes) {
    Stream::Chunk chunk;
    std::memcpy(&chunk.header, data_ + at, sizeof chunk.header);
    if (chunk.header.number == 0 || chunk.header.bytes == 0) continue;
    if (chunk.header.bytes > kRecordSlotBytes - sizeof chunk.header) throw Error(path + ": the recording is damaged");
    chunk.begin = data_ + at + sizeof chunk.header;
    chunk.end = chunk.begin + chunk.header.bytes;
    if (chunk.header.worker == kRecordModules)
      read_modules(chunk);
    else
      chunks[chunk.header.worker].push_back(chunk);
  }
  for (auto& [worker, list] : chunks) {
    std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.header.number < b.header.number; });
    streams.emplace_back(worker, std::move(list));
  }
}

Recording::~Recording() {
  if (data_ != nullptr) munmap(data_, bytes_);
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

std::string Recording::program() const { return {header.program, strnlen(header.program, sizeof header.program)}; }
std::string Recording::scheduler() const {
  return {header.scheduler, strnlen(header.scheduler, sizeof header.scheduler)};
}

} // namespace chomp::recording
