// Iterations that depend on one another, so that no clause helps.
#include "kinds.h"

enum { kCount = 16 };

PROGRAM(reads_the_next_one) {
  static int a[kCount + 1], b[kCount + 1];
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) FAULT(a) CURE(b)[i] = a[i + 1] + 1;
  return sum_of(b, kCount) + sum_of(a, 1);
}

PROGRAM(reads_the_one_before) {
  static int a[kCount + 1];
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) a[i + 1] = a[i + FAULT(0) CURE(1)] + 1;
  return sum_of(a, kCount + 1);
}

PROGRAM(reads_far_away) {
  static int a[2 * kCount];
  int distance = atoi(FAULT("5") CURE("16"));
#pragma omp parallel for schedule(static, 2)
  for (int i = 0; i < kCount; ++i) a[i] = a[i + distance] + i;
  return sum_of(a, kCount);
}

PROGRAM(writes_by_a_list) {
  static const int to[kCount] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, FAULT(3, 4) CURE(14, 15)};
  static int a[kCount];
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) a[to[i]] += i;
  return sum_of(a, kCount);
}

PROGRAM(two_names_of_one_array) {
  static int room[3 * kCount];
  int *from = room, *to = room + atoi(FAULT("7") CURE("16"));
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < kCount; ++i) to[i] = from[i] + 1;
  return sum_of(to, 1);
}

PROGRAM(shared_along_the_row) {
  static int a[4][kCount];
#pragma omp parallel for
  for (int i = 0; i < 4 FAULT(*0 + 15); ++i)
    for (int j = 0; j < FAULT(4) CURE(15); ++j)
      a[FAULT(j) CURE(i)][1 + FAULT(i) CURE(j)] = a[FAULT(j) CURE(i)][FAULT(i) CURE(j)] + 1;
  return sum_of(a[0], 1);
}

PROGRAM(next_place_of_a_list) {
  static int a[kCount];
  int used = 0;
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    int at;
    CURE(OMP(atomic capture))
    at = used++;
    a[at] = 1;
  }
  return sum_of(a, kCount) > 0;
}

PROGRAM(ends_early_by_a_flag) {
  int found = 0;
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    int known;
    CURE(OMP(atomic read))
    known = found;
    if (!known && i == 11) {
      CURE(OMP(atomic write))
      found = 1;
    }
  }
  return found;
}

PROGRAM(linked_list) {
  struct Node {
    int value;
    struct Node* next;
  } nodes[8];
  for (int i = 0; i < 8; ++i) nodes[i] = (struct Node){i, i < 7 ? &nodes[i + 1] : NULL};
#pragma omp parallel
#pragma omp single
  for (struct Node* node = nodes; node != NULL; node = node->next) {
#pragma omp task firstprivate(node)
    FAULT(if (node->next != NULL) node->next->value += node->value);
    CURE(node->value *= 2);
  }
  return nodes[0].value;
}

PROGRAM(doacross_with_the_wrong_distance) {
  static int a[kCount];
#pragma omp parallel for ordered(1)
  for (int i = 2; i < kCount; ++i) {
#pragma omp ordered depend(sink : i - FAULT(2) CURE(1))
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return sum_of(a, kCount);
}
