// See shares.cpp.
#pragma once

namespace explore {

/// Before begin_run(): the runtime asks how iterations are shared out.
void share_out_by_seed();

} // namespace explore
