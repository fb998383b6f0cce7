// Found before libgomp's own header of that name: the same three functions, by calls that the machine answers.
#pragma GCC visibility push(default)
#include <sys/syscall.h>
extern long syscall(long number, ...);
extern void chomp_virtual_pause(void);
#pragma GCC visibility pop

static inline void futex_wait(int* word, int value) {
  syscall(SYS_futex, word, gomp_futex_wait, value, (void*)0, (void*)0, 0);
}
static inline void futex_wake(int* word, int count) {
  syscall(SYS_futex, word, gomp_futex_wake, count, (void*)0, (void*)0, 0);
}
static inline void cpu_relax(void) { chomp_virtual_pause(); }
