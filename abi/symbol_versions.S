// The older versions of names, for programs that were linked against libgomp.so.1: omp_get_num_threads is exported as
// @@VERSION and also as @OMP_1.0. Each line of older_versions.inc, which the build makes from names.def, is one such
// alias: a jump to the default version, or to a function that takes other arguments. Where lld links, the build leaves
// this file out: lld gives the function itself the older name (names.cmake), and a call saves the jump.
//
// Why jumps, in assembly: `.symver` needs a definition in the same object file, and module-level assembly does not work
// with LTO, which may rename or drop what it names. Here the definition is the jump itself, so the C++ side knows nothing
// of versions. Link with -Bsymbolic-functions, so that the jump cannot land in another library's function of that
// name.

#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

        .text

        .macro  OLDER_VERSION target, name, node
        .globl  chomp_\node\()_\name
        .type   chomp_\node\()_\name, %function
chomp_\node\()_\name:
#if defined(__x86_64__)
        _CET_ENDBR
        jmp     \target@PLT
#elif defined(__aarch64__)
        hint    #34             // bti c
        b       \target
#elif defined(__riscv)
        tail    \target
#else
#error "no jump known for this machine"
#endif
        .size   chomp_\node\()_\name, . - chomp_\node\()_\name
        .symver chomp_\node\()_\name, \name@\node
        .endm

#include "abi/older_versions.inc"

        .section .note.GNU-stack, "", %progbits
