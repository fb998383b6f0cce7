// What libstdc++ orders by atomics of its own, which nobody sees: variables of functions that are initialised once, and
// how many have an exception.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/strand.h"

using namespace explore;
using virtual_machine::active;

// ---- Variables of functions that are initialised once ---------------------------------------------------------------

EXPORT void __cxa_guard_release(int64_t* guard) {
  NEXT(__cxa_guard_release);
  if (active) virtual_machine::atomic_update(guard, 1, virtual_machine::Update::kOr, 0, 5, HERE); // orders all
  next(guard);
}
EXPORT int __cxa_guard_acquire(int64_t* guard) {
  NEXT(__cxa_guard_acquire);
  if (active) virtual_machine::point(HERE, "first use", guard, virtual_machine::Touch::kUse); // who comes, initialises
  int is_first = next(guard);
  if (active && is_first == 0) virtual_machine::atomic_load(guard, 1, 5, HERE); // as above
  return is_first;
}

// ---- Exceptions: the last that has one destroys it, after all others have let it go ---------------------------------

namespace {

/// As the ABI has it (Itanium C++ ABI, Exception Handling, 2.2): before the object that was thrown. Of one that was
/// thrown again the first word is that object's address.
struct Header {
  void* primary;
  void* words[9];
  char language[8];
  void* cleanup;
  void* unwinder[2];
};
static_assert(sizeof(Header) == 112, "x86-64");
struct Globals {
  Header* caught;
  unsigned uncaught;
};

void* caught_object() {
  static auto globals = reinterpret_cast<Globals* (*)()>(next_function("__cxa_get_globals", HERE));
  Header* header = globals()->caught;
  if (header == nullptr || memcmp(header->language + 1, "++CCUNG", 7) != 0) return nullptr; // backwards
  return header->language[0] == 0 ? header + 1 : header->primary;
}

void count_changes(const void* object) {
  if (!active || object == nullptr) return;
  virtual_machine::release_to(object);
  virtual_machine::acquire_from(object);
}

} // namespace

EXPORT void __cxa_end_catch() {
  NEXT(__cxa_end_catch);
  if (active) count_changes(caught_object());
  next();
}

// Those of std::exception_ptr, whose only member is the object's address.
#define COUNT(name)                                                                                                    \
  EXPORT void name(void** pointer) {                                                                                   \
    NEXT(name);                                                                                                        \
    count_changes(*pointer);                                                                                           \
    next(pointer);                                                                                                     \
  }
COUNT(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv)
COUNT(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)
