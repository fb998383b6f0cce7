// What is handed over by a pipe, a socket, an eventfd or a file: who reads comes after what was done before the writes.
// A call that would block lets others run; only where nobody can it waits for what comes from outside.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/descriptor_calls.h"
#include "tools/shipped/explore/library_calls.h"
#include "tools/shipped/explore/shared_calls.h"

using namespace explore;
using namespace virtual_machine;

namespace {

// Stands for what is behind the descriptor: both ends of a pipe are one file; of sockets and the like nobody knows
// which belong together, so all are one.
const void* channel_of(int file) {
  struct stat facts;
  bool is_file = fstat(file, &facts) == 0 && (S_ISFIFO(facts.st_mode) || S_ISREG(facts.st_mode));
  uint64_t key = is_file ? (uint64_t{facts.st_dev} << 40 ^ facts.st_ino) : 0;
  return reinterpret_cast<const void*>((key << 1 | uint64_t{1} << 61) + 1);
}

bool others_can_run() {
  for (int i = 0; i < width; ++i) {
    const Fiber& fiber = fibers[i];
    if (&fiber == current) continue;
    if (fiber.state == State::kReady || (fiber.state == State::kBlocked && fiber.deadline >= 0)) return true;
  }
  return false;
}

// Threads of the runtime may look for work for ever: after so many turns of the others it waits for something outside.
constexpr int kMostTurns = 10'000;
constexpr int64_t kTurnNs = 1000;

const char waits_with_limit = 0; // its address: what those wait for whose time is limited

// Others run until `ready()`, or the time is up. Virtual milliseconds; -1: for ever. Where it is limited the thread
// looks when another one sends something, and now and then, since other processes do so unseen.
template <typename Ready> void let_others_run(const char* name, const void* pc, int64_t ms, Ready ready) {
  int64_t begun = now_ns(), until = ms < 0 ? -1 : begun + ms * 1'000'000;
  for (int turns = 0; turns < kMostTurns && others_can_run() && !ready(); ++turns) {
    int64_t now = now_ns(), look = now + (now - begun) / 16 + kTurnNs;
    if (until >= 0 && now >= until) return;
    if (until >= 0)
      block(&waits_with_limit, 1, look < until ? look : until);
    else
      yield_point(pc, name, kTurnNs);
  }
}

void wait_for(int file, short events, const char* name, const void* pc) {
  int flags = fcntl(file, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return;
  let_others_run(name, pc, -1, [=] {
    pollfd one{file, events, 0};
    return syscall(SYS_poll, &one, 1, 0) != 0;
  });
}

} // namespace

void explore::sends(int file, const char* name, const void* pc) {
  if (!active || !is_of_program(pc)) return;
  wait_for(file, POLLOUT, name, pc);
  release_to(channel_of(file));
  wake(&waits_with_limit, kMaxFibers, 1); // they run after the call, before which nobody else gets a turn
}

void explore::receives(int file, const char* name, const void* pc) {
  if (!active || !is_of_program(pc)) return;
  wait_for(file, POLLIN, name, pc);
  acquire_from(channel_of(file));
}

#define SENDS(result, name, parameters, arguments)                                                                     \
  EXPORT result name parameters {                                                                                      \
    NEXT(name);                                                                                                        \
    use_shared(Shared::kOutput, #name, HERE);                                                                          \
    sends(file, #name, HERE);                                                                                          \
    return next arguments;                                                                                             \
  }
#define RECEIVES(result, name, parameters, arguments)                                                                  \
  EXPORT result name parameters {                                                                                      \
    NEXT(name);                                                                                                        \
    use_shared(Shared::kInput, #name, HERE);                                                                           \
    receives(file, #name, HERE);                                                                                       \
    return next arguments;                                                                                             \
  }
SENDS(ssize_t, writev, (int file, const iovec* list, int count), (file, list, count))
SENDS(ssize_t, pwrite, (int file, const void* from, size_t bytes, off_t at), (file, from, bytes, at))
SENDS(ssize_t, pwrite64, (int file, const void* from, size_t bytes, off64_t at), (file, from, bytes, at))
SENDS(ssize_t, send, (int file, const void* from, size_t bytes, int flags), (file, from, bytes, flags))
SENDS(ssize_t, sendto, (int file, const void* from, size_t bytes, int flags, const sockaddr* to, socklen_t length),
      (file, from, bytes, flags, to, length))
SENDS(ssize_t, sendmsg, (int file, const msghdr* message, int flags), (file, message, flags))
RECEIVES(ssize_t, readv, (int file, const iovec* list, int count), (file, list, count))
RECEIVES(ssize_t, pread, (int file, void* to, size_t bytes, off_t at), (file, to, bytes, at))
RECEIVES(ssize_t, pread64, (int file, void* to, size_t bytes, off64_t at), (file, to, bytes, at))
RECEIVES(ssize_t, recv, (int file, void* to, size_t bytes, int flags), (file, to, bytes, flags))
RECEIVES(ssize_t, recvfrom, (int file, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* length),
         (file, to, bytes, flags, from, length))
RECEIVES(ssize_t, recvmsg, (int file, msghdr* message, int flags), (file, message, flags))
RECEIVES(int, accept, (int file, sockaddr* from, socklen_t* length), (file, from, length))

EXPORT int eventfd_read(int file, eventfd_t* value) {
  NEXT(eventfd_read);
  receives(file, "eventfd_read", HERE);
  return next(file, value);
}
EXPORT int eventfd_write(int file, eventfd_t value) {
  NEXT(eventfd_write);
  sends(file, "eventfd_write", HERE);
  return next(file, value);
}

// The end of a file may say something, too.
EXPORT int close(int file) {
  NEXT(close);
  use_shared(Shared::kFiles, "close", HERE);
  if (active && is_of_program(HERE)) release_to(channel_of(file));
  return next(file);
}

EXPORT int poll(pollfd* list, nfds_t count, int ms) {
  NEXT(poll);
  use_shared(Shared::kUntried, "poll", HERE);
  if (active && is_of_program(HERE) && ms != 0)
    let_others_run("poll", HERE, ms, [=] { return syscall(SYS_poll, list, count, 0) != 0; });
  return next(list, count, active && others_can_run() ? 0 : ms);
}

EXPORT int epoll_wait(int file, epoll_event* list, int most, int ms) {
  NEXT(epoll_wait);
  use_shared(Shared::kUntried, "epoll_wait", HERE);
  if (active && is_of_program(HERE) && ms != 0)
    let_others_run("epoll_wait", HERE, ms, [=] {
      pollfd one{file, POLLIN, 0};
      return syscall(SYS_poll, &one, 1, 0) != 0;
    });
  return next(file, list, most, active && others_can_run() ? 0 : ms);
}

EXPORT int select(int count, fd_set* read, fd_set* write, fd_set* other, timeval* time) {
  NEXT(select);
  use_shared(Shared::kUntried, "select", HERE);
  int64_t ms = time != nullptr ? time->tv_sec * 1000 + (time->tv_usec + 999) / 1000 : -1;
  if (active && is_of_program(HERE) && ms != 0)
    let_others_run("select", HERE, ms, [=] {
      fd_set sets[3];
      fd_set* given[] = {read, write, other};
      for (int i = 0; i < 3; ++i)
        if (given[i] != nullptr) sets[i] = *given[i];
      timeval none{0, 0};
      return next(count, read != nullptr ? &sets[0] : nullptr, write != nullptr ? &sets[1] : nullptr,
                  other != nullptr ? &sets[2] : nullptr, &none) != 0;
    });
  timeval none{0, 0};
  return next(count, read, write, other, active && others_can_run() ? &none : time);
}
