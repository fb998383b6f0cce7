// What statements of Fortran read and write where gfortran calls its library: print, write and read, texts, copies of
// arrays that are not contiguous, products of matrices, random numbers.
#include <stddef.h>
#include <stdint.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/library_calls.h"
#include "tools/shipped/explore/shared_calls.h"

using namespace explore;
using virtual_machine::active;
using virtual_machine::current;

namespace {

/// An array as gfortran describes it (since GCC 8): how far elements are from each other is told in elements of `span`.
struct Array {
  char* first;
  ptrdiff_t offset;
  size_t element_bytes;
  int version;
  signed char rank, type;
  short attribute;
  ptrdiff_t span;
  struct {
    ptrdiff_t stride, lower, upper;
  } dimension[15];
};

void uses_array(const Array* array, bool write, const void* pc) {
  if (!counts(pc) || array == nullptr || array->first == nullptr || array->rank < 0 || array->rank > 15) return;
  ptrdiff_t unit = array->span != 0 ? array->span : static_cast<ptrdiff_t>(array->element_bytes);
  ptrdiff_t index[15] = {};
  for (int i = 0; i < array->rank; ++i)
    if (array->dimension[i].upper < array->dimension[i].lower) return;
  bool rows =
      array->rank > 0 && array->dimension[0].stride == 1 && unit == static_cast<ptrdiff_t>(array->element_bytes);
  size_t bytes = array->element_bytes;
  if (rows) bytes *= static_cast<size_t>(array->dimension[0].upper - array->dimension[0].lower + 1);
  for (;;) {
    char* at = array->first;
    for (int i = 0; i < array->rank; ++i) at += index[i] * array->dimension[i].stride * unit;
    if (bytes != 0) virtual_machine::plain_access(at, bytes, write, pc);
    int i = rows ? 1 : 0;
    for (; i < array->rank; ++i) {
      if (++index[i] <= array->dimension[i].upper - array->dimension[i].lower) break;
      index[i] = 0;
    }
    if (i >= array->rank) return;
  }
}

} // namespace

// ---- print, write, read ---------------------------------------------------------------------------------------------

// What writes may end by a jump to what reads: then that seems to be called by the program.
static int inside[virtual_machine::kMaxFibers];
namespace {
class Inside {
public:
  Inside() : fiber_(active ? current->id : 0), is_first_(inside[fiber_]++ == 0) {}
  ~Inside() { --inside[fiber_]; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  bool is_first() const { return is_first_; }

private:
  int fiber_;
  bool is_first_;
};
} // namespace

namespace {

/// What compiled code says of a statement; the parts that it names of an internal unit, a text or an array of texts.
struct Statement {
  uint32_t flags;
  int32_t unit; // -1: an internal one
  void* words[8];
  const Array* internal_array; // null: one text
  void* format[4];
  char* internal_text;
  size_t internal_length;
};
static_assert(offsetof(Statement, internal_array) == 72 && offsetof(Statement, internal_text) == 112, "x86-64");

void begins(const Statement* statement, bool write, const char* name, const void* pc) {
  constexpr int kInternal = -1;
  if (statement->unit != kInternal) return use_shared(write ? Shared::kOutput : Shared::kInput, name, pc);
  if (statement->internal_array != nullptr) return uses_array(statement->internal_array, write, pc);
  write ? writes(statement->internal_text, statement->internal_length, pc)
        : reads(statement->internal_text, statement->internal_length, pc);
}

} // namespace

TOLD(void, _gfortran_st_write, (Statement * statement), (statement), begins(statement, true, "write", HERE))
TOLD(void, _gfortran_st_read, (Statement * statement), (statement), begins(statement, false, "read", HERE))

#define TRANSFER(name, times, use)                                                                                     \
  EXPORT void _gfortran_transfer_##name(void* statement, void* item, int kind) {                                       \
    NEXT(_gfortran_transfer_##name);                                                                                   \
    Inside inside;                                                                                                     \
    if (inside.is_first()) use(item, static_cast<size_t>(kind) * times, HERE);                                         \
    next(statement, item, kind);                                                                                       \
  }
TRANSFER(integer, 1, writes)
TRANSFER(logical, 1, writes)
TRANSFER(real, 1, writes)
TRANSFER(complex, 2, writes)
TRANSFER(integer_write, 1, reads)
TRANSFER(logical_write, 1, reads)
TRANSFER(real_write, 1, reads)
TRANSFER(complex_write, 2, reads)

#define TRANSFER_TEXT(name, use)                                                                                       \
  EXPORT void _gfortran_transfer_##name(void* statement, void* item, size_t length) {                                  \
    NEXT(_gfortran_transfer_##name);                                                                                   \
    Inside inside;                                                                                                     \
    if (inside.is_first()) use(item, length, HERE);                                                                    \
    next(statement, item, length);                                                                                     \
  }
TRANSFER_TEXT(character, writes)
TRANSFER_TEXT(character_write, reads)

#define TRANSFER_ARRAY(name, write)                                                                                    \
  EXPORT void _gfortran_transfer_##name(void* statement, Array* array, int kind, size_t length) {                      \
    NEXT(_gfortran_transfer_##name);                                                                                   \
    Inside inside;                                                                                                     \
    if (inside.is_first()) uses_array(array, write, HERE);                                                             \
    next(statement, array, kind, length);                                                                              \
  }
TRANSFER_ARRAY(array, true)
TRANSFER_ARRAY(array_write, false)

// ---- Texts ----------------------------------------------------------------------------------------------------------

EXPORT void _gfortran_concat_string(size_t room, char* to, size_t left_length, const char* left, size_t right_length,
                                    const char* right) {
  NEXT(_gfortran_concat_string);
  reads(left, left_length, HERE);
  reads(right, right_length, HERE);
  writes(to, room, HERE);
  next(room, to, left_length, left, right_length, right);
}
EXPORT int _gfortran_compare_string(size_t left_length, const char* left, size_t right_length, const char* right) {
  NEXT(_gfortran_compare_string);
  reads(left, left_length, HERE);
  reads(right, right_length, HERE);
  return next(left_length, left, right_length, right);
}
EXPORT void _gfortran_string_trim(size_t* length, char** to, size_t from_length, const char* from) {
  NEXT(_gfortran_string_trim);
  reads(from, from_length, HERE);
  next(length, to, from_length, from);
}
EXPORT size_t _gfortran_string_len_trim(size_t length, const char* text) {
  NEXT(_gfortran_string_len_trim);
  reads(text, length, HERE);
  return next(length, text);
}
EXPORT size_t _gfortran_string_index(size_t length, const char* text, size_t wanted_length, const char* wanted,
                                     int back) {
  NEXT(_gfortran_string_index);
  reads(text, length, HERE);
  reads(wanted, wanted_length, HERE);
  return next(length, text, wanted_length, wanted, back);
}

// ---- Arrays ---------------------------------------------------------------------------------------------------------

EXPORT void* _gfortran_internal_pack(Array* array) {
  NEXT(_gfortran_internal_pack);
  uses_array(array, false, HERE);
  return next(array);
}
EXPORT void _gfortran_internal_unpack(Array* array, const void* packed) {
  NEXT(_gfortran_internal_unpack);
  if (array->first != packed) uses_array(array, true, HERE);
  next(array, packed);
}
#define PRODUCT(kind)                                                                                                  \
  EXPORT void _gfortran_matmul_##kind(Array* result, Array* left, Array* right, int try_blas, int limit,               \
                                      void (*gemm)()) {                                                                \
    NEXT(_gfortran_matmul_##kind);                                                                                     \
    uses_array(left, false, HERE);                                                                                     \
    uses_array(right, false, HERE);                                                                                    \
    uses_array(result, true, HERE);                                                                                    \
    next(result, left, right, try_blas, limit, gemm);                                                                  \
  }
PRODUCT(i4)
PRODUCT(i8)
PRODUCT(r4)
PRODUCT(r8)
PRODUCT(c4)
PRODUCT(c8)
#define RANDOM(name)                                                                                                   \
  EXPORT void name(Array* array) {                                                                                     \
    NEXT(name);                                                                                                        \
    uses_array(array, true, HERE);                                                                                     \
    next(array);                                                                                                       \
  }
RANDOM(_gfortran_arandom_r4)
RANDOM(_gfortran_arandom_r8)

// ---- By the static chain --------------------------------------------------------------------------------------------

// assembler.sh puts calls of these in front of instructions, with the address in rdi. They change nothing else: flags,
// registers and vectors are what they were.
extern "C" __attribute__((visibility("hidden"), used)) void chomp_explore_access(const void* address, uint64_t what,
                                                                                 const void* pc) {
  constexpr uint64_t kWrite = 256;
  if (active) virtual_machine::plain_access(address, what % kWrite, what >= kWrite, pc);
}
asm(R"(
.macro ACCESS name, bytes, write
  .globl chomp_explore_\name\bytes
  .type chomp_explore_\name\bytes, @function
chomp_explore_\name\bytes:
  pushq $\write * 256 + \bytes
  jmp chomp_explore_keep_all
.endm
.text
.irp bytes, 1, 2, 4, 8, 16
  ACCESS read, \bytes, 0
  ACCESS write, \bytes, 1
.endr
chomp_explore_keep_all:
  pushfq
  .irp register, rax, rcx, rdx, rsi, r8, r9, r10, r11, rbp
    pushq %\register
  .endr
  movq %rsp, %rbp
  subq $4096, %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  .irp at, 512, 520, 528, 536, 544, 552, 560, 568
    movq %rax, \at(%rsp)
  .endr
  xorl %edx, %edx
  movl $0xe7, %eax
  xsave64 (%rsp)
  movq 80(%rbp), %rsi
  movq 88(%rbp), %rdx
  call chomp_explore_access
  xorl %edx, %edx
  movl $0xe7, %eax
  xrstor64 (%rsp)
  movq %rbp, %rsp
  .irp register, rbp, r11, r10, r9, r8, rsi, rdx, rcx, rax
    popq %\register
  .endr
  popfq
  leaq 8(%rsp), %rsp
  ret
)");
