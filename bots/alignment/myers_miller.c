// Implementation of myers_miller.h, after Myers and Miller 1988. The words describe editing that turns the first
// sequence into the second: a residue is replaced (perhaps by itself), deleted from the first, or inserted from the
// second. Invariant: what has been written to the path is the best alignment of the residues before its two positions.
#include "alignment/myers_miller.h"

#include "alignment/substitution.h"
#include "common/report.h"

#include <stdbool.h>
#include <stdlib.h>

enum edit { NO_EDIT, REPLACE, DELETE, INSERT };

/// The alignment so far, of which only the sums are kept.
struct path {
  const signed char *first, *second; // what comes next in each sequence
  enum edit last;
  struct alignment sums;
};

/// Best scores of aligning some rows (residues of the first sequence) with j residues of the second, for every j.
struct scores {
  int32_t* any;      // of all alignments
  int32_t* deletion; // of those that end with a deletion
};

struct search {
  struct path path;
  struct scores front, back;
};

/// A piece of the problem. The opening price of a gap that touches the first or last row of `first` depends on what
/// stands there: nothing if a gap that has been paid for goes on.
struct piece {
  const signed char *first, *second;
  int64_t first_length, second_length;
  int32_t front_opening, back_opening;
};

static int32_t larger(int32_t left, int32_t right) { return left > right ? left : right; }

static int32_t smaller(int32_t left, int32_t right) { return left < right ? left : right; }

static int32_t gap_cost(int64_t length) { return length == 0 ? 0 : GAP_OPENING + (int32_t)length * GAP_EXTENSION; }

static void write_gap(struct path* path, enum edit edit, int64_t length) {
  if (length == 0) return;
  path->sums.score -= path->last == edit ? length * GAP_EXTENSION : gap_cost(length);
  path->sums.columns += length;
  path->last = edit;
  if (edit == DELETE) {
    path->first += length;
  } else {
    path->second += length;
  }
}

static void write_replacement(struct path* path) {
  path->sums.score += substitution_scores[*path->first][*path->second];
  path->sums.columns++;
  path->sums.identities += *path->first == *path->second;
  path->last = REPLACE;
  path->first++;
  path->second++;
}

/// Scores of `rows` residues of the first sequence against all lengths of the second, read onwards (step 1) or
/// backwards (step -1) from the given residues. `opening` is the price of a gap before the first row.
static void score_rows(const signed char* first, int64_t rows, const signed char* second, int64_t columns, int step,
                       int32_t opening, struct scores scores) {
  int32_t* restrict const any = scores.any;
  int32_t* restrict const deletion = scores.deletion;
  any[0] = 0;
  for (int64_t column = 1; column <= columns; column++) {
    any[column] = -gap_cost(column);
    deletion[column] = any[column] - GAP_OPENING;
  }
  int32_t border = -opening;
  for (int64_t row = 0; row < rows; row++) {
    const signed char* const similar = substitution_scores[first[row * step]];
    int32_t diagonal = any[0];
    border -= GAP_EXTENSION;
    any[0] = border;
    int32_t left = border, insertion = border - GAP_OPENING;
    for (int64_t column = 1; column <= columns; column++) {
      insertion = larger(insertion, left - GAP_OPENING) - GAP_EXTENSION;
      deletion[column] = larger(deletion[column], any[column] - GAP_OPENING) - GAP_EXTENSION;
      left = larger(insertion, larger(deletion[column], diagonal + similar[second[(column - 1) * step]]));
      diagonal = any[column];
      any[column] = left;
    }
  }
  deletion[0] = any[0];
}

/// A piece of a single row: its residue replaces one of the second sequence, or is deleted at the cheaper end.
static void align_row(struct path* path, const struct piece* piece) {
  const int64_t columns = piece->second_length;
  int32_t best = -gap_cost(columns) - smaller(piece->front_opening, piece->back_opening) - GAP_EXTENSION;
  int64_t partner = -1;
  for (int64_t column = 0; column < columns; column++) {
    const int32_t score =
        substitution_scores[*piece->first][piece->second[column]] - gap_cost(column) - gap_cost(columns - 1 - column);
    if (score <= best) continue;
    best = score;
    partner = column;
  }
  if (partner >= 0) {
    write_gap(path, INSERT, partner);
    write_replacement(path);
    write_gap(path, INSERT, columns - 1 - partner);
  } else if (piece->front_opening <= piece->back_opening) {
    write_gap(path, DELETE, 1);
    write_gap(path, INSERT, columns);
  } else {
    write_gap(path, INSERT, columns);
    write_gap(path, DELETE, 1);
  }
}

/// Where a best alignment crosses the middle row: at which residue of the second sequence, and whether inside a
/// deletion.
static int64_t find_crossing(const struct search* search, int64_t columns, bool* in_deletion) {
  const struct scores *front = &search->front, *back = &search->back;
  int64_t crossing = 0;
  int32_t best = INT32_MIN;
  for (int64_t column = 0; column <= columns; column++) {
    const int32_t apart = front->any[column] + back->any[columns - column];
    // Both halves have paid for opening the one deletion.
    const int32_t joined = front->deletion[column] + back->deletion[columns - column] + GAP_OPENING;
    if (larger(apart, joined) <= best) continue;
    best = larger(apart, joined);
    crossing = column;
    *in_deletion = joined > apart;
  }
  return crossing;
}

/// Scores the upper half downwards and the lower half upwards, which finds the crossing of the middle row, then aligns
/// what lies before the crossing and what lies behind it. The areas shrink by half each time: twice the work of scoring
/// alone.
static void align_piece(struct search* search, struct piece piece) {
  const int64_t rows = piece.first_length, columns = piece.second_length;
  if (rows == 0 || columns == 0) {
    write_gap(&search->path, INSERT, columns);
    write_gap(&search->path, DELETE, rows);
    return;
  }
  if (rows == 1) {
    align_row(&search->path, &piece);
    return;
  }
  const int64_t middle = rows / 2;
  score_rows(piece.first, middle, piece.second, columns, 1, piece.front_opening, search->front);
  score_rows(piece.first + rows - 1, rows - middle, piece.second + columns - 1, columns, -1, piece.back_opening,
             search->back);
  bool in_deletion = false;
  const int64_t crossing = find_crossing(search, columns, &in_deletion);

  // A deletion that crosses takes the rows beside the middle with it; the pieces may prolong it free of opening.
  const int64_t taken = in_deletion ? 1 : 0;
  const int32_t opening = in_deletion ? 0 : GAP_OPENING;
  align_piece(search, (struct piece){.first = piece.first,
                                     .second = piece.second,
                                     .first_length = middle - taken,
                                     .second_length = crossing,
                                     .front_opening = piece.front_opening,
                                     .back_opening = opening});
  write_gap(&search->path, DELETE, 2 * taken);
  align_piece(search, (struct piece){.first = piece.first + middle + taken,
                                     .second = piece.second + crossing,
                                     .first_length = rows - middle - taken,
                                     .second_length = columns - crossing,
                                     .front_opening = opening,
                                     .back_opening = piece.back_opening});
}

struct alignment align(const struct sequence* first, const struct sequence* second) {
  const int64_t entries = second->length + 1;
  int32_t* const memory = allocate_or_exit(4 * (uint64_t)entries * sizeof *memory);
  struct search search = {
      .path = {.first = first->residues, .second = second->residues, .last = NO_EDIT},
      .front = {memory, memory + entries},
      .back = {memory + 2 * entries, memory + 3 * entries},
  };
  align_piece(&search, (struct piece){.first = first->residues,
                                      .second = second->residues,
                                      .first_length = first->length,
                                      .second_length = second->length,
                                      .front_opening = GAP_OPENING,
                                      .back_opening = GAP_OPENING});
  free(memory);
  return search.path.sums;
}
