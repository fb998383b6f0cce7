// SHA-1 (FIPS 180-4) of the only two messages UTS hashes: 20 and 24 bytes, each a single block. Called by tree.c for
// every node. A digest is kept as five 32-bit words; word 0 holds the first four bytes, most significant first, so no
// byte is ever reordered. Functions of their arguments only: any number of threads may call them.
#ifndef UTS_SHA1_H
#define UTS_SHA1_H

#include <stdint.h>

enum { SHA1_WORDS = 5 };

/// The digest of 20 bytes: 16 zeros, then `seed`, most significant byte first.
void sha1_of_seed(uint32_t seed, uint32_t digest[SHA1_WORDS]);

/// The digest of 24 bytes: those of `parent`, then `index`, most significant byte first. `digest` must not be `parent`.
void sha1_of_child(const uint32_t parent[SHA1_WORDS], uint32_t index, uint32_t digest[SHA1_WORDS]);

#endif
