// bots-strassen: C = A * B for square matrices by Strassen's recursion in Winograd's form: seven products a level, a
// task for each. ../README.md has the publications; the tasks are in strassen_tasks.h. Invariant: the seven products of
// a level write seven disjoint blocks (four of them quarters of C), and read only blocks that were complete before they
// began.
#include "common/benchmark.h"

#include <stdlib.h>

enum { PRODUCTS = 7, OPERANDS = 8, RESULTS = 7, SPARES = 11 };

/// A square block of a matrix stored by rows, `stride` elements apart.
struct block {
  double* at;
  int64_t stride;
};

/// result = left * right
struct product {
  struct block result, left, right;
};

/// result = left + sign * right, with a sign of 1 or -1
struct sum {
  struct block result, left, right;
  double sign;
};

/// One level of the recursion: what the products are, and the memory their operands and three of their results live in.
struct division {
  struct product products[PRODUCTS];
  double* memory;
};

static int64_t matrix_size = 1024;
static int64_t leaf_size = 64;
static int64_t cutoff = 3;

static struct block matrix_a, matrix_b, matrix_c;

static struct block quarter(struct block whole, int64_t half, int row, int column) {
  return (struct block){whole.at + row * half * whole.stride + column * half, whole.stride};
}

/// Plain multiplication, for blocks of at most leaf_size: rows of the result stay in the first-level cache.
static void multiply_leaf(int64_t size, const struct product* product) {
  for (int64_t row = 0; row < size; row++) {
    double* restrict const result = product->result.at + row * product->result.stride;
    for (int64_t column = 0; column < size; column++) result[column] = 0;
    for (int64_t inner = 0; inner < size; inner++) {
      const double factor = product->left.at[row * product->left.stride + inner];
      const double* restrict const right = product->right.at + inner * product->right.stride;
      for (int64_t column = 0; column < size; column++) result[column] += factor * right[column];
    }
  }
}

// An element, in the loops of divide(), combine() and add().
#define AT(block) ((block).at[row * (block).stride + column])

/// The blocks in a level's memory: S1 to S4, T1 to T4, P1, P6, P7.
static void list_spares(int64_t half, double* memory, struct block spare[SPARES]) {
  for (int i = 0; i < SPARES; i++) spare[i] = (struct block){memory + i * half * half, half};
}

/// Sets up the seven products; eight of their operands are still to be formed. Winograd's form:
///   S1 = A21 + A22   S2 = S1 - A11    S3 = A11 - A21   S4 = A12 - S2
///   T1 = B12 - B11   T2 = B22 - T1    T3 = B22 - B12   T4 = T2 - B21
///   P1 = A11 B11   P2 = A12 B21   P3 = S4 B22   P4 = A22 T4   P5 = S1 T1   P6 = S2 T2   P7 = S3 T3
///   U2 = P1 + P6     U3 = U2 + P7
///   C11 = P1 + P2    C12 = U2 + P5 + P3    C21 = U3 - P4    C22 = U3 + P5
/// P2, P3, P4 and P5 go straight into the quarters of the result, which are turned into sums in place later.
static struct division lay_out(int64_t half, const struct product* whole) {
  const struct block a11 = quarter(whole->left, half, 0, 0), a12 = quarter(whole->left, half, 0, 1);
  const struct block a22 = quarter(whole->left, half, 1, 1);
  const struct block b11 = quarter(whole->right, half, 0, 0), b21 = quarter(whole->right, half, 1, 0);
  const struct block b22 = quarter(whole->right, half, 1, 1);
  const struct block c11 = quarter(whole->result, half, 0, 0), c12 = quarter(whole->result, half, 0, 1);
  const struct block c21 = quarter(whole->result, half, 1, 0), c22 = quarter(whole->result, half, 1, 1);

  double* const memory = allocate_or_exit(SPARES * (uint64_t)(half * half) * sizeof(double));
  struct block spare[SPARES];
  list_spares(half, memory, spare);
  return (struct division){.products = {{spare[8], a11, b11},
                                        {c11, a12, b21},
                                        {c12, spare[3], b22},
                                        {c21, a22, spare[7]},
                                        {c22, spare[0], spare[4]},
                                        {spare[9], spare[1], spare[5]},
                                        {spare[10], spare[2], spare[6]}},
                           .memory = memory};
}

/// Lays out the products and forms their operands, the eight sums of Winograd's form, in one pass.
static struct division divide(int64_t half, const struct product* whole) {
  const struct division division = lay_out(half, whole);
  struct block spare[SPARES];
  list_spares(half, division.memory, spare);
  const struct block a11 = quarter(whole->left, half, 0, 0), a12 = quarter(whole->left, half, 0, 1);
  const struct block a21 = quarter(whole->left, half, 1, 0), a22 = quarter(whole->left, half, 1, 1);
  const struct block b11 = quarter(whole->right, half, 0, 0), b12 = quarter(whole->right, half, 0, 1);
  const struct block b21 = quarter(whole->right, half, 1, 0), b22 = quarter(whole->right, half, 1, 1);
  for (int64_t row = 0; row < half; row++) {
    for (int64_t column = 0; column < half; column++) {
      AT(spare[0]) = AT(a21) + AT(a22);
      AT(spare[1]) = AT(spare[0]) - AT(a11);
      AT(spare[2]) = AT(a11) - AT(a21);
      AT(spare[3]) = AT(a12) - AT(spare[1]);
      AT(spare[4]) = AT(b12) - AT(b11);
      AT(spare[5]) = AT(b22) - AT(spare[4]);
      AT(spare[6]) = AT(b22) - AT(b12);
      AT(spare[7]) = AT(spare[5]) - AT(b21);
    }
  }
  return division;
}

/// Adds the seven products up to the result and releases the level's memory.
static void combine(int64_t half, const struct division* division) {
  const struct product* const p = division->products;
  for (int64_t row = 0; row < half; row++) {
    for (int64_t column = 0; column < half; column++) {
      const double p1 = AT(p[0].result), p3 = AT(p[2].result), p4 = AT(p[3].result), p5 = AT(p[4].result);
      const double u2 = p1 + AT(p[5].result), u3 = u2 + AT(p[6].result);
      AT(p[1].result) += p1;
      AT(p[2].result) = u2 + p5 + p3;
      AT(p[3].result) = u3 - p4;
      AT(p[4].result) = u3 + p5;
    }
  }
  free(division->memory);
}

/// One addition, for the versions that make a task of each. The result may be one of the operands.
static void add(int64_t size, const struct sum* sum) {
  for (int64_t row = 0; row < size; row++)
    for (int64_t column = 0; column < size; column++) AT(sum->result) = AT(sum->left) + sum->sign * AT(sum->right);
}

#undef AT

/// What divide() forms, one block at a time, in an order in which it can be formed.
static void list_operands(int64_t half, const struct product* whole, const struct product* p,
                          struct sum operands[OPERANDS]) {
  const struct block a11 = quarter(whole->left, half, 0, 0), a12 = quarter(whole->left, half, 0, 1);
  const struct block a21 = quarter(whole->left, half, 1, 0), a22 = quarter(whole->left, half, 1, 1);
  const struct block b11 = quarter(whole->right, half, 0, 0), b12 = quarter(whole->right, half, 0, 1);
  const struct block b21 = quarter(whole->right, half, 1, 0), b22 = quarter(whole->right, half, 1, 1);
  operands[0] = (struct sum){p[4].left, a21, a22, 1};
  operands[1] = (struct sum){p[5].left, p[4].left, a11, -1};
  operands[2] = (struct sum){p[6].left, a11, a21, -1};
  operands[3] = (struct sum){p[2].left, a12, p[5].left, -1};
  operands[4] = (struct sum){p[4].right, b12, b11, -1};
  operands[5] = (struct sum){p[5].right, b22, p[4].right, -1};
  operands[6] = (struct sum){p[6].right, b22, b12, -1};
  operands[7] = (struct sum){p[3].right, p[5].right, b21, -1};
}

/// What combine() adds, in place: U2 and U3 replace P6 and P7. The order matters, C22 being P5 until the end.
static void list_results(const struct product* p, struct sum results[RESULTS]) {
  const struct block c11 = p[1].result, c12 = p[2].result, c21 = p[3].result, c22 = p[4].result;
  const struct block p1 = p[0].result, u2 = p[5].result, u3 = p[6].result;
  results[0] = (struct sum){u2, u2, p1, 1};
  results[1] = (struct sum){u3, u3, u2, 1};
  results[2] = (struct sum){c11, c11, p1, 1};
  results[3] = (struct sum){c12, c12, u2, 1};
  results[4] = (struct sum){c12, c12, c22, 1};
  results[5] = (struct sum){c21, u3, c21, -1};
  results[6] = (struct sum){c22, c22, u3, 1};
}

static void multiply_serial(int64_t size, const struct product* product) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  const struct division division = divide(size / 2, product);
  for (int i = 0; i < PRODUCTS; i++) multiply_serial(size / 2, &division.products[i]);
  combine(size / 2, &division);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "strassen_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "strassen_tasks.h"

static void run_serial(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  multiply_serial(matrix_size, &whole);
}

/// A whole number from -bound to bound; the sequence is the same in every run (a 64-bit linear congruential generator).
static double next_random(uint64_t* state, int64_t bound) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)((int64_t)((*state >> 33) % (uint64_t)(2 * bound + 1)) - bound);
}

/// Entries are whole numbers from -8 to 8. Then no operation of the recursion rounds. A level makes operands of at most
/// four entries, so after k levels they are at most 8 * 4^k. A product then has at most 64 * 16^k * n / 2^k, and a sum
/// of it at most four such terms. With n = 8192 and leaves of 8 (ten levels) that is at most 2^51, and doubles hold
/// whole numbers exactly up to 2^53.
static void prepare(void) {
  if (matrix_a.at == NULL) {
    const uint64_t bytes = (uint64_t)(matrix_size * matrix_size) * sizeof(double);
    matrix_a = (struct block){allocate_or_exit(bytes), matrix_size};
    matrix_b = (struct block){allocate_or_exit(bytes), matrix_size};
    matrix_c = (struct block){allocate_or_exit(bytes), matrix_size};
  }
  uint64_t state = 1;
  for (int64_t i = 0; i < matrix_size * matrix_size; i++) {
    matrix_a.at[i] = next_random(&state, 8);
    matrix_b.at[i] = next_random(&state, 8);
    matrix_c.at[i] = -1; // a block that no task writes must not look right
  }
}

/// result = matrix * vector
static void apply(struct block matrix, const double* vector, double* result) {
  for (int64_t row = 0; row < matrix_size; row++) {
    double sum = 0;
    for (int64_t column = 0; column < matrix_size; column++)
      sum += matrix.at[row * matrix.stride + column] * vector[column];
    result[row] = sum;
  }
}

/// Freivalds' check, exact since nothing rounds: A * (B * x) == C * x for four random x. A wrong C passes by chance
/// with a probability of at most 2^-32.
static enum verification verify(void) {
  const uint64_t bytes = (uint64_t)matrix_size * sizeof(double);
  double* const x = allocate_or_exit(bytes);
  double* const bx = allocate_or_exit(bytes);
  double* const abx = allocate_or_exit(bytes);
  double* const cx = allocate_or_exit(bytes);
  enum verification outcome = VERIFICATION_SUCCESSFUL;
  uint64_t state = 2;
  for (int trial = 0; trial < 4; trial++) {
    for (int64_t i = 0; i < matrix_size; i++) x[i] = next_random(&state, 128);
    apply(matrix_b, x, bx);
    apply(matrix_a, bx, abx);
    apply(matrix_c, x, cx);
    for (int64_t i = 0; i < matrix_size; i++)
      if (!(abx[i] == cx[i])) outcome = VERIFICATION_UNSUCCESSFUL;
  }
  free(x);
  free(bx);
  free(abx);
  free(cx);
  return outcome;
}

static const char* complaint(void) {
  if ((matrix_size & (matrix_size - 1)) != 0) return "-n must be a power of two";
  return NULL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "rows of the matrices, a power of two", &matrix_size, 8, 8192},
      {'y', "blocks up to this size are multiplied plainly", &leaf_size, 8, 8192},
      {'x', "depth from which no tasks are made, for -if, -final, -manual", &cutoff, 0, 64},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {"tied-depend", run_depend_tied},
      {"untied-depend", run_depend_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-strassen",
      .summary = "matrix multiplication by Strassen's recursion, seven tasks a level",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(matrix_a.at);
  free(matrix_b.at);
  free(matrix_c.at);
  return status;
}
