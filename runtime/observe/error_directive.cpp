// See error_directive.h. Words and message numbers are libomp's.
#include "runtime/observe/error_directive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/core/events.h"
#include "runtime/core/worker.h"

namespace chomp {

/// Field `number`, from 0, of texts between semicolons.
static std::string_view field_of(std::string_view source, int number, std::string_view otherwise) {
  for (; number > 0; --number) {
    const size_t end = source.find(';');
    if (end == source.npos) return otherwise;
    source.remove_prefix(end + 1);
  }
  return source.substr(0, source.find(';'));
}

void error_directive(int severity, const char* source, const char* message, const void* site) {
  this_worker(); // a tool is attached, and the settings are read
  char where[300] = "unknown";
  if (source != nullptr) {
    const std::string_view file = field_of(source, 1, ""), line = field_of(source, 3, "0"),
                           column = field_of(source, 4, "0");
    snprintf(where, sizeof where, "%.*s:%.*s:%.*s", static_cast<int>(file.size()), file.data(),
             static_cast<int>(line.size()), line.data(), static_cast<int>(column.size()), column.data());
  }
  if (message == nullptr) message = "";
  if (announcing()) event_error(severity, message, site);
  if (severity == kWarning) return warn(283, "%s: Encountered user-directed warning: %s.", where, message);
  print("OMP: Error #282: %s: Encountered user-directed error: %s.\n", where, message);
  abort();
}

} // namespace chomp
