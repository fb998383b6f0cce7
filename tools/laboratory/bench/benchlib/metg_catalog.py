"""The patterns of `bench metg`: minimum effective task granularity of each graph with each kernel, named metg_GRAPH.KERNEL."""

from __future__ import annotations

from .catalog import Pattern

GRAPHS = {
    "trivial": "no dependences",
    "no_comm": "column i on column i",
    "stencil": "on columns i-1, i, i+1",
    "stencil_periodic": "the same, around the edges",
    "nearest": "on five columns around i",
    "spread": "on five columns, as far from one another as can be, others in each step",
    "random_nearest": "on each of the five with probability 1/2",
    "fft": "on columns i-2^s, i, i+2^s in stage s",
    "tree": "a binary tree that grows to the width, then as no_comm",
    "dom": "on columns i-1 and i; the front of a sweep through a plane",
    "all_to_all": "on all columns",
}
KERNELS = ("compute", "memory", "imbalanced")
STEPS = (16, 100, 300)

METG: tuple[Pattern, ...] = tuple(
    Pattern(f"metg_{graph}.{kernel}", "metg", f"{graph}.{kernel}", STEPS, f"{what}; {kernel}", unit="ns",
            record=False, twin=f"{graph}.{kernel}")
    for kernel in KERNELS for graph, what in GRAPHS.items())
