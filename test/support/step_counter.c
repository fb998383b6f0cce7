// Executes a program instruction by instruction between two `int3` of its main thread, and looks at every instruction
// before it is executed: which lie in the given library, which of those are locked, fences or system calls, and how
// many lie neither in the library nor in the program (malloc, a C library call).
//
//   step_counter none|some LIBRARY PROGRAM [ARGUMENTS…]
//
// Status 0 if the marked stretch entered the library and had none (or some) of them. x86-64 only. Other threads run
// free.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct range {
  uint64_t low, high, file_offset;
};

enum { kMostRanges = 16, kLongest = 15, kMostPrinted = 20 };
static struct range library[kMostRanges], program[kMostRanges];
static int library_ranges, program_ranges;
static long in_library, in_program, elsewhere, synchronising;

static _Noreturn void die(const char* what) {
  fprintf(stderr, "step_counter: %s: %s\n", what, strerror(errno));
  exit(2);
}

// The executable mappings of a file.
static int find_ranges(pid_t child, const char* file, struct range* ranges) {
  char path[64], wanted[4096], line[4400], name[4096];
  int count = 0;
  if (!realpath(file, wanted)) die(file);
  snprintf(path, sizeof path, "/proc/%d/maps", child);
  FILE* maps = fopen(path, "r");
  if (!maps) die(path);
  while (fgets(line, sizeof line, maps) && count < kMostRanges) {
    unsigned long low, high, offset;
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &low, &high, rights, &offset, name) == 5 &&
        rights[2] == 'x' && strcmp(name, wanted) == 0)
      ranges[count++] = (struct range){low, high, offset};
  }
  fclose(maps);
  return count;
}

static const struct range* range_of(const struct range* ranges, int count, uint64_t address) {
  for (int i = 0; i < count; i++)
    if (address >= ranges[i].low && address < ranges[i].high) return &ranges[i];
  return 0;
}

// What the instruction is called if it synchronises or leaves for the kernel, else null.
static const char* synchronising_name(const unsigned char* code) {
  int at = 0, repeat = 0, operand_size = 0;
  for (;; at++) {
    if (code[at] == 0xF0) return "lock prefix";
    if (code[at] == 0xF2 || code[at] == 0xF3)
      repeat = 1;
    else if (code[at] == 0x66)
      operand_size = 1;
    else if (!strchr("\x67\x2E\x36\x3E\x26\x64\x65", code[at]) || code[at] == 0)
      break;
  }
  if ((code[at] & 0xF0) == 0x40) at++; // REX
  const unsigned char* opcode = code + at;
  if (opcode[0] == 0x86 || opcode[0] == 0x87) return (opcode[1] & 0xC0) != 0xC0 ? "xchg with memory" : 0;
  if (opcode[0] == 0xCD) return "int";
  if (opcode[0] != 0x0F) return 0;
  if (opcode[1] == 0x05 || opcode[1] == 0x34) return "system call";
  if (opcode[1] == 0xA2) return "cpuid";
  if (opcode[1] == 0xAE && (opcode[2] & 0xC0) == 0xC0 && !repeat && !operand_size) return "fence";
  return 0;
}

static void wait_for_trap(pid_t child) {
  int status;
  for (;;) {
    if (waitpid(child, &status, 0) < 0) die("waitpid");
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      fprintf(stderr, "step_counter: the program ended before its second mark, status 0x%x\n", status);
      exit(2);
    }
    if (WSTOPSIG(status) == SIGTRAP) return;
    if (ptrace(PTRACE_CONT, child, 0, (void*)(long)WSTOPSIG(status)) < 0) die("PTRACE_CONT");
  }
}

static void look_at(const unsigned char* code, uint64_t address) {
  const struct range* range = range_of(library, library_ranges, address);
  if (!range) {
    if (range_of(program, program_ranges, address))
      in_program++;
    else if (elsewhere++ < kMostPrinted)
      printf("neither in the library nor in the program: %#lx\n", (long)address);
    return;
  }
  in_library++;
  const char* name = synchronising_name(code);
  if (name && synchronising++ < kMostPrinted)
    printf("%s at %#lx of the library's file\n", name, (long)(address - range->low + range->file_offset));
}

static void step_to_second_mark(pid_t child) {
  for (;;) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, child, 0, &registers) < 0) die("PTRACE_GETREGS");
    unsigned char code[kLongest + 1] = {0};
    struct iovec local = {code, kLongest}, remote = {(void*)registers.rip, kLongest};
    if (process_vm_readv(child, &local, 1, &remote, 1, 0) <= 0) die("process_vm_readv");
    if (code[0] == 0xCC) return;
    look_at(code, registers.rip);
    if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) < 0) die("PTRACE_SINGLESTEP");
    wait_for_trap(child);
  }
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: step_counter none|some LIBRARY PROGRAM [ARGUMENTS...]\n");
    return 2;
  }
  pid_t child = fork();
  if (child < 0) die("fork");
  if (child == 0) {
    setenv("LD_BIND_NOW", "1", 1); // the loader's work at a function's first call is not the library's
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) die("PTRACE_TRACEME");
    execv(argv[3], argv + 3);
    die(argv[3]);
  }
  wait_for_trap(child); // exec
  if (ptrace(PTRACE_SETOPTIONS, child, 0, (void*)(long)PTRACE_O_EXITKILL) < 0) die("PTRACE_SETOPTIONS");
  if (ptrace(PTRACE_CONT, child, 0, 0) < 0) die("PTRACE_CONT");
  wait_for_trap(child); // the first mark
  library_ranges = find_ranges(child, argv[2], library);
  program_ranges = find_ranges(child, argv[3], program);
  step_to_second_mark(child);

  printf("%ld instructions in the library, %ld of them synchronise; %ld in the program, %ld elsewhere\n", in_library,
         synchronising, in_program, elsewhere);
  if (ptrace(PTRACE_DETACH, child, 0, 0) < 0) die("PTRACE_DETACH");
  int status;
  if (waitpid(child, &status, 0) < 0) die("waitpid");
  // The second mark, executed without a tracer, ends the program.
  if (in_library == 0) return 1;
  return strcmp(argv[1], "none") == 0 ? synchronising + elsewhere != 0 : synchronising == 0;
}
