#!/bin/bash
# Builds and installs the library into a folder of its own, beside the environment's other OpenMP runtimes.
set -e
cmake -S . -B build/conda -G Ninja -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib/chomp \
  -DCHOMP_PROGRAMS=OFF -DCHOMP_TESTS=OFF
cmake --build build/conda --target everything
cmake --install build/conda
