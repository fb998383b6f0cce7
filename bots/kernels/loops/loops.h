// Included twice on purpose, so no include guard: each program keeps its loops once, in a file *_loops.h. Between the
// two:
//   LOOP       the directive of a loop: `for`, run by every thread of a team, or `parallel for`, a region for each loop
//   NAMED(f)   the function's name: f_team or f_regions
// Variables of a reduction are static, so that the team shares them. Called outside of a region, f_team is the serial
// version: one thread does each loop. Define exactly one of LOOPS_TEAM and LOOPS_REGIONS before; this file undefines
// it.
#undef LOOP
#undef NAMED

#if defined(LOOPS_TEAM)
#define LOOP for
#define NAMED(function) function##_team
#elif defined(LOOPS_REGIONS)
#define LOOP parallel for
#define NAMED(function) function##_regions
#else
#error "define LOOPS_TEAM or LOOPS_REGIONS"
#endif

#undef LOOPS_TEAM
#undef LOOPS_REGIONS
