// Calls that share something which no access to memory shows (shared_calls.cpp).
#pragma once

#include <stdint.h>

namespace explore {

/// What calls share. After kEnd nobody prints any more; kChance is another thing each time; the orders of kUntried are
/// not tried.
enum class Shared : uint8_t { kRandom, kStatic, kProcess, kInput, kFiles, kOutput, kEnd, kChance, kUntried };

/// In front of a call by the code at `pc`: others may come first.
void use_shared(Shared what, const char* name, const void* pc);
/// The name of what functions of libc keep there; null: nothing of theirs.
const char* library_state(const void* address);
/// The code there allocates.
void note_allocation(const void* pc);
/// Code that nobody sees keeps a search from being complete.
void look_for_other_code();

} // namespace explore
