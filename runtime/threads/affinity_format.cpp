// The affinity format (OpenMP 5.2, 21.7): %[[[0].]width]type, where `type` is one letter or {long_name}. "." justifies
// to the right, "0" pads with zeros. A type that is not known prints "undefined". See affinity.h.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/threads/affinity.h"
#include "runtime/teams/league.h"

namespace chomp {

namespace {

constexpr size_t kMostText = kMaskText; // of one field
constexpr int kMostWidth = 999;

/// Cuts the text at the end of the buffer, but counts all of it.
class Output {
public:
  Output(char* buffer, size_t size) : buffer_(buffer), size_(buffer != nullptr ? size : 0) {}
  void add(char letter) {
    if (length_ + 1 < size_) buffer_[length_] = letter;
    ++length_;
  }
  void add(const char* text) {
    while (*text != 0) add(*text++);
  }
  size_t finish() {
    if (size_ > 0) buffer_[length_ < size_ ? length_ : size_ - 1] = 0;
    return length_;
  }

private:
  char* buffer_;
  size_t size_;
  size_t length_ = 0;
};

struct FieldName {
  char letter;
  const char* name;
};
constexpr FieldName kFields[] = {{'t', "team_num"},       {'T', "num_teams"},   {'L', "nesting_level"},
                                 {'n', "thread_num"},     {'N', "num_threads"}, {'a', "ancestor_tnum"},
                                 {'H', "host"},           {'P', "process_id"},  {'i', "native_thread_id"},
                                 {'A', "thread_affinity"}};

void print_own_mask(char* text, size_t size) {
  CpuMask mask;
  if (read_affinity(&mask))
    affinity_mask_text(mask, text, size);
  else
    snprintf(text, size, "unknown");
}

/// Writes the text of a field. Returns whether it is a number.
bool field_text(const Worker* worker, char letter, char* text) {
  const Member* member = worker->member;
  const Team* team = member->team;
  const Member* ancestor = member_at_level(worker, team->level - 1);
  int number = 0;
  switch (letter) {
  case 't': number = team->team_number; break;
  case 'T': number = team->league_size; break;
  case 'L': number = team->level; break;
  case 'n': number = member->number; break;
  case 'N': number = bound_team(member)->size(); break;
  case 'a': number = ancestor != nullptr ? ancestor->number : -1; break;
  case 'P': number = getpid(); break;
  case 'i': number = thread_id(); break;
  case 'H':
    if (gethostname(text, kMostText) != 0) snprintf(text, kMostText, "unknown");
    text[kMostText - 1] = 0;
    return false;
  case 'A': print_own_mask(text, kMostText); return false;
  default: snprintf(text, kMostText, "undefined"); return false;
  }
  snprintf(text, kMostText, "%d", number);
  return true;
}

/// The letter of the type at `*at`; `*at` moves behind it. 0: unknown.
char parse_type(const char** at) {
  if (**at != '{') {
    char letter = **at;
    if (letter != 0) ++*at;
    for (const FieldName& field : kFields)
      if (field.letter == letter) return letter;
    return 0;
  }
  const char* name = *at + 1;
  size_t length = strcspn(name, "}");
  *at = name + length + (name[length] == '}');
  for (const FieldName& field : kFields)
    if (strlen(field.name) == length && memcmp(field.name, name, length) == 0) return field.letter;
  return 0;
}

void add_justified(Output& out, const char* text, int width, bool right, bool zeros) {
  int blanks = width - static_cast<int>(strlen(text));
  if (right && zeros && *text == '-') out.add(*text++); // the sign comes before the zeros
  for (int i = 0; right && i < blanks; ++i) out.add(zeros ? '0' : ' ');
  out.add(text);
  for (int i = 0; !right && i < blanks; ++i) out.add(' ');
}

/// Expands one field; `at` points behind its '%'. Returns the end of the field.
const char* expand_field(const Worker* worker, const char* at, Output& out) {
  if (*at == '%') {
    out.add('%');
    return at + 1;
  }
  bool zeros = *at == '0';
  if (zeros) ++at;
  bool right = *at == '.';
  if (right) ++at;
  int width = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (width <= kMostWidth) width = width * 10 + (*at - '0');
  if (width > kMostWidth) width = kMostWidth;
  char text[kMostText];
  bool number = field_text(worker, parse_type(&at), text);
  add_justified(out, text, width, right, zeros && number);
  return at;
}

} // namespace

void affinity_format_set(const char* format) {
  if (format != nullptr) affinity_copy(format, config.affinity_format, sizeof config.affinity_format);
}

size_t affinity_copy(const char* text, char* buffer, size_t size) {
  Output out(buffer, size);
  out.add(text);
  return out.finish();
}

size_t affinity_capture(Worker* worker, const char* format, char* buffer, size_t size) {
  if (format == nullptr || *format == 0) format = config.affinity_format;
  Output out(buffer, size);
  while (*format != 0) {
    if (*format == '%')
      format = expand_field(worker, format + 1, out);
    else
      out.add(*format++);
  }
  return out.finish();
}

void affinity_display(Worker* worker, const char* format) {
  char line[4096];
  size_t length = affinity_capture(worker, format, line, sizeof line - 1);
  if (length > sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  write_all(1, line, length);
}

void affinity_decide_display(Worker* worker, Team* team) {
  team->binding.show = false;
  for (int tid = 0; tid < team->size(); ++tid) {
    const Member& member = team->members[tid];
    const Worker* own = tid == 0 ? worker : member.worker;
    bool moves = member.placement.place >= 0 && member.placement.place != own->thread.bound_place;
    if (moves || own->thread.shown_level != team->level || own->thread.shown_size != team->size())
      team->binding.show = true;
  }
}

void affinity_show(Worker* worker) {
  const Team* team = worker->member->team;
  worker->thread.shown_level = team->level;
  worker->thread.shown_size = team->size();
  affinity_display(worker, nullptr);
}

void affinity_mask_text(const CpuMask& mask, char* text, size_t size) {
  Output out(text, size);
  bool first = true;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (!mask.has(cpu)) continue;
    int last = cpu;
    while (last + 1 < kMaxCpus && mask.has(last + 1)) ++last;
    char range[32];
    const char* form = last == cpu ? "%s%d" : last == cpu + 1 ? "%s%d,%d" : "%s%d-%d";
    snprintf(range, sizeof range, form, first ? "" : ",", cpu, last);
    out.add(range);
    first = false;
    cpu = last;
  }
  out.finish();
}

} // namespace chomp
