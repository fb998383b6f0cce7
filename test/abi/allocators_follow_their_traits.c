// Allocators: alignment, pools and fallbacks; blocks know their allocator; the kmp_malloc family; default allocator.
// RUN: %clang-openmp %s -o %t -lm && %chomp-run %t
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int failures;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s\n", __LINE__, #condition);                                                                   \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define MANY ((size_t)1 << 20)
enum { kHeader = 32 };

static int is_aligned(const void* block, uintptr_t alignment) { return (uintptr_t)block % alignment == 0; }

/// Of GCC's <omp.h>; its blocks are pinned, and where the system refuses, there are none.
#define PINNED ((omp_allocator_handle_t)200)

static omp_allocator_handle_t with_pool(omp_alloctrait_value_t fallback, omp_allocator_handle_t fallback_allocator) {
  omp_alloctrait_t traits[] = {{omp_atk_pool_size, 2 * MANY},
                               {omp_atk_fallback, fallback},
                               {omp_atk_fb_data, (omp_uintptr_t)fallback_allocator},
                               {omp_atk_pinned, omp_atv_false},
                               {omp_atk_partition, omp_atv_nearest}};
  return omp_init_allocator(omp_default_mem_space, 5, traits);
}

/// What of this process is locked in memory.
static long locked_kilobytes(void) {
  char line[256];
  long result = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) sscanf(line, "VmLck: %ld", &result);
  if (status != NULL) fclose(status);
  return result;
}

int main(void) {
  // Alignment: by the call, by the trait, by malloc's own rule.
  omp_alloctrait_t aligned_trait = {omp_atk_alignment, 256};
  omp_allocator_handle_t aligned = omp_init_allocator(omp_large_cap_mem_space, 1, &aligned_trait);
  EXPECT(aligned != omp_null_allocator);
  for (int i = 1; i < 300; i += 7) {
    char* block = omp_alloc(i, aligned);
    EXPECT(is_aligned(block, 256));
    memset(block, i, i);
    block = omp_realloc(block, 2 * i, omp_null_allocator, omp_null_allocator);
    EXPECT(is_aligned(block, 256) && block[0] == (char)i && block[i - 1] == (char)i);
    omp_free(block, omp_null_allocator);
  }
  void* page = omp_aligned_alloc(4096, 10, omp_default_mem_alloc);
  EXPECT(is_aligned(page, 4096));
  omp_free(page, omp_default_mem_alloc);
  void* small = omp_alloc(1, omp_null_allocator);
  EXPECT(is_aligned(small, _Alignof(max_align_t)));
  omp_free(small, omp_null_allocator);
  EXPECT(omp_alloc(0, omp_default_mem_alloc) == NULL);
  EXPECT(omp_alloc(SIZE_MAX - 8, omp_default_mem_alloc) == NULL);
  omp_free(NULL, omp_null_allocator);

  // A trait that makes no sense, and a memory that is not there.
  omp_alloctrait_t odd = {omp_atk_alignment, 24};
  EXPECT(omp_init_allocator(omp_default_mem_space, 1, &odd) == omp_null_allocator);
  EXPECT(omp_init_allocator(omp_high_bw_mem_space, 0, NULL) == omp_null_allocator);

  // A pool of two MiB holds one block of one MiB, not two, for each has a header, as on libomp and libgomp. Two that
  // are shorter by libgomp's header fit, whatever their alignment.
  omp_allocator_handle_t null_fallback = with_pool(omp_atv_null_fb, omp_null_allocator);
  char* first = omp_alloc(MANY, null_fallback);
  EXPECT(first != NULL);
  EXPECT(omp_alloc(MANY, null_fallback) == NULL);
  char* other = omp_aligned_alloc(4096, MANY - 2 * kHeader, null_fallback);
  EXPECT(other != NULL && omp_alloc(1, null_fallback) == NULL);
  omp_free(other, null_fallback);
  omp_free(first, null_fallback);
  first = omp_alloc(MANY, null_fallback);
  EXPECT(first != NULL); // what was freed can be had again

  // A block that grows or shrinks is charged once: the old one's bytes go over to the new one.
  first = omp_realloc(first, MANY + MANY / 2, null_fallback, null_fallback);
  EXPECT(first != NULL);
  memset(first, 1, MANY + MANY / 2);
  EXPECT(omp_realloc(first, 2 * MANY, null_fallback, null_fallback) == NULL); // too much; the old block stays
  EXPECT(first[0] == 1 && omp_alloc(MANY, null_fallback) == NULL);
  first = omp_realloc(first, MANY / 2, omp_null_allocator, omp_null_allocator);
  EXPECT(first != NULL && first[MANY / 2 - 1] == 1);
  char* beside = omp_alloc(MANY, null_fallback); // what it gave back can be had
  EXPECT(beside != NULL);
  omp_free(beside, null_fallback);
  first = omp_realloc(first, MANY, null_fallback, null_fallback);
  EXPECT(first != NULL);
  for (int i = 0; i < 1000; i++) first = omp_realloc(first, MANY + i % 7, null_fallback, null_fallback);
  EXPECT(first != NULL);
  char* elsewhere =
      omp_realloc(omp_alloc(MANY / 2, omp_default_mem_alloc), MANY / 2, null_fallback, omp_null_allocator);
  EXPECT(elsewhere != NULL); // a block of another allocator is charged to the new one
  EXPECT(omp_alloc(MANY, null_fallback) == NULL);
  omp_free(elsewhere, null_fallback);

  omp_allocator_handle_t other_fallback = with_pool(omp_atv_allocator_fb, null_fallback);
  char* second = omp_alloc(MANY, other_fallback);
  char* third = omp_alloc(1000, other_fallback); // still in the pool
  char* fourth = omp_alloc(MANY, other_fallback);
  EXPECT(second && third && fourth == NULL); // the fallback's own pool is full
  omp_free(first, omp_null_allocator);
  fourth = omp_alloc(MANY, other_fallback);
  EXPECT(fourth != NULL);
  EXPECT(omp_alloc(MANY, null_fallback) == NULL); // `fourth` is charged to the allocator that gave it
  omp_free(fourth, other_fallback);
  first = omp_alloc(MANY, null_fallback);
  EXPECT(first != NULL);
  omp_free(first, null_fallback);
  omp_free(second, other_fallback);
  omp_free(third, other_fallback);

  omp_allocator_handle_t default_fallback = with_pool(omp_atv_default_mem_fb, omp_null_allocator);
  second = omp_alloc(4 * MANY, default_fallback);
  EXPECT(second != NULL);
  omp_free(second, default_fallback);

  // Zeroed memory; a product that overflows.
  char* zeros = omp_aligned_calloc(128, 100, 3, omp_default_mem_alloc);
  EXPECT(is_aligned(zeros, 128));
  for (int i = 0; i < 300; i++) EXPECT(zeros[i] == 0);
  omp_free(zeros, omp_default_mem_alloc);
  EXPECT(omp_calloc(SIZE_MAX / 2, 3, omp_default_mem_alloc) == NULL);

  // Pinned memory is locked, whatever becomes of the block; where the system refuses, the fallback has its turn.
  omp_alloctrait_t pinned_traits[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t pinned = omp_init_allocator(omp_default_mem_space, 2, pinned_traits);
  struct rlimit locked, none;
  getrlimit(RLIMIT_MEMLOCK, &locked);
  long before = locked_kilobytes();
  char* held = omp_alloc(10000, pinned);
  if (held != NULL) { // else no memory may be locked here at all
    EXPECT(locked_kilobytes() >= before + 10);
    memset(held, 7, 10000);
    held = omp_realloc(held, 30000, pinned, pinned);
    if (held != NULL) EXPECT(held[9999] == 7 && locked_kilobytes() >= before + 30);
  }
  omp_free(held, pinned);
  EXPECT(locked_kilobytes() == before);
  held = omp_alloc(10000, PINNED);
  EXPECT(held == NULL || locked_kilobytes() >= before + 10);
  omp_free(held, PINNED);
  EXPECT(locked_kilobytes() == before);
  none = locked;
  none.rlim_cur = 0;
  if (setrlimit(RLIMIT_MEMLOCK, &none) == 0 && geteuid() != 0)
    EXPECT(omp_alloc(10000, pinned) == NULL && omp_alloc(10000, PINNED) == NULL);
  setrlimit(RLIMIT_MEMLOCK, &locked);
  omp_destroy_allocator(pinned);
  pinned_traits[0].value = 7;
  EXPECT(omp_init_allocator(omp_default_mem_space, 1, pinned_traits) == omp_null_allocator);

  // The default allocator.
  EXPECT(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_set_default_allocator(aligned);
  EXPECT(omp_get_default_allocator() == aligned);
  small = omp_alloc(1, omp_null_allocator);
  EXPECT(is_aligned(small, 256));
  EXPECT(omp_realloc(small, 0, omp_null_allocator, omp_null_allocator) == NULL);
  omp_set_default_allocator(omp_null_allocator);
  EXPECT(omp_get_default_allocator() == omp_default_mem_alloc);

  omp_destroy_allocator(aligned);
  omp_destroy_allocator(null_fallback);
  omp_destroy_allocator(other_fallback);
  omp_destroy_allocator(default_fallback);
  omp_destroy_allocator(omp_default_mem_alloc);

  void* mine = kmp_aligned_malloc(10, 512);
  EXPECT(is_aligned(mine, 512));
  kmp_free(mine);
  EXPECT(kmp_aligned_malloc(10, 24) == NULL);
  char* grown = kmp_realloc(kmp_calloc(4, 4), 100);
  EXPECT(grown && grown[15] == 0);
  kmp_free(grown);

  printf(failures ? "%d failures\n" : "passed\n", failures);
  return failures != 0;
}
