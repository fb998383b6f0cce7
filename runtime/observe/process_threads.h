// The threads of this process as the kernel sees them, from /proc/self/task. The recorder and the watchdog use it. The
// latter may not use malloc, nor take a lock of libc's, since a thread that hangs may hold it.
#pragma once

#include <cstdint>

namespace chomp {

/// What a thread does in the kernel.
enum class Blocked : uint8_t {
  kNot,      // it runs, or could run, or waits for a disk
  kByClock,  // it sleeps for a time, or waits for another thread with a time limit
  kOnThread, // it waits, without a limit, for another thread (a futex)
  kOutside,  // any other sleep: it waits for the world outside
  kEnded,    // it has left, and only its number is there
};

struct ProcessThread {
  int id = 0;
  Blocked blocked = Blocked::kNot;
  uint64_t switches = 0; // how often it has left a CPU; the number grows if it has run and sleeps again
  char name[16] = "";
};

inline constexpr int kMostListedThreads = 4096;

/// Fills `ids`; returns how many threads there are, at most kMostListedThreads; 0: the kernel does not say.
int list_threads(int* ids);

/// How long the present threads together have been ready to run without a CPU, since each began. 0: the kernel does not
/// say.
uint64_t threads_delayed_ns();

/// The calling thread's own record of that, to be read again and again: a file descriptor; -1: the kernel does not say.
int open_own_delays();
/// How long the thread that has opened `file` has been ready to run without a CPU. False: it has ended.
bool read_own_delays(int file, uint64_t* delayed_ns);

/// False: there is no such thread any more, or the kernel does not say.
bool look_at_thread(int id, ProcessThread* thread);

} // namespace chomp
