// See place_report.h.
#include "runtime/threads/place_report.h"

#include <algorithm>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/log.h"
#include "runtime/threads/affinity.h"

namespace chomp {

namespace {

/// One line, cut if it is too long.
struct Line {
  char text[512] = {};
  size_t length = 0;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (wanted > 0) length += static_cast<size_t>(wanted);
    if (length > sizeof text - 1) length = sizeof text - 1;
  }
};

/// The most units of `level` in one unit of `outer`. `*uniform`: whether all units of `outer` have as many.
int most_inside(const Hardware& hardware, HwLevel level, HwLevel outer, bool* uniform) {
  int most = 0, here = 0;
  bool first = true;
  for (int i = 0; i < hardware.count; ++i) {
    bool new_outer = i == 0 || unit_of(hardware.threads[i], outer) != unit_of(hardware.threads[i - 1], outer);
    bool new_unit = i == 0 || unit_of(hardware.threads[i], level) != unit_of(hardware.threads[i - 1], level);
    if (new_outer && i > 0) {
      if (!first && here != most) *uniform = false;
      if (here > most) most = here;
      first = false;
      here = 0;
    }
    if (new_unit) ++here;
  }
  if (!first && here != most) *uniform = false;
  return std::max(here, most);
}

} // namespace

void report_mask(const CpuMask& initial, bool respected) {
  char text[kMaskText];
  affinity_mask_text(initial, text, sizeof text);
  inform(respected ? 155 : 156, "KMP_AFFINITY: Initial OS proc set %s: %s", respected ? "respected" : "not respected",
         text);
}

void report_hardware(const Hardware& hardware) {
  HwLevel tree[kHwLevels];
  int depth = hardware_tree(hardware, tree);
  Line shape;
  bool uniform = true;
  for (int i = 0; i < depth; ++i) {
    int units = i == 0 ? hardware.unit_count(tree[0]) : most_inside(hardware, tree[i], tree[i - 1], &uniform);
    const char* title = level_name(tree[i]).title;
    shape.add("%s%d %s%s", i > 0 ? " x " : "", units, title, units == 1 ? "" : "s");
    if (i > 0) shape.add("/%s", level_name(tree[i - 1]).title);
  }
  inform(216, "KMP_AFFINITY: reading the topology from the system.");
  inform(157, "KMP_AFFINITY: %d available OS procs", hardware.count);
  inform(uniform ? 158 : 159, "KMP_AFFINITY: %s topology", uniform ? "Uniform" : "Nonuniform");
  inform(191, "KMP_AFFINITY: %s (%d total cores)", shape.text, hardware.unit_count(HwLevel::kCore));
  inform(218, "KMP_AFFINITY: OS proc to physical thread map:");
  for (int i = 0; i < hardware.count; ++i) {
    Line line;
    for (int at = 0; at < depth; ++at) {
      const HwThread& thread = hardware.threads[i];
      int first = i;
      while (at > 0 && first > 0 && unit_of(hardware.threads[first - 1], tree[at - 1]) == unit_of(thread, tree[at - 1]))
        --first;
      int outside = at > 0 ? unit_of(hardware.threads[first], tree[at]) : 0;
      line.add(" %s %d", level_name(tree[at]).title, unit_of(thread, tree[at]) - outside);
    }
    inform(172, "KMP_AFFINITY: OS proc %d maps to%s", hardware.threads[i].cpu, line.text);
  }
}

} // namespace chomp
