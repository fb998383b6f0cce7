// Showing the settings: OMP_DISPLAY_ENV, omp_display_env(), KMP_SETTINGS.
#include "runtime/config/config.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/settings_table.h"

namespace chomp {

namespace {

/// A long text that is written at once, so that the lines of several MPI processes do not mix.
class Page {
public:
  Page() : text_(static_cast<char*>(map_pages(kBytes))) {}
  ~Page() {
    if (text_) write_all(2, text_, length_);
    unmap_pages(text_, kBytes);
  }
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    if (!text_) return;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text_ + length_, kBytes - length_, format, arguments);
    va_end(arguments);
    if (wanted > 0) length_ += static_cast<size_t>(wanted);
    if (length_ > kBytes - 1) length_ = kBytes - 1;
  }

private:
  static constexpr size_t kBytes = 65536;
  char* text_;
  size_t length_ = 0;
};

/// Shows defaults that do not follow from settings.
void show_reasons(Page* page) {
  if (config_spreads_for_race_detector())
    page->add(
        "   ThreadSanitizer is in the program: tasks are dealt out (CHOMP_SCHEDULER=%s), since it sees races between "
        "threads only\n",
        kSchedulerForRaceDetectors);
}

/// Shows "<before>NAME='value'", or what libomp prints without a value. Shows a variable without effect if it was
/// given.
void show_row(Page* page, int row, const char* before) {
  const Setting& setting = settings.rows[row];
  ValueText text;
  if (!setting.parse || !setting.show) {
    if (settings.given[row]) page->add("%s%s='%.200s'\n", before, setting.name, settings.given[row]);
    return;
  }
  setting.show(setting, &text);
  if (text.empty())
    page->add("%s%s: value is not defined\n", before, setting.name);
  else
    page->add("%s%s='%s'\n", before, setting.name, text.text);
}

} // namespace

void config_display_settings() {
  Page page;
  page.add("\nUser settings:\n\n");
  for (int row = 0; row < settings.count; row++)
    if (settings.given[row]) page.add("   %s=%.200s\n", settings.rows[row].name, settings.given[row]);
  page.add("\nEffective settings:\n\n");
  for (int row = 0; row < settings.count; row++) show_row(&page, row, "   ");
  show_reasons(&page);
  page.add("\n");
}

void config_display(bool verbose) {
  Page page;
  page.add("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n   _OPENMP='%d'\n   runtime='chomp " CHOMP_VERSION "'\n",
           kOpenmpVersion);
  for (int row = 0; row < settings.count; row++)
    if (verbose || std::string_view(settings.rows[row].name).starts_with("OMP_")) show_row(&page, row, "  [host] ");
  if (verbose) show_reasons(&page);
  page.add("OPENMP DISPLAY ENVIRONMENT END\n\n");
}

} // namespace chomp
