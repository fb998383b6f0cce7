// omp_target_* without devices: memory is the host's, copies of blocks and boxes are exact, other devices are refused.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %chomp-run %t && %chomp-preload %t
#include "support/check.h"
#include <limits.h>
#include <omp.h>

int main(void) {
  int host = omp_get_initial_device();
  CHECK_EQ(omp_get_num_devices(), 0);
  char* block = omp_target_alloc(1000, host);
  CHECK(block != 0 && omp_target_is_present(block, host));
  CHECK(!omp_target_is_present(0, host));
  for (int i = 0; i < 500; i++) block[i] = (char)i;
  CHECK_EQ(omp_target_memcpy(block, block, 100, 600, 50, host, host), 0);
  for (int i = 0; i < 100; i++) CHECK_EQ(block[600 + i], (char)(50 + i));
  omp_target_free(block, host);
  omp_target_free(0, host);

  int from[4][5][6], to[3][7][8] = {{{0}}};
  for (int i = 0; i < 4 * 5 * 6; i++) from[i / 30][i / 6 % 5][i % 6] = i + 1;
  size_t volume[] = {2, 3, 4}, to_offsets[] = {1, 2, 3}, from_offsets[] = {2, 1, 0};
  size_t to_dimensions[] = {3, 7, 8}, from_dimensions[] = {4, 5, 6};
  CHECK_EQ(omp_target_memcpy_rect(to, from, sizeof(int), 3, volume, to_offsets, from_offsets, to_dimensions,
                                  from_dimensions, host, host),
           0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 8; k++) {
        int inside = i >= 1 && j >= 2 && j < 5 && k >= 3 && k < 7;
        CHECK_EQ(to[i][j][k], inside ? from[i + 1][j - 1][k - 3] : 0);
      }
  CHECK(omp_target_memcpy_rect(0, 0, 1, 1, 0, 0, 0, 0, 0, host, host) >= 3);
  CHECK(omp_target_associate_ptr(from, to, 8, 0, host) != 0);
  CHECK(omp_target_disassociate_ptr(from, host) != 0);
  return 0;
}
