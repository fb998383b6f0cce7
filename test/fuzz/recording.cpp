// Recordings: what `chomp trace` and `chomp report` make of chunks whose events are damaged, cut off, or have lost what
// came before them. The input is a row of chunks; of each the first byte is the worker, the next two are the number of
// bytes of its events. The third byte's high bits say whether the chunk claims more bytes than it has room for. An
// input that begins with "hex:" is written in hexadecimal digits, so that seeds are text.
//
// SOURCES: tools/shipped/recording/recording.cpp tools/shipped/analyse/analysis.cpp
// tools/shipped/analyse/constructs.cpp tools/shipped/analyse/lane.cpp tools/shipped/analyse/perfetto.cpp
// tools/shipped/analyse/symbols.cpp tools/shipped/analyse/timeline.cpp
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"
#include "tools/shipped/analyse/analysis.h"
#include "tools/shipped/analyse/timeline.h"
#include "tools/shipped/recording/recording.h"

using namespace chomp;

namespace {

void put(int file, uint64_t at, const void* from, size_t bytes) {
  if (pwrite(file, from, bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes)) abort();
}

void write_header(int file) {
  RecordHeader header{};
  memcpy(header.magic, kRecordMagic, sizeof header.magic);
  header.version = kRecordVersion;
  header.began_ticks = 1000;
  header.ns_per_tick = 0.5;
  header.event_ns = 10;
  put(file, 0, &header, sizeof header);
}

void write_chunk(int file, uint64_t number, uint8_t worker, bool too_long, const uint8_t* events, size_t bytes) {
  uint64_t at = kRecordHeaderBytes + (number - 1) * kRecordSlotBytes;
  RecordChunk chunk{};
  chunk.number = number;
  chunk.worker = worker == 0xff ? kRecordModules : worker % 4;
  chunk.began_ticks = 1000 + 100 * number;
  chunk.bytes = too_long ? UINT32_MAX : static_cast<uint32_t>(bytes);
  put(file, at, &chunk, sizeof chunk);
  put(file, at + sizeof chunk, events, bytes);
}

/// Modules are read, but nothing is asked of them: that would start addr2line.
void read_all(const std::string& path) {
  try {
    recording::Recording recording(path);
    analyse::analyse(recording, {}, {});
    if (!recording.modules.empty()) return;
    analyse::write_timeline({path}, {"/dev/null", 3});
    analyse::write_timeline({path}, {"/dev/null", 0});
  } catch (const recording::Error&) {
  }
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  int high = -1;
  for (char each : text) {
    const char* digits = "0123456789abcdef";
    const char* at = each != 0 ? strchr(digits, each) : nullptr;
    if (at == nullptr) continue;
    int value = static_cast<int>(at - digits);
    if (high >= 0) bytes.push_back(static_cast<char>(high * 16 + value));
    high = high >= 0 ? -1 : value;
  }
  return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t input_size) {
  std::string bytes_of_chunks(reinterpret_cast<const char*>(input), input_size);
  if (bytes_of_chunks.starts_with("hex:")) bytes_of_chunks = from_hex(bytes_of_chunks.substr(4));
  const auto* data = reinterpret_cast<const uint8_t*>(bytes_of_chunks.data());
  size_t size = bytes_of_chunks.size();
  int file = memfd_create("recording", MFD_CLOEXEC);
  if (file < 0) abort();
  write_header(file);
  uint64_t number = 0;
  while (size >= 3) {
    size_t bytes = data[1] + (data[2] & 0x0fu) * 256u;
    if (bytes > size - 3) bytes = size - 3;
    write_chunk(file, ++number, data[0], data[2] >> 4 == 0xf, data + 3, bytes);
    data += 3 + bytes;
    size -= 3 + bytes;
  }
  if (ftruncate(file, static_cast<off_t>(kRecordHeaderBytes + number * kRecordSlotBytes)) != 0) abort();
  read_all("/proc/self/fd/" + std::to_string(file));
  close(file);
  return 0;
}
