// What may be said of two sides that ran in turn. The one rule of all that compares: `chomp bench` links it,
// tools/laboratory/harness/engine.py loads it.
#pragma once

enum { kMostRounds = 101, kLeastRounds = 7 };
enum Word { kNotSettled, kFaster, kSlower, kLevel };

/// Of times of one kind: theirs over ours, above 1 where ours are shorter. The interval is [0, infinity] where too few
/// rounds were made.
struct Ratio {
  double median, low, high;
  enum Word word;
};

struct Verdict {
  enum Word word;
  int by_cpu; // CPU time decides, since wall time does not
  struct Ratio wall, cpu;
};

/// Of so many rounds, at most kMostRounds; all count. The CPU times are those of whole processes; null where they are
/// not known.
void compare(int rounds, const double* ours, const double* theirs, const double* our_cpu, const double* their_cpu,
             struct Verdict* verdict);

/// Whether a run of many rounds may look at its verdict after so many, and end if it is settled. Each look is a chance
/// to err, so there are few.
int may_look(int rounds);

/// Whether the second of two sides begins this round. Both begin half of each two rounds, and no rhythm of the machine
/// has the same (the Thue-Morse sequence).
int second_begins(int round);
