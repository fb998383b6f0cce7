// Best global alignments of two proteins, with affine gaps, in memory linear in their lengths. Called by tasks: all
// state is the call's own.
#ifndef BENCHMARKS_ALIGNMENT_MYERS_MILLER_H
#define BENCHMARKS_ALIGNMENT_MYERS_MILLER_H

#include <stdint.h>

struct sequence {
  signed char* residues; // indices into substitution_scores
  int64_t length;
};

struct alignment {
  int64_t score;
  int64_t columns;    // pairs of residues, and residues beside a gap
  int64_t identities; // pairs of equal residues
};

/// Finds one alignment of the highest score. The score is summed over the alignment's columns, not taken from the
/// search.
struct alignment align(const struct sequence* first, const struct sequence* second);

#endif
