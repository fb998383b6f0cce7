// The searches: every version counts the same tree, and differs in what becomes a task. Called by uts.c.
#ifndef UTS_SEARCH_H
#define UTS_SEARCH_H

#include "tree.h"

struct search_version {
  const char* name;
  const char* meaning;
  /// Counts the tree below `root`. The serial version is called outside of any parallel region, the others by one
  /// thread of one.
  struct totals (*search)(const struct node* root);
};

/// The first is "serial"; the list ends with name NULL.
extern const struct search_version search_versions[];

#endif
