// The options that describe a tree, and the lines that report it: what uts.c and mpi/uts_mpi.c have in common.
#ifndef UTS_OPTIONS_H
#define UTS_OPTIONS_H

#include "common/report.h"
#include "tree.h"

/// For getopt().
#define TREE_OPTIONS "T:t:a:b:d:q:m:r:g:"

/// The lines of -h on TREE_OPTIONS.
void print_tree_help(void);

/// "uts: <what><text>; see -h", and exit.
void fail(const char* what, const char* text);

/// The tree that is searched without any option.
void use_default_tree(void);

/// True if `letter` is one of TREE_OPTIONS; then it has been set in `tree`. `*named` becomes true if it was -T.
bool set_tree_option(int letter, const char* text, bool* named);

/// The parameters of `tree`, as lines of the report; `published` is its entry in the table, or NULL.
void report_tree(const struct published_tree* published);

/// What was found, as lines of the report.
void report_totals(const struct totals* found);

/// `expected` is printed if the search found something else.
enum verification outcome_of(bool right, const struct totals* expected);

#endif
