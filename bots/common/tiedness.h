// Included twice on purpose, so no include guard: each program keeps its parallel algorithm once, in a file *_tasks.h,
// and includes it once as tied and once as untied tasks. Between the two:
//   TIEDNESS   the clause: nothing, or `untied` (OpenMP expands macros in its directives)
//   NAMED(f)   the function's name: f_tied or f_untied
// Define exactly one of TASKS_TIED and TASKS_UNTIED before; this file undefines it.
#undef TIEDNESS
#undef NAMED

#if defined(TASKS_TIED)
#define TIEDNESS
#define NAMED(function) function##_tied
#elif defined(TASKS_UNTIED)
#define TIEDNESS untied
#define NAMED(function) function##_untied
#else
#error "define TASKS_TIED or TASKS_UNTIED"
#endif

#undef TASKS_TIED
#undef TASKS_UNTIED
