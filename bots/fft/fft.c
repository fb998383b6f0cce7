// bots-fft: the discrete Fourier transform of complex numbers by the recursive radix-4 Cooley-Tukey algorithm.
// ../README.md has the publications; the tasks are in fft_tasks.h, the serial pieces they end in are here. Invariants:
// a transform reads and writes its own range of `numbers` and the same range of `scratch`, and transforms that may run
// at the same time have disjoint ranges; a range of tasks never writes an element twice.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double real, imaginary;
} number;

enum { RADIX = 4 };

static int64_t count = 4 * 1024 * 1024;
static int64_t leaf_size = 512;
static int64_t cutoff = 3;
static int64_t seed = 1;

static number* numbers; // the input, then its transform
static number* scratch;
static number* kept;

/// The factors of combine(): those of transforms of size n stand at [n / 4, n), the powers w^k, w^2k, w^3k for k = 0,
/// 1, ... of w = exp(-2 pi i / n). The next smaller transforms have size n / 4, so that the ranges fit together.
static number* roots;

static number add(number a, number b) { return (number){a.real + b.real, a.imaginary + b.imaginary}; }

static number subtract(number a, number b) { return (number){a.real - b.real, a.imaginary - b.imaginary}; }

static number multiply(number a, number b) {
  return (number){a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

/// -i * a
static number turn(number a) { return (number){a.imaginary, -a.real}; }

/// Distributes a range of groups of four neighbours to the four quarters of `target`.
static void deal(int64_t size, int64_t first, int64_t last, const number* source, number* target) {
  const int64_t quarter = size / RADIX;
  for (int64_t k = first; k < last; k++)
    for (int64_t part = 0; part < RADIX; part++) target[part * quarter + k] = source[RADIX * k + part];
}

/// The transform of four numbers: result[q * stride] = a + (-i)^q b + (-i)^2q c + (-i)^3q d.
static void transform_four(number a, number b, number c, number d, number* result, int64_t stride) {
  const number even_sum = add(a, c), even_difference = subtract(a, c);
  const number odd_sum = add(b, d), odd_difference = turn(subtract(b, d));
  result[0] = add(even_sum, odd_sum);
  result[stride] = add(even_difference, odd_difference);
  result[2 * stride] = subtract(even_sum, odd_sum);
  result[3 * stride] = subtract(even_difference, odd_difference);
}

/// Makes a range of each quarter of the transform of `size` numbers out of the transforms of its quarters.
static void combine(int64_t size, int64_t first, int64_t last, const number* source, number* target) {
  const int64_t quarter = size / RADIX;
  const number* const factors = roots + quarter;
  for (int64_t k = first; k < last; k++)
    transform_four(source[k], multiply(factors[3 * k], source[quarter + k]),
                   multiply(factors[3 * k + 1], source[2 * quarter + k]),
                   multiply(factors[3 * k + 2], source[3 * quarter + k]), target + k, quarter);
}

/// The transform of one, two or four numbers.
static void transform_few(int64_t size, number* data) {
  if (size == 2) {
    const number difference = subtract(data[0], data[1]);
    data[0] = add(data[0], data[1]);
    data[1] = difference;
  } else if (size == 4) {
    transform_four(data[0], data[1], data[2], data[3], data, 1);
  }
}

static void transform_serial(int64_t size, number* data, number* space) {
  if (size <= RADIX) {
    transform_few(size, data);
    return;
  }
  const int64_t quarter = size / RADIX;
  deal(size, 0, quarter, data, space);
  for (int64_t part = 0; part < RADIX; part++) transform_serial(quarter, space + part * quarter, data + part * quarter);
  combine(size, 0, quarter, space, data);
}

static int64_t smaller(int64_t left, int64_t right) { return left < right ? left : right; }

#define TASKS_TIED
#include "common/tiedness.h"
#include "fft_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "fft_tasks.h"

static void run_serial(void) { transform_serial(count, numbers, scratch); }

static number* allocate_numbers(void) { return allocate_or_exit((uint64_t)count * sizeof(number)); }

/// exp(-2 pi i k / n)
static number root(int64_t k, int64_t n) {
  const double angle = -2 * acos(-1) * (double)k / (double)n;
  return (number){cos(angle), sin(angle)};
}

static void make_roots(void) {
  roots = allocate_numbers();
  for (int64_t size = count; size > RADIX; size /= RADIX)
    for (int64_t k = 0; k < size / RADIX; k++)
      for (int64_t power = 1; power < RADIX; power++)
        roots[size / RADIX + (RADIX - 1) * k + power - 1] = root(power * k, size);
}

/// Both parts of every number are random, from -1 to 1; the same at every call.
static void make_input(number* target) {
  uint64_t state = (uint64_t)seed;
  for (int64_t i = 0; i < count; i++) {
    target[i].real = 2 * random_unit(&state) - 1;
    target[i].imaginary = 2 * random_unit(&state) - 1;
  }
}

static void prepare(void) {
  if (roots == NULL) {
    make_roots();
    numbers = allocate_numbers();
    scratch = allocate_numbers();
  }
  make_input(numbers);
  memset(scratch, 0xff, (size_t)count * sizeof *scratch); // NaNs: a forgotten element looks wrong
}

/// Written so that a NaN is far from everything.
static bool are_close(number a, number b, double tolerance) {
  return fabs(a.real - b.real) <= tolerance && fabs(a.imaginary - b.imaginary) <= tolerance;
}

/// How far elements of the transform may be off: they are sums of `count` numbers, about sqrt(count) large, and rounded
/// at every level of the recursion.
static double transform_tolerance(void) { return 1e-13 * sqrt((double)count); }

/// One element of the transform by its definition.
static number transform_element(const number* input, int64_t index) {
  long double real = 0, imaginary = 0;
  for (int64_t i = 0; i < count; i++) {
    const number term = multiply(input[i], root((int64_t)((uint64_t)i * (uint64_t)index % (uint64_t)count), count));
    real += (long double)term.real;
    imaginary += (long double)term.imaginary;
  }
  return (number){(double)real, (double)imaginary};
}

/// Checks that some elements, the first and the last among them, are what the definition says.
static bool samples_are_right(const number* input) {
  enum { SAMPLES = 6 };
  uint64_t state = (uint64_t)seed + 1;
  for (int sample = 0; sample < SAMPLES; sample++) {
    const int64_t index = sample == 0 ? 0 : sample == 1 ? count - 1 : random_below(&state, count);
    if (!are_close(numbers[index], transform_element(input, index), transform_tolerance())) return false;
  }
  return true;
}

/// Checks that the inverse transform gives the input back. The inverse is the transform between two conjugations,
/// divided by `count`.
static bool inverse_is_right(const number* input) {
  number* const data = allocate_numbers();
  number* const space = allocate_numbers();
  for (int64_t i = 0; i < count; i++) data[i] = (number){numbers[i].real, -numbers[i].imaginary};
  transform_serial(count, data, space);
  bool right = true;
  for (int64_t i = 0; i < count && right; i++) {
    const number inverse = {data[i].real / (double)count, -data[i].imaginary / (double)count};
    right = are_close(inverse, input[i], 1e-13);
  }
  free(data);
  free(space);
  return right;
}

static enum verification verify(void) {
  number* const input = allocate_numbers();
  make_input(input);
  const bool right = samples_are_right(input) && inverse_is_right(input);
  free(input);
  return right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void keep_answer(void) {
  kept = numbers;
  numbers = allocate_numbers();
}

static bool is_kept_answer(void) {
  for (int64_t i = 0; i < count; i++)
    if (!are_close(numbers[i], kept[i], transform_tolerance())) return false;
  return true;
}

static const char* complaint(void) {
  if ((count & (count - 1)) != 0) return "-n must be a power of two";
  return NULL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "how many numbers, a power of two", &count, 1, 1 << 28},
      {'y', "transforms and loops up to this size are one task", &leaf_size, RADIX, 1 << 28},
      {'x', "depth from which no tasks are made, for -manual", &cutoff, 0, 64},
      {'r', "seed of the numbers", &seed, 0, INT32_MAX},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      {"tied", run_none_tied},
      {"tied-manual", run_manual_tied},
      {"tied-taskloop", run_taskloop_tied},
      {"untied", run_none_untied},
      {"untied-manual", run_manual_untied},
      {"untied-taskloop", run_taskloop_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-fft",
      .summary = "fast Fourier transform, tasks for the four quarters and for the loops around them",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(numbers);
  free(scratch);
  free(kept);
  free(roots);
  return status;
}
