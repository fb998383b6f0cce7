"""Pieces of generated programs (right_pieces.py) in C, which C++ has, too."""


def schedule(chance):
    return chance.choice(["", " schedule(static, 2)", " schedule(dynamic)", " schedule(guided)", " schedule(runtime)"])


def kind_of_task(chance):
    return chance.choice(["", "", "", " untied", " mergeable", " priority(3)", " if(NAME_yes)", " final(NAME_no)"])


def loop_with_sum(chance):
    count = chance.randint(5, 40)
    return (
        f"static int NAME_first, NAME_list[{count}];\n",
        f"""  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (int i = 0; i < {count}; ++i) {{
    if (i == {chance.randint(0, count - 1)}) NAME_first += 1;
    NAME_list[i] = 2 * i;
    sum += NAME_list[i];
  }}
  return sum + NAME_first;
""",
    )


def tasks_of_list(chance):
    count = chance.randint(3, 8)
    return (
        f"static long NAME_list[{count}];\nstatic int NAME_yes = 1, NAME_no;\n",
        f"""  long sum = 0;
#pragma omp parallel
#pragma omp single
  {{
    for (int i = 0; i < {count}; ++i) {{
#pragma omp task{kind_of_task(chance)}
      NAME_list[i] += i;
    }}
#pragma omp taskwait
    for (int i = 0; i < {count}; ++i) sum += NAME_list[i];
  }}
  return sum;
""",
    )


def chain(chance):
    count = chance.randint(3, 6)
    return (
        f"static int NAME_list[{count + 1}];\n",
        f"""#pragma omp parallel
#pragma omp master
  for (int k = 0; k < {chance.randint(1, 3)}; ++k)
    for (int i = 0; i < {count}; ++i) {{
#pragma omp task depend(in : NAME_list[i]) depend(inout : NAME_list[i + 1])
      NAME_list[i + 1] += NAME_list[i] + 1;
    }}
  return NAME_list[{count}];
""",
    )


def recursion(chance):
    return (
        f"""static long NAME_tree(int n) {{
  long a = 0, b = 0;
  if (n < 2) return n + 1;
#pragma omp task shared(a) firstprivate(n){kind_of_task(chance).replace(" if(NAME_yes)", "").replace(" final(NAME_no)", "")}
  a = NAME_tree(n - 1);
#pragma omp task shared(b)
  b = NAME_tree(n - 2);
#pragma omp taskwait
  return a + b;
}}
""",
        f"""  long sum = 0;
#pragma omp parallel shared(sum)
#pragma omp single{chance.choice(["", " nowait"])}
  sum = NAME_tree({chance.randint(3, 5)});
  return sum;
""",
    )


def locks(chance):
    how = chance.choice(["critical", "named", "atomic", "lock", "nest"])
    before = {"lock": "omp_set_lock(&NAME_lock);", "nest": "omp_set_nest_lock(&NAME_nest); omp_set_nest_lock(&NAME_nest);"}.get(how, "")
    after = {"lock": "omp_unset_lock(&NAME_lock);", "nest": "omp_unset_nest_lock(&NAME_nest); omp_unset_nest_lock(&NAME_nest);"}.get(how, "")
    pragma = {"critical": "#pragma omp critical", "named": "#pragma omp critical(NAME_one)", "atomic": "#pragma omp atomic"}.get(how, "")
    return (
        "static omp_lock_t NAME_lock;\nstatic omp_nest_lock_t NAME_nest;\nstatic long NAME_count;\n",
        f"""  omp_init_lock(&NAME_lock);
  omp_init_nest_lock(&NAME_nest);
#pragma omp parallel for{schedule(chance)}
  for (int i = 0; i < {chance.randint(3, 12)}; ++i) {{
    {before}
{pragma}
    NAME_count += i;
    {after}
  }}
  omp_destroy_lock(&NAME_lock);
  omp_destroy_nest_lock(&NAME_nest);
  return NAME_count;
""",
    )


def sections(chance):
    return (
        "static int NAME_a, NAME_b;\nstatic double NAME_c;\n",
        f"""#pragma omp parallel sections
  {{
#pragma omp section
    for (int i = 0; i < {chance.randint(2, 9)}; ++i) NAME_a += i;
#pragma omp section
    for (int i = 0; i < {chance.randint(2, 9)}; ++i) NAME_b += 2 * i;
#pragma omp section
    for (int i = 0; i < {chance.randint(2, 9)}; ++i) NAME_c += 0.5;
  }}
  return NAME_a + NAME_b + (long)NAME_c;
""",
    )


def stencil(chance):
    count = chance.randint(6, 20)
    return (
        f"static long NAME_list[2][{count}];\n",
        f"""  for (int i = 0; i < {count}; ++i) NAME_list[0][i] = i;
#pragma omp parallel
  for (int k = 0; k < {chance.randint(2, 4)}; ++k) {{
#pragma omp for{chance.choice(["", " schedule(static, 1)"])}
    for (int i = 1; i < {count} - 1; ++i)
      NAME_list[(k + 1) % 2][i] = NAME_list[k % 2][i - 1] + NAME_list[k % 2][i + 1];
  }}
  return NAME_list[0][2] + NAME_list[1][3];
""",
    )


def copies(chance):
    return (
        "static int NAME_own;\n#pragma omp threadprivate(NAME_own)\n",
        f"""  long sum = 0;
  NAME_own = 3;
#pragma omp parallel copyin(NAME_own) reduction(+ : sum) num_threads({chance.randint(2, 4)})
  {{
    int value;
#pragma omp single copyprivate(value)
    value = {chance.randint(1, 9)};
    NAME_own += value;
#pragma omp barrier
    sum += NAME_own > 3;
  }}
  return sum > 0;
""",
    )


def taskloop(chance):
    count = chance.randint(4, 12)
    return (
        f"static int NAME_list[{count}];\n",
        f"""  long sum = 0;
#pragma omp parallel
#pragma omp single
  {{
#pragma omp taskloop grainsize({chance.randint(1, 3)})
    for (int i = 0; i < {count}; ++i) NAME_list[i] = i;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < {count}; ++i) {{
#pragma omp task in_reduction(+ : sum)
      sum += NAME_list[i];
    }}
  }}
  return sum;
""",
    )


def stack_memory(chance):
    take = chance.choice(["char own[size];", "char* own = (char*)__builtin_alloca(size);"])
    return (
        "static long NAME_list[8];\nstatic int NAME_size = 5;\n"
        "static __attribute__((noinline)) long NAME_add(const char* list, int count) {\n"
        "  long sum = 0;\n  for (int i = 0; i < count; ++i) sum += list[i];\n  return sum;\n}\n",
        f"""#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 8; ++k) {{
#pragma omp task
    {{
      int size = NAME_size * {chance.choice([1, 9, 700, 5000])};
      {take}
      memset(own, k, size);
#pragma omp task shared(own)
      own[0] = 1;
#pragma omp taskwait
      NAME_list[k] = NAME_add(own, size);
    }}
  }}
  return NAME_list[3] + NAME_list[7];
""".replace("shared(own)", "shared(own)" if "alloca" not in take else "firstprivate(own)"),
    )


def heap(chance):
    return (
        "struct NAME_node {\n  struct NAME_node* next;\n  long value;\n};\nstatic long NAME_list[8];\n",
        f"""#pragma omp parallel
#pragma omp single
  for (int k = 0; k < {chance.randint(2, 8)}; ++k) {{
#pragma omp task
    {{
      struct NAME_node* first = NULL;
      for (int i = 0; i < {chance.randint(1, 4)}; ++i) {{
        struct NAME_node* node = (struct NAME_node*)malloc(sizeof *node);
        node->next = first;
        node->value = i + k;
        first = node;
      }}
      while (first != NULL) {{
        struct NAME_node* next = first->next;
        NAME_list[k] += first->value;
        free(first);
        first = next;
      }}
    }}
  }}
  return NAME_list[0] + NAME_list[1];
""",
    )


def pool(chance):
    return (
        "struct NAME_node {\n  struct NAME_node* next;\n  long value;\n};\nstatic __thread struct NAME_node* NAME_pool;\nstatic long NAME_list[8];\n",
        """#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 8; ++k) {
#pragma omp task
    {
      struct NAME_node* node = NAME_pool;
      if (node != NULL)
        NAME_pool = node->next;
      else
        node = (struct NAME_node*)malloc(sizeof *node);
      node->value = k;
      NAME_list[k] = node->value;
      node->next = NAME_pool;
      NAME_pool = node;
    }
  }
  return NAME_list[3] + NAME_list[7];
""",
    )


def texts(chance):
    count = chance.randint(2, 6)
    return (
        f"static char NAME_texts[{count}][64];\nstatic int NAME_order(const void* a, const void* b) {{ return *(const int*)a - *(const int*)b; }}\n",
        f"""  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (int i = 0; i < {count}; ++i) {{
    int list[16];
    for (int k = 0; k < 16; ++k) list[k] = (7 * k + i) % 16;
    qsort(list, 16, sizeof *list, NAME_order);
    snprintf(NAME_texts[i], sizeof NAME_texts[i], "%d %s %.1f", i, list[0] == 0 ? "yes" : "no", 1.5);
    char copy[64];
    strcpy(copy, NAME_texts[i]);
    sum += (long)strlen(copy) + list[3] + strcmp(copy, NAME_texts[i]);
  }}
  return sum;
""",
    )


def ordered(chance):
    count = chance.randint(4, 10)
    return (
        f"static long NAME_sum, NAME_list[{count + 1}];\n",
        chance.choice(
            [
                f"""#pragma omp parallel for ordered{schedule(chance)}
  for (int i = 0; i < {count}; ++i) {{
#pragma omp ordered
    NAME_sum = 3 * NAME_sum + i;
  }}
  return NAME_sum;
""",
                f"""#pragma omp parallel for ordered(1)
  for (int i = 1; i < {count}; ++i) {{
#pragma omp ordered depend(sink : i - 1)
    NAME_list[i] = NAME_list[i - 1] + i;
#pragma omp ordered depend(source)
  }}
  return NAME_list[{count - 1}];
""",
            ]
        ),
    )


def nested(chance):
    return (
        "static long NAME_list[4][4];\n",
        """  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 4; ++k) NAME_list[i][k] = i * k;
    NAME_list[i][0] = NAME_list[i][3];
  }
  return NAME_list[3][0];
""",
    )


def sets(chance):
    kind = chance.choice(["mutexinoutset", "inout"])
    return (
        "static long NAME_sum;\n",
        f"""#pragma omp parallel
#pragma omp single
  {{
    for (int i = 0; i < {chance.randint(2, 6)}; ++i) {{
#pragma omp task depend({kind} : NAME_sum)
      NAME_sum += i;
    }}
#pragma omp task depend(in : NAME_sum)
    {{
      if (NAME_sum < 0) abort();
    }}
#pragma omp taskwait
    NAME_sum += 1;
  }}
  return NAME_sum;
""",
    )


def leagues(chance):
    return (
        "static long NAME_list[16];\n",
        f"""  long sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : NAME_list) num_teams({chance.randint(1, 3)})
  for (int i = 0; i < 16; ++i) NAME_list[i] = i;
#pragma omp teams num_teams(2) reduction(+ : sum)
#pragma omp distribute
  for (int i = 0; i < 4; ++i) sum += i;
  return NAME_list[7] + sum;
""",
    )


def clocks(chance):
    return (
        "",
        f"""#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) {{
#pragma omp task
    for (double begin = omp_get_wtime(); omp_get_wtime() - begin < {chance.choice(["1e-4", "0.003", "0.05"])};) {{
    }}
  }}
  return 1;
""",
    )


def hand_over(chance):
    return (
        "static int NAME_data, NAME_flag;\n",
        """  int seen = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      NAME_data = 7;
      __atomic_store_n(&NAME_flag, 1, __ATOMIC_RELEASE);
    }
#pragma omp section
    {
      while (__atomic_load_n(&NAME_flag, __ATOMIC_ACQUIRE) == 0) sched_yield();
      seen = NAME_data;
    }
  }
  return seen;
""",
    )


def pthreads(chance):
    return (
        """static pthread_mutex_t NAME_mutex = PTHREAD_MUTEX_INITIALIZER;
static long NAME_sum;
static void* NAME_run(void* argument) {
  long own[8];
  for (int i = 0; i < 8; ++i) own[i] = (long)argument + i;
  pthread_mutex_lock(&NAME_mutex);
  for (int i = 0; i < 8; ++i) NAME_sum += own[i];
  pthread_mutex_unlock(&NAME_mutex);
  return NULL;
}
""",
        f"""  pthread_t threads[{chance.randint(1, 3)}];
  enum {{ kCount = sizeof threads / sizeof *threads }};
  for (long k = 0; k < {chance.randint(1, 3)}; ++k) {{
    for (long i = 0; i < kCount; ++i) pthread_create(&threads[i], NULL, NAME_run, (void*)i);
    for (int i = 0; i < kCount; ++i) pthread_join(threads[i], NULL);
  }}
  return NAME_sum;
""",
    )


C_PIECES = [
    loop_with_sum,
    tasks_of_list,
    chain,
    recursion,
    locks,
    sections,
    stencil,
    copies,
    taskloop,
    stack_memory,
    heap,
    pool,
    texts,
    ordered,
    nested,
    sets,
    leagues,
    clocks,
    hand_over,
    pthreads,
]

C_HEAD = """#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
