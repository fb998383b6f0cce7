// What was found, in words of the program: lines of source, constructs, variables.
#include <initializer_list>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/observe/debug_file.h"
#include "runtime/observe/source_line.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/places.h"
#include "tools/shipped/explore/shared_calls.h"
#include "tools/shipped/explore/strand.h"

namespace explore {

Findings* findings = nullptr;

Finding* new_finding(const char* kind) {
  if (findings->count == Findings::kMost) return nullptr;
  Finding* finding = &findings->list[findings->count];
  *finding = Finding{};
  finding->step = virtual_machine::report->steps;
  snprintf(finding->kind, sizeof finding->kind, "%s", kind);
  return finding;
}

// Whoever reads it meanwhile finds it whole.
void tell_finding() {
  __atomic_store_n(&findings->count, findings->count + 1,
                   __ATOMIC_RELEASE); // pairs with the reader's look at the count
}

namespace {

using virtual_machine::fibers;

struct Text {
  char* at;
  size_t left;
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(at, left, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    size_t used = static_cast<size_t>(length) < left ? static_cast<size_t>(length) : left - 1;
    at += used;
    left -= used;
  }
};

// ---- Places ---------------------------------------------------------------------------------------------------------

// Reading debug information takes time, and the same few places come again.
const chomp::SourceLine& line_of(const void* site) {
  constexpr int kKept = 64;
  struct Known {
    const void* site;
    chomp::SourceLine line;
  };
  static Known known[kKept];
  static int next = 0;
  for (const Known& each : known)
    if (each.site == site && site != nullptr) return each.line;
  Known& place = known[next++ % kKept];
  place.site = site;
  auto address = reinterpret_cast<uintptr_t>(site);
  place.line = chomp::source_line(address & ~kEntry, (address & kEntry) != 0);
  return place.line;
}

void add_place(Text& text, const void* site) {
  const chomp::SourceLine& line = line_of(site);
  if (line.file[0] != 0) return text.add("%s:%d", line.file, line.line);
  const char* slash = strrchr(line.module, '/');
  if (line.module[0] == 0) return text.add("an unknown place");
  text.add("%s+0x%llx", slash != nullptr ? slash + 1 : line.module, static_cast<unsigned long long>(line.offset));
  if (line.function[0] == 0) return;
  char name[200];
  demangle(line.function, name, sizeof name);
  text.add(" (%s)", name);
}

// The place in the user's own sources; false: none is known, and the one that the code has was told.
bool add_user_place(Text& text, const Place& place, UserPlace* found) {
  if (!user_place(place, found)) {
    add_place(text, place.pc);
    return false;
  }
  text.add("%s:%d", found->place.file, found->place.line);
  return true;
}

// Where in a header, or in what else the user's line calls.
void add_way(Text& text, const UserPlace& found) {
  if (found.through[0] == 0 || found.deepest.file[0] == 0) return;
  text.add(" (in %s, %s", found.through, found.deepest.file);
  if (found.deepest.line > 0) text.add(":%d", found.deepest.line); // 0: it belongs to no line
  text.add(")");
}

} // namespace

// A file is named as the debug information has it, or by the end of its path.
bool is_line(const void* site, const char* file, int line) {
  const chomp::SourceLine& found = line_of(site);
  const char* slash = strrchr(file, '/');
  return found.line == line && strcmp(found.file, slash != nullptr ? slash + 1 : file) == 0;
}

namespace {

void note_place(Finding* finding, int which, const SourcePlace& place) {
  snprintf(finding->file[which], sizeof finding->file[which], "%s", place.file);
  finding->line[which] = place.line;
}
void note_place(Finding* finding, int which, const void* site) {
  const chomp::SourceLine& line = line_of(site);
  snprintf(finding->file[which], sizeof finding->file[which], "%.127s", line.file);
  finding->line[which] = line.line;
}

void add_strand(Text& text, const Strand* strand) {
  switch (strand->kind) {
  case Kind::kWait:
  case Kind::kTask: text.add("the task made at "); return add_place(text, strand->site);
  case Kind::kImplicit:
    text.add("thread %u of the parallel region at ", strand->index);
    return add_place(text, strand->site);
  case Kind::kThread: break;
  }
  strand->index == 0 ? text.add("the main program, outside of parallel regions")
                     : text.add("thread %u of the program", strand->index);
}

// ---- Variables ------------------------------------------------------------------------------------------------------

struct Variable {
  uintptr_t address;
  char name[200];
  uint64_t offset, size;
  char path[256]; // of its file, and where it has linked it
  uint64_t linked;
};

// Of a function's own, GCC's is `calls.0`, Clang's `work.calls`, and of a part of it `work.calls.1`.
void name_symbol(const char* symbol, Variable* found) {
  char name[sizeof found->name];
  auto first = static_cast<int>(strcspn(symbol, "."));
  const char* second = symbol[first] == '.' ? symbol + first + 1 : "";
  bool is_name = *second != 0 && strchr("0123456789", *second) == nullptr;
  snprintf(name, sizeof name, "%.*s", first, symbol);
  demangle(name, found->name, sizeof found->name);
  size_t used = strlen(found->name);
  if (is_name)
    snprintf(found->name + used, sizeof found->name - used, "::%.*s", static_cast<int>(strcspn(second, ".")), second);
}

bool find_global(uintptr_t address, Variable* found) {
  found->address = address;
  auto look = [](dl_phdr_info* module, size_t, void* argument) -> int {
    auto* variable = static_cast<Variable*>(argument);
    bool inside = false;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      uintptr_t low = module->dlpi_addr + segment.p_vaddr;
      inside = inside ||
               (segment.p_type == PT_LOAD && variable->address >= low && variable->address < low + segment.p_memsz);
    }
    if (!inside) return 0;
    variable->linked = variable->address - module->dlpi_addr;
    snprintf(variable->path, sizeof variable->path, "%s",
             module->dlpi_name[0] != 0 ? module->dlpi_name : "/proc/self/exe");
    chomp::Elf elf(variable->path);
    Elf64_Sym symbol;
    const char* name = elf.valid() ? elf.symbol_at(variable->linked, ".symtab", STT_OBJECT, &symbol) : nullptr;
    if (name == nullptr) return 0;
    name_symbol(name, variable);
    variable->offset = variable->linked - symbol.st_value;
    variable->size = symbol.st_size;
    return 1;
  };
  return dl_iterate_phdr(look, found) != 0;
}

bool on_a_stack(uintptr_t address) {
  for (int i = 0; i < virtual_machine::width; ++i) {
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t bytes = 0;
    if (fibers[i].state == virtual_machine::State::kFinished) continue;
    if (pthread_getattr_np(fibers[i].thread, &attributes) != 0) continue;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    if (address - reinterpret_cast<uintptr_t>(low) < bytes) return true;
  }
  return false;
}

void add_variable(Text& text, const void* address, size_t bytes) {
  auto at = reinterpret_cast<uintptr_t>(address);
  Variable found{};
  if (const char* name = library_state(address)) return text.add("%s (not thread-safe)", name);
  if (find_global(at, &found)) {
    char name[300];
    if (variable_at(found.path, found.linked, name, sizeof name)) return text.add("`%s`", name);
    text.add("`%s", found.name);
    bool is_element = found.offset % bytes == 0 && found.size % bytes == 0;
    if (found.size > bytes) {
      if (is_element)
        text.add("[%llu]", static_cast<unsigned long long>(found.offset / bytes));
      else
        text.add("`, byte %llu", static_cast<unsigned long long>(found.offset));
    }
    return text.add("%s", found.size > bytes && !is_element ? "" : "`");
  }
  if (const Block* block = block_of(at)) {
    text.add("byte %llu of the %zu that were allocated at ", static_cast<unsigned long long>(at - block->address),
             block->bytes);
    UserPlace found;
    add_user_place(text, block->place, &found);
    return;
  }
  text.add(on_a_stack(at) ? "a local variable" : "memory at %p", address);
}

// ---- Races ----------------------------------------------------------------------------------------------------------

const char* verb(Use use) {
  switch (use) {
  case Use::kRead: return "reads it";
  case Use::kWrite: return "writes it";
  case Use::kAtomicRead: return "reads it atomically";
  case Use::kAtomicWrite: return "updates it atomically";
  case Use::kFree: return "frees it";
  case Use::kScopeEnd: return "returns, which ends its life";
  }
  return "";
}

bool is_ancestor(const Strand& above, const Strand& strand) {
  for (const Strand* each = &strand; each != nullptr; each = each->parent)
    if (each == &above) return true;
  return false;
}

const char* advice(const Strand& first, const Strand& second) {
  if (first.moves || second.moves)
    return "An untied task may go on on another thread after each wait, `taskyield` and task that it makes.";
  if (first.kind == Kind::kTask && second.kind == Kind::kTask && first.parent == second.parent)
    return "Nothing orders the two tasks: no `depend` clauses of both name it, and no `taskwait` stands between.";
  const Strand* inner = is_ancestor(first, second) ? &second : is_ancestor(second, first) ? &first : nullptr;
  if (inner != nullptr && inner->kind == Kind::kTask)
    return "Nobody waits for the task in between: is a `taskwait` missing, or a `firstprivate`?";
  if (first.kind == Kind::kImplicit && second.kind == Kind::kImplicit)
    return "No barrier stands between, and no lock is common to both: is it meant to be `private`, or a `reduction`?";
  return "Nothing orders them: neither a wait, a `depend` clause, a barrier nor a lock.";
}

// The same two are told once.
struct Pairs {
  const void* list[256][2];
  int count;
};
bool told(const void* a, const void* b) {
  static Pairs known;
  for (int i = 0; i < known.count; ++i)
    if ((known.list[i][0] == a && known.list[i][1] == b) || (known.list[i][0] == b && known.list[i][1] == a))
      return true;
  if (known.count == 256) return true;
  known.list[known.count][0] = a;
  known.list[known.count++][1] = b;
  return false;
}

// Code in a header is another place for each line that calls it.
const void* key_of(const Place& place) {
  static struct {
    const void* pc;
    bool in_header;
  } known[64];
  auto& kept = known[reinterpret_cast<uintptr_t>(place.pc) % 61];
  SourcePlace innermost[1];
  if (kept.pc != place.pc) kept = {place.pc, source_places(place.pc, innermost, 1) == 1 && innermost->of_system};
  uintptr_t calls = kept.in_header ? uintptr_t{place.calls} << 48 : 0;
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(place.pc) ^ calls);
}

const char* name_of_wait(int what) {
  switch (what) {
  case 5: return "a taskwait";
  case 6: return "the end of a taskgroup";
  case 3: return "a barrier";
  case 2:
  case 8: return "the end of a worksharing construct";
  case 9: return "the end of the parallel region";
  case 101: return "a lock";
  case 103: return "a nestable lock";
  case 105: return "a critical region";
  case 106: return "an atomic region";
  case 107: return "an ordered region";
  default: return what > 100 ? "a lock" : "a barrier";
  }
}

const char* name_of_work(int kind) {
  switch (kind) {
  case 2: return "`sections`";
  case 3: return "a `single`";
  case 5: return "a `workshare`";
  case 8: return "a `scope`";
  default: return "a loop";
  }
}

void add_wait(Text& text, int what, const void* site) {
  constexpr int kRegionEnd = 9; // its line is the region's
  text.add("%s", name_of_wait(what));
  if (site == nullptr || what == kRegionEnd) return;
  text.add(" at ");
  add_place(text, site);
}

} // namespace

bool same_line(const void* a, const void* b) {
  if (a == b || a == nullptr || b == nullptr) return true;
  const chomp::SourceLine first = line_of(a), &second = line_of(b);
  return first.line == 0 || second.line == 0 || (first.line == second.line && strcmp(first.file, second.file) == 0);
}

bool has_own_line(const void* site) {
  uint64_t before = line_of(site).bytes_before; // of the call's last byte
  return before == 4 || before == 5;            // call, and call by a pointer of the loader's
}

namespace {

// The variable, and who does what with it.
Text tell_both(Finding* finding, const void* address, size_t bytes, const UseBy& first, const UseBy& second) {
  Text text{finding->text, sizeof finding->text};
  add_variable(text, address, bytes);
  int which = 0;
  for (const UseBy& side : {first, second}) {
    UserPlace place;
    text.add("\n    ");
    if (add_user_place(text, side.place, &place))
      note_place(finding, which, place.place);
    else
      note_place(finding, which, side.place.pc);
    ++which;
    text.add(" %s", verb(side.use));
    add_way(text, place);
    text.add(", in ");
    add_strand(text, side.strand);
  }
  return text;
}

// A new pair of places: neither the code nor the user's lines were told before.
bool is_new(const UseBy& first, const UseBy& second) {
  if (told(key_of(first.place), key_of(second.place))) return false;
  UserPlace a, b;
  if (!user_place(first.place, &a) || !user_place(second.place, &b)) return true;
  auto key = [](const UserPlace& place) {
    uint64_t hash = static_cast<uint64_t>(place.place.line) + 1;
    for (const char* letter = place.place.file; *letter != 0; ++letter)
      hash = (hash ^ static_cast<uint64_t>(*letter)) * 0x9e3779b97f4a7c15;
    return reinterpret_cast<const void*>(hash | uint64_t{1} << 63); // no address of code
  };
  return !told(key(a), key(b));
}

} // namespace

void report_race(const void* address, size_t bytes, const UseBy& first, const UseBy& second) {
  static bool over = false; // what follows the use of memory that is gone says nothing
  if (over || !is_new(first, second)) return;
  bool scope = first.use == Use::kScopeEnd || second.use == Use::kScopeEnd;
  bool freed = first.use == Use::kFree || second.use == Use::kFree;
  Finding* finding = new_finding(scope ? "use after scope" : freed ? "use after free" : "data race");
  over = scope || freed;
  if (finding == nullptr) return;
  Text text = tell_both(finding, address, bytes, first, second);
  text.add("\n    %s", library_state(address) != nullptr
                           ? "Some have a form that is thread-safe, whose name ends in _r; others need a lock."
                           : advice(*first.strand, *second.strand));
  tell_finding();
}

void report_order(const void* address, size_t bytes, const UseBy& first, const UseBy& second) {
  if (!is_new(first, second)) return;
  Finding* finding = new_finding("undetermined order");
  if (finding == nullptr) return;
  Text text = tell_both(finding, address, bytes, first, second);
  text.add(
      "\n    A lock or an atomic keeps the two apart, but nothing fixes which comes first, and they do not commute.");
  tell_finding();
}

void report_mismatch(Region* region, const Met& first, const Met& second, bool barriers) {
  if (region->is_told || told(first.site, second.site)) return;
  region->is_told = true; // what follows comes of it
  Finding* finding = new_finding(barriers ? "barrier not met by all" : "worksharing not met by all");
  if (finding == nullptr) return;
  note_place(finding, 0, first.site);
  note_place(finding, 1, second.site);
  Text text{finding->text, sizeof finding->text};
  text.add("of the parallel region at ");
  add_place(text, region->site);
  for (const Met* met : {&first, &second}) {
    text.add("\n    thread %u ", met->by->index);
    if (barriers) {
      text.add("waits at ");
      add_wait(text, met->what, met->site);
    } else if (met->what == 0) {
      text.add("does not");
    } else {
      text.add("meets %s at ", name_of_work(met->what));
      add_place(text, met->site);
    }
  }
  text.add("\n    All threads of a region must meet the same %s in the same order, or none of them.",
           barriers ? "barriers" : "worksharing constructs");
  tell_finding();
}

// The call of libc in which a thread waits; null: it waits in none, or the runtime does.
static const char* waiting_call(const Fiber& fiber) {
  const char* call = fiber.last_operation; // which says so itself
  if (strcmp(call, "pthread_join") == 0) return call;
  if (fiber.state != virtual_machine::State::kBlocked || is_in_runtime(fiber.last_pc)) return nullptr;
  if (strcmp(call, "futex") == 0) return "a wait for an atomic, or a future,"; // as libstdc++ has it
  for (const char* start : {"pthread_", "sem_", "mtx_", "cnd_", "call_once"})
    if (strncmp(call, start, strlen(start)) == 0) return call;
  return nullptr;
}

static void add_user_line(Text& text, const Fiber& fiber, Finding* finding, int* which) {
  UserPlace found;
  text.add(" at ");
  add_user_place(text, {fiber.last_pc, calls_of(fiber)}, &found);
  add_way(text, found);
  if (*which < 2) note_place(finding, (*which)++, found.place);
}

// Whose thread the kernel has written into the mutex (glibc's layout, fixed by its ABI).
static void add_owner_of_mutex(Text& text, const Fiber& fiber) {
  bool is_mutex =
      strncmp(fiber.last_operation, "pthread_mutex", 13) == 0 || strcmp(fiber.last_operation, "mtx_lock") == 0;
  if (!is_mutex || fiber.waits_for == nullptr) return;
  int owner = static_cast<const pthread_mutex_t*>(fiber.waits_for)->__data.__owner;
  for (int i = 0; i < virtual_machine::width; ++i) {
    if (fibers[i].kernel_id != owner || fibers[i].joined) continue;
    text.add(", which ");
    &fibers[i] == &fiber ? text.add("it holds itself") : (add_strand(text, running_on(fibers[i])), text.add(" holds"));
  }
}

// A thread that waits says for what; one that does not, in a run without an end, where it is.
static void add_thread(Text& text, const Fiber& fiber, Finding* finding, int* which) {
  const Strand* strand = running_on(fiber);
  const char* call = waiting_call(fiber);
  bool waits = strand->waiting.what != 0;
  if (!waits && call == nullptr && is_in_runtime(fiber.last_pc)) return;
  text.add("\n    ");
  add_strand(text, strand);
  if (!waits) {
    text.add(call != nullptr ? " waits in %s" : " is", call);
    add_user_line(text, fiber, finding, which);
    if (call != nullptr) add_owner_of_mutex(text, fiber);
    return;
  }
  text.add(" waits for ");
  add_wait(text, strand->waiting.what, strand->waiting.site);
  if (*which < 2) note_place(finding, (*which)++, strand->waiting.site);
  if (strand->waiting.object == 0) return;
  const Handover& lock = handover(strand->waiting.object, 4);
  if (lock.holder == nullptr) return;
  text.add(", which ");
  lock.holder == strand ? text.add("it holds itself, since ")
                        : (add_strand(text, lock.holder), text.add(" holds since "));
  add_place(text, lock.site);
}

void describe_stuck() {
  const char* why = virtual_machine::report->failure;
  bool deadlock = strncmp(why, "deadlock", 8) == 0;
  Finding* finding = new_finding(deadlock                           ? "deadlock"
                                 : strncmp(why, "livelock", 8) == 0 ? "no end"
                                 : strncmp(why, "too long", 8) == 0 ? "too long"
                                                                    : "failure");
  if (finding == nullptr) return;
  Text text{finding->text, sizeof finding->text};
  constexpr char kTooLong[] = "too long: "; // the kind says so
  text.add("%s",
           deadlock ? "every thread waits" : why + (strncmp(why, kTooLong, strlen(kTooLong)) == 0) * strlen(kTooLong));
  int which = 0;
  for (int i = 0; i < virtual_machine::width; ++i)
    if (fibers[i].state != virtual_machine::State::kFinished && fibers[i].state != virtual_machine::State::kUnused)
      add_thread(text, fibers[i], finding, &which);
  int told = 0;
  constexpr int kEnough = 4;
  for (const Strand* strand = last_strand(); strand != nullptr && told < kEnough; strand = strand->previous_made) {
    if (!strand->detached) continue;
    ++told;
    text.add("\n    ");
    add_strand(text, strand);
    text.add(" has run, but nobody fulfils its event");
  }
  tell_finding();
}

// Where a thread stands: of the runtime's own places only what it does there is told.
static void add_stand(Text& text, const Fiber& fiber) {
  const Strand* strand = running_on(fiber);
  add_strand(text, strand);
  if (fiber.last_pc == nullptr) return;
  bool at_site = fiber.last_pc == strand->site;
  if (!at_site && !is_in_runtime(fiber.last_pc)) {
    text.add(", at ");
    add_place(text, fiber.last_pc);
  }
  text.add(" (%s)", fiber.last_operation);
}

void describe_switch(const Fiber* now, const Fiber* next, bool wakes) {
  uint32_t number = findings->switch_count++;
  if (number >= Findings::kMostSwitches) return;
  Text text{findings->switches[number], sizeof findings->switches[number]};
  add_stand(text, *now);
  if (wakes)
    text.add(", first wakes ");
  else if (now == next)
    return text.add(", goes on");
  else
    text.add(now->state == virtual_machine::State::kBlocked ? " waits, and on goes " : " stops, and on goes ");
  add_stand(text, *next);
}

} // namespace explore
