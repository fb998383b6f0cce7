"""The pieces of generated programs (right_programs.py): each returns what a function does with memory of its own, and is right.

A piece is a function of a source of chance; it returns declarations and the body of a function without arguments whose result
is a whole number. `NAME` stands for a name that no other piece has.
"""


def schedule(chance):
    return chance.choice(["", " schedule(static, 2)", " schedule(dynamic)", " schedule(guided)", " schedule(runtime)"])


def kind_of_task(chance):
    return chance.choice(["", "", "", " untied", " mergeable", " priority(3)", " if(NAME_yes)", " final(NAME_no)"])


# ---- C --------------------------------------------------------------------------------------------------------------


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


# ---- C++ ------------------------------------------------------------------------------------------------------------


def vectors(chance):
    return (
        "static std::vector<std::string> NAME_texts;\n",
        f"""  NAME_texts.assign({chance.randint(2, 6)}, "a text that is longer than the small buffer of a string");
  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (std::size_t i = 0; i < NAME_texts.size(); ++i) {{
    NAME_texts[i] += std::to_string(i);
    std::vector<std::string> own(3, NAME_texts[i]);
    std::sort(own.begin(), own.end());
    sum += static_cast<long>(own.back().size());
  }}
  return sum;
""",
    )


def objects(chance):
    return (
        """namespace {
struct NAME_object {
  std::vector<int> list{1, 2, 3};
  NAME_object() = default;
  NAME_object(const NAME_object& other) : list(other.list) { list.push_back(4); }
  ~NAME_object() { list.clear(); }
};
}
static long NAME_list[4];
""",
        f"""  NAME_object object;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < {chance.randint(1, 4)}; ++i) {{
#pragma omp task firstprivate(object)
    {{
      object.list[0] += i;
      NAME_list[i] = object.list[0] + static_cast<long>(object.list.size());
    }}
  }}
  return NAME_list[0] + NAME_list[3];
""",
    )


def thread_and_queue(chance):
    return (
        "",
        f"""  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<int>> queue;
  long sum = 0;
  std::thread giver([&] {{
    for (int i = 0; i < {chance.randint(1, 5)}; ++i) {{
      std::lock_guard<std::mutex> guard(mutex);
      queue.push_back(std::make_unique<int>(i));
      changed.notify_one();
    }}
    std::lock_guard<std::mutex> guard(mutex);
    queue.push_back(nullptr);
    changed.notify_all();
  }});
  for (;;) {{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] {{ return !queue.empty(); }});
    auto item = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    if (!item) break;
    sum += *item;
  }}
  giver.join();
  return sum;
""",
    )


def futures(chance):
    return (
        "",
        f"""  std::vector<std::future<long>> later;
  for (long i = 0; i < {chance.randint(1, 3)}; ++i)
    later.push_back(std::async(std::launch::async, [i] {{
      if (i == 1) throw std::runtime_error("a text that is longer than the small buffer");
      return i + 1;
    }}));
  long sum = 0;
  for (auto& each : later) {{
    try {{
      sum += each.get();
    }} catch (const std::runtime_error& error) {{
      sum += error.what()[0];
    }}
  }}
  return sum;
""",
    )


def shared_pointers(chance):
    return (
        "",
        f"""  auto object = std::make_shared<std::map<int, std::string>>();
  (*object)[3] = "a text that is longer than the small buffer of a string";
  std::atomic<long> sum{{0}};
#pragma omp parallel
#pragma omp single
  {{
    for (int i = 0; i < {chance.randint(1, 4)}; ++i) {{
#pragma omp task firstprivate(object)
      sum += static_cast<long>(object->at(3).size());
    }}
    object.reset();
  }}
  return sum;
""",
    )


def thread_locals(chance):
    return (
        "static thread_local std::vector<long> NAME_list;\nstatic thread_local std::string NAME_text;\n",
        f"""  std::atomic<long> sum{{0}};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < {chance.randint(3, 8)}; ++i) {{
#pragma omp task
    {{
      NAME_list.push_back(i);
      NAME_list.back() += 1;
      NAME_text = "text number " + std::to_string(i) + ", which is longer than the buffer";
      sum += NAME_list.back() + static_cast<long>(NAME_text.size());
    }}
  }}
  return sum;
""",
    )


def caught(chance):
    return (
        "",
        f"""  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (int i = 0; i < {chance.randint(2, 8)}; ++i) {{
    try {{
      std::vector<int> list(3);
      sum += list.at(static_cast<std::size_t>(i));
    }} catch (const std::out_of_range& error) {{
      sum += error.what()[0] == 'v';
    }}
  }}
  return sum;
""",
    )


def streams(chance):
    return (
        "",
        f"""  long sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads({chance.randint(2, 3)})
  {{
    std::ostringstream out;
    out << std::setw(6) << 17 << ' ' << 2.5 << std::hex << 255;
    std::istringstream in(out.str());
    int value = 0;
    in >> value;
    sum += value + static_cast<long>(out.str().size());
  }}
  return sum > 0;
""",
    )


CXX_PIECES = [vectors, objects, thread_and_queue, futures, shared_pointers, thread_locals, caught, streams]
CXX_HEAD = (
    "#include <algorithm>\n#include <atomic>\n#include <condition_variable>\n#include <deque>\n#include <future>\n#include <iomanip>\n"
    "#include <map>\n#include <memory>\n#include <mutex>\n#include <sstream>\n#include <stdexcept>\n#include <string>\n#include <thread>\n"
    "#include <vector>\n"
)


# ---- Fortran --------------------------------------------------------------------------------------------------------


def fortran_loop(chance):
    count = chance.randint(5, 30)
    return (
        f"  integer, save :: NAME_list({count}), NAME_first = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel do reduction(+:total){chance.choice(["", " schedule(dynamic)", " schedule(static,2)"])}
    do i = 1, {count}
      if (i == {chance.randint(1, count)}) NAME_first = NAME_first + 1
      NAME_list(i) = 2 * i
      total = total + NAME_list(i)
    end do
    !$omp end parallel do
    total = total + NAME_first
""",
    )


def fortran_tasks(chance):
    count = chance.randint(2, 8)
    return (
        f"  integer, save :: NAME_list({count}) = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp single
    do i = 1, {count}
      !$omp task firstprivate(i)
      NAME_list(i) = NAME_list(i) + i
      !$omp end task
    end do
    !$omp taskwait
    total = sum(NAME_list)
    !$omp end single
    !$omp end parallel
""",
    )


def fortran_chain(chance):
    count = chance.randint(2, 6)
    return (
        f"  integer, save :: NAME_list(0:{count}) = 1\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp master
    do i = 1, {count}
      !$omp task firstprivate(i) depend(in: NAME_list(i - 1)) depend(inout: NAME_list(i))
      NAME_list(i) = NAME_list(i) + NAME_list(i - 1)
      !$omp end task
    end do
    !$omp end master
    !$omp end parallel
    total = NAME_list({count})
""",
    )


def fortran_memory(chance):
    return (
        "  integer, save :: NAME_list(6) = 0\n",
        "    integer :: i\n    integer, allocatable :: own(:)\n    character(len=40) :: buffer\n",
        f"""    !$omp parallel
    !$omp single
    do i = 1, {chance.randint(2, 6)}
      !$omp task firstprivate(i) private(own, buffer)
      allocate (own({chance.choice([4, 100, 3000])}))
      own = i
      write (buffer, '(I0,A)') own(1), ' text'
      NAME_list(i) = own(2) + len_trim(buffer)
      deallocate (own)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    total = sum(NAME_list)
""",
    )


def fortran_exclusive(chance):
    how = chance.choice(["critical", "atomic"])
    end = "    !$omp end critical\n" if how == "critical" else ""
    return (
        "  integer, save :: NAME_count = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel do
    do i = 1, {chance.randint(3, 12)}
      !$omp {how}
      NAME_count = NAME_count + i
  {end}    end do
    !$omp end parallel do
    total = NAME_count
""",
    )


def fortran_own(chance):
    return (
        "  integer, save :: NAME_own = 0\n  !$omp threadprivate(NAME_own)\n",
        "    integer :: i\n",
        f"""    NAME_own = 2
    !$omp parallel copyin(NAME_own) reduction(+:total)
    NAME_own = NAME_own + 1
    !$omp do
    do i = 1, {chance.randint(2, 9)}
      total = total + i
    end do
    !$omp end do
    total = total + merge(0, 100, NAME_own == 3)
    !$omp end parallel
""",
    )


def fortran_workshare(chance):
    return (
        "  real(8), save :: NAME_a(8, 8) = 1, NAME_b(8, 8) = 2, NAME_c(8, 8) = 0\n",
        "",
        """    !$omp parallel
    !$omp workshare
    NAME_c = NAME_a + 2 * NAME_b
    NAME_a(:, 1) = NAME_c(1, :)
    !$omp end workshare
    !$omp sections
    !$omp section
    NAME_a(1, :) = 3
    !$omp section
    NAME_b = matmul(NAME_c, NAME_c)
    !$omp end sections
    !$omp end parallel
    total = int(sum(NAME_a) + sum(NAME_b))
""",
    )


def fortran_taskloop(chance):
    count = chance.randint(3, 12)
    return (
        f"  integer, save :: NAME_list({count}) = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp single
    !$omp taskloop grainsize({chance.randint(1, 3)})
    do i = 1, {count}
      NAME_list(i) = 3 * i
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    total = sum(NAME_list(1:{count}:2))
""",
    )


FORTRAN_PIECES = [
    fortran_loop,
    fortran_tasks,
    fortran_chain,
    fortran_memory,
    fortran_exclusive,
    fortran_own,
    fortran_workshare,
    fortran_taskloop,
]


# ---- Whole programs -------------------------------------------------------------------------------------------------


def assemble_c(chance, pieces, head):
    text, names = head, []
    for i, piece in enumerate(pieces):
        declarations, body = piece(chance)
        name = f"piece{i}"
        names.append(name)
        text += f"\n{declarations}static __attribute__((noinline)) long NAME(void) {{\n{body}}}\n".replace("NAME", name)
    calls = "".join(f"  sum += {name}();\n" for name in names)
    return text + f'\nint main(void) {{\n  long sum = 0;\n{calls}  printf("%ld\\n", sum);\n  return 0;\n}}\n'


def assemble_fortran(chance, pieces):
    declarations, functions, calls = "", "", ""
    for i, piece in enumerate(pieces):
        shared, local, body = piece(chance)
        name = f"piece{i}"
        declarations += shared.replace("NAME", name)
        functions += f"  integer function NAME() result(total)\n{local}    total = 0\n{body}  end function\n".replace("NAME", name)
        calls += f"  all = all + {name}()\n"
    return (
        f"module pieces\n  use omp_lib\n  implicit none\n{declarations}contains\n{functions}end module\n\n"
        f"program right\n  use pieces\n  implicit none\n  integer :: all\n  all = 0\n{calls}  print *, all\nend program\n"
    )


def assemble(suffix, chance):
    """A program in the language with that suffix."""
    count = chance.randint(2, 5)
    if suffix == ".f90":
        return assemble_fortran(chance, [chance.choice(FORTRAN_PIECES) for _ in range(count)])
    if suffix == ".c":
        return assemble_c(chance, [chance.choice(C_PIECES) for _ in range(count)], C_HEAD)
    pieces = [chance.choice(CXX_PIECES if chance.random() < 0.7 else C_PIECES) for _ in range(count)]
    return assemble_c(chance, pieces, C_HEAD + CXX_HEAD)
