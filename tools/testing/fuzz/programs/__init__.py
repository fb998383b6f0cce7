"""Random conforming OpenMP programs whose answers are known, and what runs, judges and reduces them. README.md of tools/testing/fuzz."""
