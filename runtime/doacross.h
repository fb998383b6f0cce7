// What worksharing.cpp needs of doacross.cpp.
#pragma once

#include "runtime/worksharing.h"

namespace chomp {

/// Makes a slot as new, between regions; frees what a cancelled loop left.
void doacross_reset(SharedDoacross* slot);

} // namespace chomp
