"""What every command that compares shares: A and B in turn, several rounds, checked answers, a table, a JSON file.

    turns.py     who goes first in which round; progress    running.py   one process that must succeed; the samples of a series
    engine.py    how long to measure, and what may be said
    plots.py     pictures of panels                         tables.py    tables for the terminal and for pages
    machine.py   what describes a machine and a build       files.py     JSON with one line per series

Under it: tools/bench (and `callers`), tools/bench programs (and its preset tools/quickstart).
"""
