// A report of memory of the heap says where the program has allocated it, by whichever function.
// RUN: %chomp-cc -D_GNU_SOURCE %s -o %t
// RUN: sh -c 'for i in 0 1 2 3 4 5 6; do %chomp-explore %t $i 2>&1 | grep "^chomp explore: data race"; done' > %t.said
// RUN: FileCheck %s < %t.said
// CHECK: byte 0 of the 80 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 96 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 112 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 128 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 144 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 8 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
// CHECK-NEXT: byte 0 of the 5 that were allocated at where_it_was_allocated.c:[[#@LINE+15]]
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* allocated(int how) {
  void* block = NULL;
  switch (how) {
  case 0: return realloc(malloc(8), 80);
  case 1: return reallocarray(NULL, 12, 8);
  case 2: return memalign(32, 112);
  case 3: return aligned_alloc(64, 128);
  case 4: return posix_memalign(&block, 64, 144) == 0 ? block : NULL;
  case 5: return strdup("seven..");
  default: return strndup("four....", 4);
  }
}

int main(int count, char** arguments) {
  char* block = allocated(count > 1 ? atoi(arguments[1]) : 0);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    block[0] = 1;
#pragma omp task
    block[0] = 2;
  }
  free(block);
  puts("done");
}
