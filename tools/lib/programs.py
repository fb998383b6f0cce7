"""The programs that quickstart runs, with sizes that take about a second or two each on libomp with two CPUs.

One row per line of the table: (name shown, command line in build/<preset>/bin). Every program prints
`Verification = SUCCESSFUL` and `Time Program = <seconds>` and exits with 0 exactly if its answer is right.
"""

PROGRAMS = [
    ("uts T3, untied per node", "uts -T T3 -v untied -c"),
    ("uts T3, untied inner nodes", "uts -T T3 -v untied-inner -c"),
    ("uts T3, tied", "uts -T T3 -v tied -c"),
    ("fib, untied", "bots-fib -n 29 -v untied -c"),
    ("fib, tied", "bots-fib -n 30 -v tied -c"),
    ("fib, untied, cut-off", "bots-fib -n 42 -v untied-manual -x 12 -c"),
    ("fib, tied, cut-off", "bots-fib -n 42 -v tied-manual -x 12 -c"),
    ("nqueens, untied", "bots-nqueens -n 11 -v untied -c"),
    ("nqueens, tied", "bots-nqueens -n 11 -v tied -c"),
    ("nqueens, untied, cut-off", "bots-nqueens -n 13 -v untied-manual -x 3 -c"),
    ("nqueens, tied, cut-off", "bots-nqueens -n 13 -v tied-manual -x 3 -c"),
    # sort and strassen cut off by size: tiny leaves stand for "without", the suite's own sizes for "with".
    ("sort, untied", "bots-sort -n 2097152 -y 64 -a 64 -v untied -c"),
    ("sort, tied", "bots-sort -n 2097152 -y 64 -a 64 -v tied -c"),
    ("sort, untied, cut-off", "bots-sort -n 8388608 -v untied -c"),
    ("sort, tied, cut-off", "bots-sort -n 8388608 -v tied -c"),
    ("strassen, untied", "bots-strassen -n 1024 -y 16 -v untied -c"),
    ("strassen, tied", "bots-strassen -n 1024 -y 16 -v tied -c"),
    ("strassen, untied, cut-off", "bots-strassen -n 2048 -v untied-manual -x 3 -c"),
    ("strassen, tied, cut-off", "bots-strassen -n 2048 -v tied-manual -x 3 -c"),
]

TARGETS = ["uts", "bots-fib", "bots-nqueens", "bots-sort", "bots-strassen"]
