// The affinity format: any text expands to the same whole length whatever the buffer, and into the buffer only.
//
// SOURCES: runtime/threads/affinity_format.cpp runtime/base/log.cpp runtime/base/os_linux.cpp
#include <string>

#include "runtime/threads/affinity.h"
#include "runtime/teams/league.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "test/fuzz/fuzz.h"

using namespace chomp;

constinit Config chomp::config;

const Member* chomp::member_at_level(const Worker*, int) { return nullptr; }

static Worker* worker() {
  static Team team;
  static Member member;
  static Worker worker;
  member.team = &team;
  worker.member = &member;
  return &worker;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string format(reinterpret_cast<const char*>(data) + 1, size - 1);
  size_t room = data[0];
  size_t length = affinity_capture(worker(), format.c_str(), nullptr, 0);
  std::string whole(length + 1, 'x'), cut(room, 'x');
  if (affinity_capture(worker(), format.c_str(), whole.data(), whole.size()) != length ||
      strlen(whole.c_str()) != length)
    fuzz_failed("another length", "whole");
  if (affinity_capture(worker(), format.c_str(), cut.data(), room) != length) fuzz_failed("another length", "cut");
  size_t kept = length < room ? length : room > 0 ? room - 1 : 0;
  if (room > 0 && (strlen(cut.c_str()) != kept || whole.compare(0, kept, cut.c_str()) != 0))
    fuzz_failed("not the beginning of the whole text", "cut");

  affinity_format_set(format.c_str());
  affinity_display(worker(), nullptr);
  return 0;
}
