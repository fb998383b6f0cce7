// bots-sort: sorts a random permutation by mergesort with a parallel merge ("cilksort"). ../README.md has the
// publications; the tasks are in sort_tasks.h, the serial pieces they end in are here. Invariant: tasks that may run at
// the same time write disjoint ranges of `numbers` and `scratch`.
#include "common/benchmark.h"
#include "common/random.h"

#include <stdlib.h>
#include <string.h>

typedef int32_t number;

static int64_t count = 8 * 1024 * 1024;
static int64_t merge_cutoff = 2048;
static int64_t quicksort_cutoff = 2048;
static int64_t insertion_cutoff = 20;

static number* numbers;
static number* scratch;

static void swap(number* left, number* right) {
  const number kept = *left;
  *left = *right;
  *right = kept;
}

static void insertion_sort(number* first, int64_t size) {
  for (int64_t i = 1; i < size; i++) {
    const number inserted = first[i];
    int64_t hole = i;
    for (; hole > 0 && first[hole - 1] > inserted; hole--) first[hole] = first[hole - 1];
    first[hole] = inserted;
  }
}

static number median_of_three(number a, number b, number c) {
  if (a < b) return b < c ? b : (a < c ? c : a);
  return a < c ? a : (b < c ? c : b);
}

/// Hoare's partition: returns k, 0 < k < size, with first[0..k) <= first[k..size). Needs two elements.
static int64_t partition(number* first, int64_t size) {
  // Never the last element: if it alone were the pivot and the greatest, the upper side would be empty.
  const number pivot = median_of_three(first[0], first[(size - 1) / 2], first[size - 2]);
  int64_t left = -1, right = size;
  for (;;) {
    do left++;
    while (first[left] < pivot);
    do right--;
    while (first[right] > pivot);
    if (left >= right) return right + 1;
    swap(&first[left], &first[right]);
  }
}

/// Recurses into the smaller side only, so the depth of the stack stays logarithmic whatever the input.
static void quicksort(number* first, int64_t size) {
  while (size > insertion_cutoff) {
    const int64_t split = partition(first, size);
    if (split < size - split) {
      quicksort(first, split);
      first += split;
      size -= split;
    } else {
      quicksort(first + split, size - split);
      size = split;
    }
  }
  insertion_sort(first, size);
}

static void merge_serial(const number* left, int64_t left_size, const number* right, int64_t right_size,
                         number* target) {
  const number* const left_end = left + left_size;
  const number* const right_end = right + right_size;
  while (left < left_end && right < right_end) *target++ = *left <= *right ? *left++ : *right++;
  memcpy(target, left, (size_t)(left_end - left) * sizeof *left);
  memcpy(target + (left_end - left), right, (size_t)(right_end - right) * sizeof *right);
}

/// How many elements of a sorted range are smaller than `bound`.
static int64_t count_below(const number* sorted, int64_t size, number bound) {
  int64_t low = 0, high = size;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sorted[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// How a merge of two sorted ranges falls into two independent merges (Akl and Santoro): the longer range, called
/// `left` from here on, is halved, the other divided where the halving element belongs.
struct merge {
  const number *left, *right;
  int64_t left_size, right_size;
  number* target;
};

static void divide_merge(const struct merge* whole, struct merge* low, struct merge* high) {
  const bool exchange = whole->left_size < whole->right_size;
  const number* const longer = exchange ? whole->right : whole->left;
  const number* const shorter = exchange ? whole->left : whole->right;
  const int64_t longer_size = exchange ? whole->right_size : whole->left_size;
  const int64_t shorter_size = exchange ? whole->left_size : whole->right_size;
  const int64_t middle = longer_size / 2;
  const int64_t below = count_below(shorter, shorter_size, longer[middle]);
  *low = (struct merge){longer, shorter, middle, below, whole->target};
  *high = (struct merge){longer + middle, shorter + below, longer_size - middle, shorter_size - below,
                         whole->target + middle + below};
}

/// The serial version of the same algorithm: quarters, two merges into the scratch space, one back.
static void sort_serial(number* first, number* space, int64_t size) {
  if (size < quicksort_cutoff) {
    quicksort(first, size);
    return;
  }
  const int64_t quarter = size / 4;
  for (int64_t i = 0; i < 4; i++)
    sort_serial(first + i * quarter, space + i * quarter, i < 3 ? quarter : size - 3 * quarter);
  merge_serial(first, quarter, first + quarter, quarter, space);
  merge_serial(first + 2 * quarter, quarter, first + 3 * quarter, size - 3 * quarter, space + 2 * quarter);
  merge_serial(space, 2 * quarter, space + 2 * quarter, size - 2 * quarter, first);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "sort_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "sort_tasks.h"

static void run_serial(void) { sort_serial(numbers, scratch, count); }

/// The permutation of 0 .. count-1 that the same seed always gives (Fisher-Yates, SplitMix64).
static void prepare(void) {
  if (numbers == NULL) {
    numbers = allocate_or_exit((uint64_t)count * sizeof *numbers);
    scratch = allocate_or_exit((uint64_t)count * sizeof *scratch);
    memset(scratch, 0, (size_t)count * sizeof *scratch); // first touch is not part of the sort
  }
  for (int64_t i = 0; i < count; i++) numbers[i] = (number)i;
  uint64_t state = 1;
  for (int64_t i = count - 1; i > 0; i--) swap(&numbers[i], &numbers[random_below(&state, i + 1)]);
}

/// The input is a permutation of 0 .. count-1, so the sorted array is known: this checks order and permutation at once.
static enum verification verify(void) {
  for (int64_t i = 0; i < count; i++)
    if (numbers[i] != i) return VERIFICATION_UNSUCCESSFUL;
  return VERIFICATION_SUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "how many numbers", &count, 1, INT32_MAX},
      {'y', "ranges shorter than this are merged serially", &merge_cutoff, 4, INT32_MAX},
      {'a', "ranges shorter than this are sorted by quicksort", &quicksort_cutoff, 4, INT32_MAX},
      {'b', "ranges up to this are sorted by insertion", &insertion_cutoff, 3, INT32_MAX},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"tied", run_tied}, {"untied", run_untied}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "bots-sort",
      .summary = "mergesort with a parallel merge, a task for every piece above the cut-off sizes",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(numbers);
  free(scratch);
  return status;
}
