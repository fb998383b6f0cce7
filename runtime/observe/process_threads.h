// The threads of this process as the kernel sees them, from /proc/self/task. The recorder and the watchdog use this.
// The watchdog may use neither malloc nor a lock of libc's, since a thread that hangs may hold it.
#pragma once

#include <cstdint>

namespace chomp {

/// What a thread does in the kernel.
enum class Blocked : uint8_t {
  kNot,      // it runs, or could run, or waits for a disk
  kByClock,  // it sleeps for a time, or waits for another thread with a time limit
  kOnThread, // it waits, without a limit, for another thread (a futex)
  kOutside,  // any other sleep: it waits for the world outside
  kEnded,    // it has ended, and only its number is left
};

struct ProcessThread {
  int id = 0;
  Blocked blocked = Blocked::kNot;
  uint64_t switches = 0; // how often it has left a CPU; it grows if the thread has run and sleeps again
  char name[16] = "";
};

inline constexpr int kMostListedThreads = 4096;

/// Fills `ids`; returns how many threads there are, at most kMostListedThreads; 0: the kernel does not say.
int list_threads(int* ids);

/// Opens the calling thread's own record of when it had no CPU, for read_own_delays(): a file descriptor; -1: the
/// kernel does not say.
int open_own_delays();
/// How long the thread that has opened `file` has been ready to run without a CPU. False: the thread has ended.
bool read_own_delays(int file, uint64_t* delayed_ns);

/// False: there is no such thread any more, or the kernel does not say.
bool look_at_thread(int id, ProcessThread* thread);

} // namespace chomp
