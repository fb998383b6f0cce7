// Where code lies in the program's sources: in which functions, also those that the compiler has inlined (places.cpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/shipped/explore/strand.h"

namespace explore {

/// A line of a source, in a function.
struct SourcePlace {
  char file[128];     // without folders; empty: unknown
  char function[200]; // demangled; empty: unknown
  int line;
  bool of_system; // in a header of the system's
};

/// The place of a call that returns to `pc`: first the line itself, then the calls that the compiler has inlined, from
/// the inside out. Returns how many there are; 0: the file has no debug information.
int source_places(const void* pc, SourcePlace* list, int most);

/// The place in the user's own sources: the line itself, or the call of what is in a header. `through` is what is
/// called there, `deepest` where in it; both are empty if the line is the user's.
struct UserPlace {
  SourcePlace place;
  SourcePlace deepest;
  char through[200];
  const void* pc;
};
/// False: no line of the user's is known.
bool user_place(const Place& place, UserPlace* found);

/// What lies at an address of a file, as linked: a variable with its members and elements, of a function's own after
/// that. False: the debug information does not say.
bool variable_at(const char* path, uint64_t linked, char* text, size_t room);

/// The name as the program's source has it.
void demangle(const char* name, char* text, size_t room);

} // namespace explore
