// Implementation of sha1.h: one block, all 80 rounds written out by macros. With the message length known, nine of the
// sixteen message words are constants, which the compiler folds into the rounds. Invariant: the five macro arguments
// a..e rotate through the same five variables, so no round moves one. A file of its own, so that the compiler sees no
// loop-invariant work in the caller's repetitions (option -g of uts).
#include "sha1.h"

static inline uint32_t rotate_left(uint32_t word, int bits) { return (word << bits) | (word >> (32 - bits)); }

#define CHOOSE(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define PARITY(b, c, d) ((b) ^ (c) ^ (d))
// The two terms have no bit in common, so they may be added one after the other: a shorter chain than with "or".
#define MAJORITY(b, c, d) (((b) & (c)) + ((d) & ((b) ^ (c))))

// Message word t from t = 16 on, computed in place in a window of sixteen.
#define SCHEDULE(t)                                                                                                    \
  (w[(t) & 15] = rotate_left(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t) & 15], 1))
#define MESSAGE(t) ((t) < 16 ? w[(t) & 15] : SCHEDULE(t))

#define ROUND(mix, constant, t, a, b, c, d, e)                                                                         \
  e += (constant) + MESSAGE(t);                                                                                        \
  e += mix(b, c, d) + rotate_left(a, 5);                                                                               \
  b = rotate_left(b, 30)
#define FIVE_ROUNDS(mix, constant, t)                                                                                  \
  ROUND(mix, constant, (t), a, b, c, d, e);                                                                            \
  ROUND(mix, constant, (t) + 1, e, a, b, c, d);                                                                        \
  ROUND(mix, constant, (t) + 2, d, e, a, b, c);                                                                        \
  ROUND(mix, constant, (t) + 3, c, d, e, a, b);                                                                        \
  ROUND(mix, constant, (t) + 4, b, c, d, e, a)
#define TWENTY_ROUNDS(mix, constant, t)                                                                                \
  FIVE_ROUNDS(mix, constant, (t));                                                                                     \
  FIVE_ROUNDS(mix, constant, (t) + 5);                                                                                 \
  FIVE_ROUNDS(mix, constant, (t) + 10);                                                                                \
  FIVE_ROUNDS(mix, constant, (t) + 15)

/// The digest of one padded block; `w` is used up. Inlined into both callers by force: left to itself the compiler
/// shares one copy, the constant words are not folded, and a hash takes 69 ns instead of 65.
__attribute__((always_inline)) static inline void digest_block(uint32_t w[16], uint32_t digest[SHA1_WORDS]) {
  static const uint32_t initial[SHA1_WORDS] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  uint32_t a = initial[0], b = initial[1], c = initial[2], d = initial[3], e = initial[4];
  TWENTY_ROUNDS(CHOOSE, 0x5a827999u, 0);
  TWENTY_ROUNDS(PARITY, 0x6ed9eba1u, 20);
  TWENTY_ROUNDS(MAJORITY, 0x8f1bbcdcu, 40);
  TWENTY_ROUNDS(PARITY, 0xca62c1d6u, 60);
  digest[0] = initial[0] + a;
  digest[1] = initial[1] + b;
  digest[2] = initial[2] + c;
  digest[3] = initial[3] + d;
  digest[4] = initial[4] + e;
}

// Padding: a one bit after the message, and its length in bits in the last word.

void sha1_of_seed(uint32_t seed, uint32_t digest[SHA1_WORDS]) {
  uint32_t w[16] = {[4] = seed, [5] = 0x80000000u, [15] = 20 * 8};
  digest_block(w, digest);
}

void sha1_of_child(const uint32_t parent[SHA1_WORDS], uint32_t index, uint32_t digest[SHA1_WORDS]) {
  uint32_t w[16] = {parent[0], parent[1], parent[2], parent[3], parent[4], index, 0x80000000u, [15] = 24 * 8};
  digest_block(w, digest);
}
