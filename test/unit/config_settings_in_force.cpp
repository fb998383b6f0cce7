// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/config/config.cpp %root/runtime/config/config_values.cpp %root/runtime/config/settings_table.cpp %root/runtime/config/config_display.cpp %root/runtime/config/config_affinity.cpp %root/runtime/config/affinity_settings.cpp %root/runtime/config/places.cpp %root/runtime/config/places_text.cpp %root/runtime/machine/hardware.cpp %root/runtime/machine/hw_subset.cpp -pthread -o %t && %t
// Each case runs in a child with an environment of its own, and compares what is in force and, word for word, what is
// printed.
#include <climits>
#include <initializer_list>

#include "runtime/config/config.h"
#include "runtime/machine/rank_share.h"
#include "runtime/machine/topology.h"
#include "test/unit/capture.h"
#include "test/unit/check_that.h"
#include "test/unit/settings_alone.h"

using namespace chomp;

static int cases = 0;

/// What the variable takes is another case's business.
static void drop_hints(char* text) {
  while (char* begin = strstr(text, "OMP: Hint: ")) {
    char* end = strchr(begin, '\n') + 1;
    memmove(begin, end, strlen(end) + 1);
  }
}

/// With `environment` ("A=b|C=d"), config_read() says `expected` and `check` finds no fault with the result.
template <class Check> static void with(const char* environment, const char* expected, Check check) {
  cases++;
  Captured c = capture([&] {
    clearenv();
    static char copy[2000];
    snprintf(copy, sizeof copy, "%s", environment);
    for (char* rest = copy; rest;) putenv(strsep(&rest, "|"));
    config_read();
    check();
    return result();
  });
  drop_hints(c.text);
  if (c.status == 0 && strcmp(c.text, expected) == 0) return;
  fprintf(stderr, "case %s\n  status %d, said: %s  not: %s", environment, c.status, c.text, expected);
  failures++;
}

static void nothing() {}

#define IS(what) [] { THAT(what); }
#define WARN42(name, value) "OMP: Warning #42: " name ": \"" value "\" is an invalid value; ignored.\n"
#define MEANT(name, value, nearest)                                                                                    \
  "OMP: Warning #42: " name ": \"" value "\" is an invalid value; ignored. Did you mean \"" nearest "\"?\n"
#define LARGE(name, value) "OMP: Warning #80: " name "=\"" value "\": value too large.\n"
#define SMALL(name, value) "OMP: Warning #80: " name "=\"" value "\": value too small.\n"
#define USED(name, value) "OMP: Info #107: " name " value \"" value "\" will be used.\n"

static void defaults_are_libomps() {
  with("X=1", "", [] {
    THAT(config.num_threads_count == 0 && !config.dynamic && config.proc_bind_count == 0);
    THAT(config.schedule.kind == 1 && config.schedule.chunk == 0);
    THAT(config.max_active_levels == 1 && config.thread_limit == INT_MAX);
    THAT(config.blocktime_us == 5000 && config.library == Library::kThroughput);
    THAT(!config.cancellation && config.max_task_priority == 0 && config.default_device == 0);
    THAT(config.stack_size >= 64 * 1024 && config.stack_size <= 64 << 20); // RLIMIT_STACK
    THAT(config.kmp_teams_thread_limit == 0 && config.num_teams == 0 && config.teams_thread_limit == 0);
    THAT(config.task_throttling && config.task_stealing_constraint && config.tool);
    THAT(config.target_offload == TargetOffload::kDefault && config.allocator == 1);
    THAT(strcmp(config.scheduler, "hierarchical") == 0 && config.domain == DomainLevel::kDefault);
  });
}

static bool reserves(int structured, int agents) {
  return config.reserved_structured == structured && config.reserved_free_agents == agents;
}

static void good_values() {
  with("OMP_NUM_THREADS= 4 , 2", "", IS(config.num_threads_count == 2 && config.num_threads[1] == 2));
  with("OMP_NUM_THREADS=4,2", "", IS(config.max_active_levels == INT_MAX)); // a list asks for nesting
  with("OMP_NUM_THREADS=4,2|OMP_MAX_ACTIVE_LEVELS=1", "", IS(config.max_active_levels == 1));
  with("OMP_NUM_THREADS=4", "", IS(config.max_active_levels == 1 && config.num_threads[0] == 4));
  with("OMP_NUM_THREADS=all", "", IS(config.num_threads[0] == 5));
  with("OMP_NUM_THREADS=,3", "", IS(config.num_threads[0] == 5 && config.num_threads[1] == 3));
  with("OMP_NUM_THREADS=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,,18", "", IS(config.num_threads_count == 16));
  with("OMP_NUM_THREADS=", "", IS(config.num_threads_count == 0)); // empty: not set
  with("OMP_DYNAMIC=yes", "", IS(config.dynamic));
  with("OMP_CANCELLATION=TRUE", "", IS(config.cancellation));
  with("OMP_SCHEDULE=dynamic,4", "", IS(config.schedule.kind == 2 && config.schedule.chunk == 4));
  with("OMP_SCHEDULE=Monotonic:Guided", "", IS(config.schedule.kind == 0x80000003u && config.schedule.chunk == 1));
  with("OMP_SCHEDULE=nonmonotonic:static , 7", "", IS(config.schedule.kind == 1 && config.schedule.chunk == 7));
  with("OMP_SCHEDULE=auto,7", "", IS(config.schedule.kind == 4 && config.schedule.chunk == 1));
  with("KMP_SCHEDULE=static,greedy;guided,iterative", "", IS(config.static_greedy));
  with("OMP_PROC_BIND=close,spread", "", [] {
    THAT(config.proc_bind_count == 2 && config.proc_bind[0] == ProcBind::kClose);
    THAT(config.proc_bind[1] == ProcBind::kSpread && config.max_active_levels == INT_MAX);
  });
  with("OMP_PROC_BIND=true", "",
       IS(config.proc_bind_count == 1 && config.proc_bind[0] == ProcBind::kSpread)); // as libomp
  with("OMP_PROC_BIND=master", "", IS(config.proc_bind[0] == ProcBind::kPrimary));
  with("OMP_PLACES=cores(4)", "", [] {
    THAT(config.affinity.source == PlaceSource::kLevel && config.affinity.level == HwLevel::kCore);
    THAT(config.affinity.most_places == 4 && config.proc_bind_count == 1 && config.proc_bind[0] == ProcBind::kSpread);
  });
  with("OMP_PLACES=sockets( 4 : 2 )", "", [] {
    THAT(config.affinity.source == PlaceSource::kLevel && config.affinity.level == HwLevel::kSocket);
    THAT(config.affinity.most_places == 4 && config.affinity.place_increment == 2);
  });
  with("OMP_THREADS_RESERVE=3", "", IS(reserves(3, 0)));
  with("OMP_THREADS_RESERVE=structured(2), free_agent( 1 )", "", IS(reserves(2, 1)));
  with("OMP_THREADS_RESERVE=FREE_AGENT(4)|OMP_THREAD_LIMIT=4", "", IS(reserves(1, 3)));
  with("OMP_THREADS_RESERVE=free_agent|OMP_THREAD_LIMIT=4", "", IS(reserves(1, 3)));
  with("OMP_THREADS_RESERVE=structured|OMP_THREAD_LIMIT=4", "", IS(reserves(4, 0)));
  with("OMP_PLACES={0,1}:4:2,!{3}", "", IS(config.affinity.source == PlaceSource::kPlaceList));
  with("KMP_AFFINITY=verbose,granularity=fine,proclist=[0-3,{4,5}],explicit,1,0", "", [] {
    THAT(config.affinity.source == PlaceSource::kProcessors && config.affinity.kmp.verbose);
    THAT(config.proc_bind_count == 1 && config.proc_bind[0] == ProcBind::kByThread);
  });
  with("KMP_HW_SUBSET=1s,4c@2,1t", "", IS(config.hw_subset && config.affinity.subset.count == 3));
  with("GOMP_CPU_AFFINITY=0-7:2 9", "", IS(config.affinity.source == PlaceSource::kProcessors));
  with("KMP_TEAMS_PROC_BIND=close", "", IS(config.affinity.teams_bind == 3));
  with("OMP_STACKSIZE=512", "", IS(config.stack_size == 512 * 1024));
  with("KMP_STACKSIZE=524288", "", IS(config.stack_size == 512 * 1024)); // KMP: bytes without a unit
  with("OMP_STACKSIZE= 5 M", "", IS(config.stack_size == 5 << 20));
  with("OMP_THREAD_LIMIT=7|KMP_DEVICE_THREAD_LIMIT=9", "", IS(config.thread_limit == 7));
  with("KMP_DEVICE_THREAD_LIMIT=all", "", IS(config.thread_limit == 5));
  with("OMP_DISPLAY_AFFINITY=1|OMP_AFFINITY_FORMAT=x%n", "", IS(strcmp(config.affinity_format, "x%n") == 0));
  with("OMP_MAX_TASK_PRIORITY=7", "", IS(config.max_task_priority == 7));
  with("OMP_TARGET_OFFLOAD=mandatory", "", IS(config.target_offload == TargetOffload::kMandatory));
  with("OMP_ALLOCATOR=omp_low_lat_mem_alloc", "", IS(config.allocator == 5));
  with("OMP_ALLOCATOR=omp_default_mem_space:alignment=16", "",
       IS(config.allocator == 0 && config.environment_allocator.alignment == 16));
  with("OMP_TOOL=disabled", "", IS(!config.tool));
  with("OMP_TOOL_LIBRARIES=/a.so:/b.so", "", IS(strcmp(config.tool_libraries, "/a.so:/b.so") == 0));
  with("KMP_FORCE_REDUCTION=atomic", "", IS(config.force_reduction == Reduction::kAtomic));
  with("KMP_DETERMINISTIC_REDUCTION=1", "", IS(config.force_reduction == Reduction::kTree));
  with("KMP_DYNAMIC_MODE=thread_limit", "", IS(config.dynamic_mode == DynamicMode::kThreadLimit));
  with("KMP_TASKING=0|KMP_USE_YIELD=2", "", IS(config.tasking == 0 && config.use_yield == 2));
  with("CHOMP_SCHEDULER=WS", "", IS(strcmp(config.scheduler, "ws") == 0));
  with("CHOMP_DOMAIN=numa", "", IS(config.domain == DomainLevel::kNuma));
  with("CHOMP_STEAL=half-queue", "", IS(config.steal_amount == StealAmount::kHalfQueue));
  with("CHOMP_STEAL=all", WARN42("CHOMP_STEAL", "all") USED("CHOMP_STEAL", "idle"),
       IS(config.steal_amount == StealAmount::kIdle));
  with("CHOMP_THREAD_BUDGET=6", "", IS(config.thread_budget == 6 && config.dynamic));
  with("CHOMP_THREAD_BUDGET=auto", "", IS(config.thread_budget == 0 && config.dynamic));
  with("CHOMP_THREAD_BUDGET=6|OMP_DYNAMIC=false", "", IS(!config.dynamic));
  with("CHOMP_THREAD_BUDGET=off", "", IS(config.thread_budget == 0 && !config.dynamic));
  with("CHOMP_WATCHDOG=30|CHOMP_WATCHDOG_SIGNAL=usr2", "",
       IS(config.watchdog_seconds == 30 && config.watchdog_signal == WatchdogSignal::kUser2));
  with("CHOMP_WATCHDOG=soon", WARN42("CHOMP_WATCHDOG", "soon") USED("CHOMP_WATCHDOG", "0"),
       IS(config.watchdog_seconds == 0));
  with("CHOMP_MEMBARRIER=0|CHOMP_STACK_SEGMENTS=off", "", IS(!config.use_membarrier && !config.stack_segments));
  with("CHOMP_OVERFLOW_MESSAGE=0|CHOMP_RANK_CORES=off", "", IS(!config.overflow_message && !config.rank_cores));
  with("CHOMP_RANK_CORES=atuo", MEANT("CHOMP_RANK_CORES", "atuo", "auto") USED("CHOMP_RANK_CORES", "auto"),
       IS(config.rank_cores));
  // Accepted without effect, and unknown: silent.
  with("KMP_LOCK_KIND=tas|KMP_GTID_MODE=3|KMP_NO_SUCH=1|OMP_NO_SUCH=1|GOMP_DEBUG=1|CHOMPER=1", "", nothing);
}

static void waiting() {
  with("KMP_BLOCKTIME=300", "", IS(config.blocktime_us == 300000));
  with("KMP_BLOCKTIME=300us", "", IS(config.blocktime_us == 300));
  with("KMP_BLOCKTIME=infinite", "", IS(config.blocktime_us == kBlocktimeInfinite));
  with("OMP_WAIT_POLICY=active", "",
       [] { THAT(config.library == Library::kTurnaround && config.blocktime_us == kBlocktimeInfinite); });
  with("OMP_WAIT_POLICY=PASSIVE", "", IS(config.library == Library::kThroughput && config.blocktime_us == 0));
  with("OMP_WAIT_POLICY=passive|KMP_BLOCKTIME=5", "", IS(config.blocktime_us == 5000));
  with("KMP_LIBRARY=throughput", "", IS(config.blocktime_us == 0));
  with("KMP_LIBRARY=turnaround", "", IS(config.blocktime_us == 5000 && config.library == Library::kTurnaround));
  with("KMP_LIBRARY=serial", "", IS(config.library == Library::kSerial));
  with("GOMP_SPINCOUNT=100k", "", IS(config.blocktime_us == 1024));
  with("GOMP_SPINCOUNT=0|KMP_BLOCKTIME=1", "", IS(config.blocktime_us == 1000));
}

static void precedence() {
  with("OMP_STACKSIZE=5m|KMP_STACKSIZE=3m",
       "OMP: Warning #182: OMP_STACKSIZE: ignored because KMP_STACKSIZE has been "
       "defined\n",
       IS(config.stack_size == 3 << 20));
  with("OMP_STACKSIZE=5m|GOMP_STACKSIZE=3m",
       "OMP: Warning #182: OMP_STACKSIZE: ignored because GOMP_STACKSIZE has "
       "been defined\n",
       IS(config.stack_size == 3 << 20));
  with("OMP_WAIT_POLICY=zz|KMP_LIBRARY=turnaround",
       "OMP: Warning #182: OMP_WAIT_POLICY: ignored because KMP_LIBRARY "
       "has been defined\n",
       IS(config.library == Library::kTurnaround));
  // It binds no thread, but what is wrong in it is said.
  with("KMP_HIDDEN_HELPER_AFFINITY=verbose,granularity=fine,scatter,1", "",
       IS(config.affinity.source == PlaceSource::kDefault && !config.affinity.kmp.verbose));
  with("KMP_HIDDEN_HELPER_AFFINITY=scater",
       "OMP: Warning #42: KMP_HIDDEN_HELPER_AFFINITY: \"scater\" is an invalid value; ignored. Did you mean "
       "\"scatter\"?\n",
       IS(config.affinity.source == PlaceSource::kDefault));
  with("GOMP_CPU_AFFINITY=0|KMP_AFFINITY=none",
       "OMP: Warning #182: GOMP_CPU_AFFINITY: ignored because KMP_AFFINITY "
       "has been defined\n",
       IS(config.affinity.source == PlaceSource::kNone));
  with("OMP_PLACES=cores|OMP_PROC_BIND=close|KMP_AFFINITY=compact",
       "OMP: Warning #182: OMP_PLACES: ignored because KMP_AFFINITY has been defined\n"
       "OMP: Warning #182: OMP_PROC_BIND: ignored because KMP_AFFINITY has been defined\n",
       IS(config.affinity.source == PlaceSource::kByThread));
  with("OMP_PLACES=cores|GOMP_CPU_AFFINITY=0",
       "OMP: Warning #182: OMP_PLACES: ignored because GOMP_CPU_AFFINITY has been defined\n",
       IS(config.affinity.source == PlaceSource::kProcessors));
  // Without a type, KMP_AFFINITY says only how.
  with("OMP_PLACES=cores|OMP_PROC_BIND=close|KMP_AFFINITY=verbose", "",
       IS(config.affinity.source == PlaceSource::kLevel && config.affinity.kmp.verbose));
  with("OMP_PLACES=cores|OMP_PROC_BIND=false", "",
       IS(config.affinity.source == PlaceSource::kNone && config.proc_bind_count == 0));
}

static void bad_values_leave_the_default() {
  with("KMP_BLOCKTIME=zz", WARN42("KMP_BLOCKTIME", "zz") USED("KMP_BLOCKTIME", "5ms"), IS(config.blocktime_us == 5000));
  for (const char* bad : {",", ", ,", "abc", "3,2x", "99999999999", "0", "-3", "2 3", "3;2", "1e3"}) {
    char environment[64], expected[200];
    snprintf(environment, sizeof environment, "OMP_NUM_THREADS=%s", bad);
    snprintf(expected, sizeof expected, WARN42("OMP_NUM_THREADS", "%s") USED("OMP_NUM_THREADS", "5"), bad);
    with(environment, expected, IS(config.num_threads_count == 0 && config.max_active_levels == 1));
  }
  with("OMP_DYNAMIC=zz", WARN42("OMP_DYNAMIC", "zz") USED("OMP_DYNAMIC", "FALSE"), IS(!config.dynamic));
  with("OMP_SCHEDULE=dynamc,4", MEANT("OMP_SCHEDULE", "dynamc,4", "dynamic") USED("OMP_SCHEDULE", "static"), nothing);
  // Of a bad chunk the kind remains.
  with("OMP_SCHEDULE=static,0", SMALL("OMP_SCHEDULE", "static,0") USED("OMP_SCHEDULE", "static"), nothing);
  with("OMP_SCHEDULE=dynamic,0", SMALL("OMP_SCHEDULE", "dynamic,0") USED("OMP_SCHEDULE", "dynamic"),
       IS(config.schedule.kind == 2 && config.schedule.chunk == 1));
  with("OMP_SCHEDULE=monotonic:guided,4k",
       WARN42("OMP_SCHEDULE", "monotonic:guided,4k") USED("OMP_SCHEDULE", "monotonic:guided"),
       IS(config.schedule.kind == 0x80000003u && config.schedule.chunk == 1 && config.schedule.said));
  with("OMP_SCHEDULE=a:static", WARN42("OMP_SCHEDULE", "a:static") USED("OMP_SCHEDULE", "static"), nothing);
  with("OMP_PROC_BIND=close,true", WARN42("OMP_PROC_BIND", "close,true") USED("OMP_PROC_BIND", "false"),
       IS(config.proc_bind_count == 0 && config.max_active_levels == 1));
  with("OMP_PROC_BIND=clsoe", MEANT("OMP_PROC_BIND", "clsoe", "close") USED("OMP_PROC_BIND", "false"), nothing);
#define PLACES(kind) "OMP: Warning #250: OMP_PLACES: syntax error, using " kind "."
  with("OMP_PLACES=scokets", PLACES("cores") " Did you mean \"sockets\"?\n",
       IS(config.affinity.source == PlaceSource::kLevel && config.affinity.level == HwLevel::kCore));
  with("OMP_PLACES=sockets(", PLACES("sockets") "\n", IS(config.affinity.level == HwLevel::kSocket));
  for (const char* bad : {"{0", "{0}}", "{{0}}", "cores(0)", "cores(2", "cores(2:0)", "cores(2:-1)", "cores(2:)",
                          "cores(:2)", "cores(2:1:1)", "{0}:0", "{}", "{0},", "{0}:2:", "!{0}:2"}) {
    char environment[64];
    snprintf(environment, sizeof environment, "OMP_PLACES=%s", bad);
    with(environment, PLACES("cores") "\n", [] {
      THAT(config.affinity.source == PlaceSource::kLevel && config.affinity.level == HwLevel::kCore);
      THAT(config.affinity.most_places == 0 && config.affinity.place_increment == 1);
    });
  }
  for (const char* bad :
       {"KMP_HW_SUBSET=x", "KMP_HW_SUBSET=12", "KMP_HW_SUBSET=0c", "KMP_HW_SUBSET=1c,2c", "KMP_HW_SUBSET=1l",
        "GOMP_CPU_AFFINITY=a", "GOMP_CPU_AFFINITY=3-0", "GOMP_CPU_AFFINITY=0-4:0"}) {
    char expected[200], name[64];
    const char* equals = strchr(bad, '=');
    snprintf(name, sizeof name, "%.*s", static_cast<int>(equals - bad), bad);
    snprintf(expected, sizeof expected, WARN42("%s", "%s"), name, equals + 1);
    with(bad, expected, IS(!config.hw_subset && config.affinity.source == PlaceSource::kDefault));
  }
  for (const char* bad : {"[", "qqqqqqqqq", "explicit", "proclist=[0", "compact,scatter", "1,2,3", "granularity=x"}) {
    char environment[64], expected[200];
    snprintf(environment, sizeof environment, "KMP_AFFINITY=%s", bad);
    snprintf(expected, sizeof expected,
             WARN42("KMP_AFFINITY", "%s")
                 USED("KMP_AFFINITY", "noverbose,warnings,respect,noreset,granularity=core,none"),
             bad);
    with(environment, expected, IS(config.affinity.source == PlaceSource::kDefault));
  }
  with("OMP_THREAD_LIMIT=0", SMALL("OMP_THREAD_LIMIT", "0") USED("OMP_THREAD_LIMIT", "1"),
       IS(config.thread_limit == 1));
  for (const char* name : {"OMP_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT"}) {
    char environment[64], expected[200];
    snprintf(environment, sizeof environment, "%s=-1", name);
    snprintf(expected, sizeof expected, WARN42("%s", "-1") USED("%s", "2147483647"), name, name);
    with(environment, expected, IS(config.thread_limit == INT32_MAX && config.device_thread_limit == INT32_MAX));
  }
  with("OMP_THREAD_LIMIT=99999999999", LARGE("OMP_THREAD_LIMIT", "99999999999") USED("OMP_THREAD_LIMIT", "2147483647"),
       nothing);
  with("OMP_MAX_ACTIVE_LEVELS=-1", WARN42("OMP_MAX_ACTIVE_LEVELS", "-1") USED("OMP_MAX_ACTIVE_LEVELS", "1"), nothing);
  with("OMP_STACKSIZE=1b", SMALL("OMP_STACKSIZE", "1b") USED("OMP_STACKSIZE", "64k"),
       IS(config.stack_size == 64 * 1024));
  with("KMP_STACKSIZE=99999999999999999999g",
       LARGE("KMP_STACKSIZE", "99999999999999999999g") USED("KMP_STACKSIZE", "8M"), nothing); // no thread could have it
  with("KMP_FORCE_REDUCTION=zz", WARN42("KMP_FORCE_REDUCTION", "zz"), nothing);               // libomp aborts
  with("CHOMP_SCHEDULER=stael", MEANT("CHOMP_SCHEDULER", "stael", "steal") USED("CHOMP_SCHEDULER", "hierarchical"),
       nothing);
  with("CHOMP_DOMAIN=sokcet", MEANT("CHOMP_DOMAIN", "sokcet", "socket") USED("CHOMP_DOMAIN", "default"), nothing);
  with("CHOMP_SHEDULER=ws",
       "OMP: Warning: CHOMP_SHEDULER is not a variable of chomp; the nearest that is: CHOMP_SCHEDULER.\n", nothing);
  with("OMP_DYNAMIC=zz|CHOMP_X=1|KMP_WARNINGS=0", "", nothing); // whatever the order
}

static void obsolete_names() {
  with("OMP_NESTED=true", "OMP: Info #268: OMP_NESTED variable deprecated, please use OMP_MAX_ACTIVE_LEVELS instead.\n",
       IS(config.max_active_levels == INT_MAX));
  with("OMP_NESTED=true|OMP_MAX_ACTIVE_LEVELS=3",
       "OMP: Info #268: OMP_NESTED variable deprecated, please use OMP_MAX_ACTIVE_LEVELS instead.\n",
       IS(config.max_active_levels == 3));
  with("KMP_ALL_THREADS=4",
       "OMP: Info #268: KMP_ALL_THREADS variable deprecated, please use KMP_DEVICE_THREAD_LIMIT instead.\n",
       IS(config.thread_limit == 4));
  with("KMP_PLACE_THREADS=1s",
       "OMP: Info #268: KMP_PLACE_THREADS variable deprecated, please use KMP_HW_SUBSET instead.\n", nothing);
}

static void display() {
  Captured c = capture([] {
    clearenv();
    putenv(const_cast<char*>("OMP_DISPLAY_ENV=true"));
    putenv(const_cast<char*>("OMP_NUM_THREADS=4,2"));
    config_read();
    return 0;
  });
  THAT(strncmp(c.text,
               "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n   _OPENMP='201611'\n   runtime='chomp development version'\n  "
               "[host] OMP_AFFINITY_FORMAT='",
               95) == 0);
  THAT(strstr(c.text, "\n  [host] OMP_NUM_THREADS='4,2'\n"));
  THAT(strstr(c.text, "\n  [host] OMP_PLACES: value is not defined\n"));
  THAT(strstr(c.text, "\nOPENMP DISPLAY ENVIRONMENT END\n"));
  THAT(!strstr(c.text, "KMP_") && !strstr(c.text, "CHOMP_"));
  c = capture([] {
    clearenv();
    putenv(const_cast<char*>("OMP_DISPLAY_ENV=verbose"));
    putenv(const_cast<char*>("KMP_LOCK_KIND=tas"));
    config_read();
    return 0;
  });
  THAT(strstr(c.text, "\n  [host] KMP_BLOCKTIME='5ms'\n") && strstr(c.text, "\n  [host] CHOMP_DOMAIN='default'\n"));
  THAT(strstr(c.text, "\n  [host] KMP_LOCK_KIND='tas'\n"));
  c = capture([] {
    clearenv();
    putenv(const_cast<char*>("KMP_SETTINGS=1"));
    putenv(const_cast<char*>("KMP_VERSION=1"));
    config_read();
    return 0;
  });
  THAT(strncmp(c.text, "chomp ", 6) == 0 &&
       strstr(c.text, "\nUser settings:\n\n   KMP_SETTINGS=1\n   KMP_VERSION=1\n"));
}

static void defaults_set_by_the_program() {
  with("KMP_BLOCKTIME=7", "", [] {
    char text[] = "KMP_BLOCKTIME=0|OMP_SCHEDULE=guided,3||nonsense|NO_SUCH=1|OMP_PLACES=cores";
    config_set_defaults(text);
    memset(text, 'x', sizeof text - 1);
    THAT(config.blocktime_us == 0 && config.schedule.kind == 3 && config.schedule.chunk == 3);
    THAT(config.affinity.source == PlaceSource::kLevel);
  });
}

int main() {
  defaults_are_libomps();
  good_values();
  waiting();
  precedence();
  bad_values_leave_the_default();
  obsolete_names();
  display();
  defaults_set_by_the_program();
  THAT(cases > 80);
  return result();
}
