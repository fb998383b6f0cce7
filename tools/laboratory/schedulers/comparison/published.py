"""Numbers of the papers that stand beside ours."""

from __future__ import annotations

# Slides, “Per-Core Work Stealing vs. Hierarchical Scheduling”: 32 threads on four Intel X7550. SparseLU (for) has no figure for GCC.
_PROGRAMS = ("alignment (single)", "alignment (for)", "fib", "health", "nqueens", "sort", "sparselu (single)", "sparselu (for)", "strassen")


def _by_program(*values: object) -> dict[str, object]:
    return {name: value for name, value in zip(_PROGRAMS, values) if value is not None}


DEVIATION: dict[str, dict[str, float]] = {
    "ICC": _by_program(4.4, 2.0, 3.7, 2.0, 3.2, 4.0, 1.1, 3.9, 1.8),
    "GCC": _by_program(0.11, 0.34, 2.8, 0.35, 0.77, 1.8, 0.49, None, 1.4),
    "MTS": _by_program(0.28, 1.5, 3.3, 1.3, 0.78, 1.9, 0.15, 0.16, 1.9),
    "WS": _by_program(0.035, 1.8, 2.0, 0.29, 0.60, 0.90, 0.060, 0.24, 3.0),
}  # type: ignore[assignment]

# (steals, failed steals)
STEALS: dict[str, dict[str, tuple[float, float]]] = {
    "MTS": _by_program((1016, 88), (109, 122), (633, 331), (28948, 10323), (102, 141), (1134, 404), (18045, 8133), (13486, 11889),
                       (227, 157)),
    "WS": _by_program((3695, 255), (1431, 286), (467, 984), (295637, 47538), (1428, 389), (19330, 3283), (68927, 24506), (68099, 32205),
                      (14042, 823)),
}  # type: ignore[assignment]

# SAND2012-10594, 5.1 and Figure 5.1: True is High. HPX has no parallel loop and counts as Low there, as in the report's text.
HIGH: dict[str, dict[str, bool]] = {
    "Sherwood Qthreads": {"spawn_serial": True, "spawn_parallel": False, "fib_untied": True, "uts_t3": True},
    "Cilk Plus": {"spawn_serial": True, "spawn_parallel": True, "fib_untied": True, "uts_t3": False},
    "TBB": {"spawn_serial": False, "spawn_parallel": False, "fib_untied": True, "uts_t3": True},
    "Intel OpenMP": {"spawn_serial": False, "spawn_parallel": True, "fib_untied": True, "uts_t3": False},
    "Nemesis Qthreads": {"spawn_serial": True, "spawn_parallel": False, "fib_untied": False, "uts_t3": False},
    "GCC OpenMP": {"spawn_serial": False, "spawn_parallel": True, "fib_untied": False, "uts_t3": False},
    "HPX": {"spawn_serial": False, "spawn_parallel": False, "fib_untied": False, "uts_t3": False},
}
