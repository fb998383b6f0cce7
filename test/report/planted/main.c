// planted NAME runs the program of that name.
#include "planted.h"

static struct {
  const char* name;
  void (*run)(void);
} programs[64];
static int count;

void add_program(const char* name, void (*run)(void)) {
  programs[count].name = name;
  programs[count++].run = run;
}

int main(int words, char** word) {
  for (int i = 0; words > 1 && i < count; ++i)
    if (strcmp(word[1], programs[i].name) == 0) return programs[i].run(), 0;
  fprintf(stderr, "which program?\n");
  return 1;
}
