"""Whole source files: several programs in one, which saves most of the time that compiling takes."""

from pathlib import Path

from programs import fortran_writer
from programs.generator import random_tree
from programs.writer import write_program

HERE = Path(__file__).resolve().parent

MAIN = """
static void (*const programs[])(void) = {%s};
static pthread_barrier_t at_once;

static void* run_one(void* program) {
  pthread_barrier_wait(&at_once);
  ((void (*)(void))(uintptr_t)program)();
  return 0;
}

// main: [-r ROOTS] [NUMBER…]: these programs (all of them), each in ROOTS threads at once.
int main(int argc, char** argv) {
  int roots = 1, next = 1, failed = 0;
  fuzz_may_stop();
  if (argc > 2 && !strcmp(argv[1], "-r")) roots = atoi(argv[2]), next = 3;
  int count = sizeof programs / sizeof programs[0], listed = next < argc;
  for (int i = listed ? next : 0; i < (listed ? argc : count); i++) {
    int number = listed ? atoi(argv[i]) : i;
    fprintf(stderr, "begin %%d\\n", number);
    __atomic_store_n(&fuzz_errors, 0, __ATOMIC_SEQ_CST);
    if (roots == 1) {
      programs[number]();
    } else {
      pthread_t threads[64];
      pthread_barrier_init(&at_once, 0, (unsigned)roots);
      for (int j = 0; j < roots; j++)
        if (pthread_create(&threads[j], 0, run_one, (void*)(uintptr_t)programs[number])) abort();
      for (int j = 0; j < roots; j++) pthread_join(threads[j], 0);
      pthread_barrier_destroy(&at_once);
    }
    if (fuzz_errors) {
      fprintf(stderr, "failed %%d\\n", number);
      failed = 1;
    }
  }
  fprintf(stderr, "end\\n");
  return failed;
}
"""


BATCH = 20  # programs in one file


def language_of(seed, fortran=False):
    """The same for all programs of one file."""
    if fortran:
        return "fortran"
    return ("c", "c", "c++")[seed // BATCH % 3]


def prelude(language):
    text = (HERE / "prelude.h").read_text()
    return text + (HERE / "prelude_cxx.h").read_text() if language == "c++" else text


def whole(trees, language):
    """A source file of these trees: (name, tree)."""
    if language == "fortran":
        return fortran_writer.whole(trees)
    parts = [prelude(language)]
    parts += [write_program(tree, name, language) for name, tree in trees]
    return "\n".join(parts) + MAIN % ", ".join(name for name, _ in trees)


def batch(first_seed, count, language, only=None):
    """The trees of seeds first_seed, first_seed + 1, …"""
    return [(f"p{seed}", random_tree(seed, language, only)) for seed in range(first_seed, first_seed + count)]
