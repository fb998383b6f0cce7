// What functions of libraries read and write is seen, by Clang's code and GCC's. Each number is one call beside a task
// that uses the same memory; number -1 is all of them in turn, on memory of their own, without a fault.
// RUN: %each-call %t %s
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

struct Memory {
  char text[64];
  char other[64];
  int list[16];
  double part;
  int exponent;
  wchar_t wide[16];
};

static int by_number(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static volatile int length = 16; // so that no call becomes code

// What the call returns is of no interest.
static __attribute__((noinline)) long call(int number, struct Memory* m) {
  char buffer[128];
  int bytes = length, value = 0;
  switch (number) {
  case 0: memcpy(m->text, m->other, bytes); return 0;
  case 1: memmove(m->text, m->other, bytes); return 0;
  case 2: memset(m->text, 'b', bytes); return 0;
  case 3: return memcmp(m->text, m->other, bytes);
  case 4: return memchr(m->text, 'z', bytes) != NULL;
  case 5: return (long)strlen(m->text);
  case 6: strcpy(m->text, m->other); return 0;
  case 7: strncpy(m->text, m->other, bytes); return 0;
  case 8: strcat(m->text, "more"); return 0;
  case 9: return strcmp(m->text, m->other);
  case 10: return strncmp(m->text, m->other, bytes);
  case 11: return strchr(m->text, 'z') != NULL;
  case 12: return strrchr(m->text, 'a') != NULL;
  case 13: return strstr(m->text, "zz") != NULL;
  case 14: return (long)strspn(m->text, "abc");
  case 15: return strtol(m->text, NULL, 16);
  case 16: return (long)strtod(m->text, NULL);
  case 17: return atoi(m->text);
  case 18: qsort(m->list, 16, sizeof *m->list, by_number); return 0;
  case 19: return snprintf(m->text, sizeof m->text, "%d and %d", bytes, bytes);
  case 20: return snprintf(buffer, sizeof buffer, "%d %5.2f %s", bytes, 1.5, m->text);
  case 21: return sprintf(buffer, "%.*s|%-8s", 3, m->text, "x");
  case 22: return sscanf("17 text 2.5", "%d %63s %lf", &value, m->text, &m->part);
  case 23: return sscanf(m->text, "%127s", buffer);
  case 24: return strcasecmp(m->text, m->other);
  case 25: wmemcpy(m->wide, L"abcdefghijklmno", bytes); return 0;
  case 26: return (long)modf(bytes + 0.5, &m->part);
  case 27: return (long)frexp(bytes, &m->exponent);
  case 28: {
    char* volatile copy = strdup(m->text);
    free(copy);
    return 0;
  }
  case 29: stpcpy(m->text, m->other); return 0;
  case 30: bzero(m->text, bytes); return 0;
  default: return -1;
  }
}

static void set_up(struct Memory* m) {
  for (int i = 0; i < 16; ++i) m->list[i] = 16 - i, m->text[i] = m->other[i] = 'a', m->wide[i] = 0;
  m->text[16] = m->other[16] = 0;
  m->part = m->exponent = 0;
}

int main(int count, char** arguments) {
  int number = count > 1 ? atoi(arguments[1]) : -1;
  static struct Memory shared, own[64];
  long sum = 0;
  set_up(&shared);
  if (number >= 0) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      sum = call(number, &shared);
#pragma omp section
      {
        if (number == 18)
          shared.list[5] = 3;
        else if (number == 25)
          shared.wide[3] = 'x';
        else if (number == 26 || number == 22)
          shared.part = 3;
        else if (number == 27)
          shared.exponent = 3;
        else
          shared.text[0] = 'a';
      }
    }
    return sum == -1 && number > 30 ? 77 : 0;
  }
  for (int i = 0; i < 64; ++i) set_up(&own[i]);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 31; ++i) {
#pragma omp task firstprivate(i)
    call(i, &own[i]);
  }
  puts("ok");
}
