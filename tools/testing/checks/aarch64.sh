#!/bin/bash
# Cross-builds the library for 64-bit Arm, and looks at what came out; where qemu-aarch64 is at hand, loads it and calls it.
# Status 77: no cross headers and libraries here, nothing built. (Experimental: nothing has run on real hardware yet.)
cd "$(dirname "$0")/../../.." || exit 1
build=build/aarch64
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

for clang in clang-19 clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang ""; do
  [[ -n $clang ]] && command -v "$clang" >/dev/null && break
done
echo '#include <atomic>' >"$scratch/probe.cpp"
if [[ -z $clang ]] ||
  ! "$clang" --target=aarch64-linux-gnu -x c++ -fsyntax-only "$scratch/probe.cpp" 2>/dev/null; then
  echo "no headers to cross-build with: install g++-aarch64-linux-gnu"
  exit 77
fi

cmake --preset aarch64 >"$scratch/log" 2>&1 && cmake --build $build >>"$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
readelf -h $build/lib/libomp.so | grep -q AArch64 || {
  echo "$build/lib/libomp.so is not built for AArch64"
  exit 1
}
strays=$(readelf -dW $build/lib/libomp.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so\.6|ld-linux-aarch64\.so\.1)$')
if [[ -n $strays ]]; then
  echo "the library needs more than libc and the loader: $strays"
  exit 1
fi

emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if [[ -z $emulator ]]; then
  echo "cross-built; not run, since qemu-aarch64 is not here"
  exit 0
fi
# A region and tasks, from a program that Clang compiled for AArch64 and linked with this library.
cat >"$scratch/sum.c" <<'END'
int omp_get_num_threads(void);
static long sum;
static void add(int from, int to) {
  if (to - from < 8) {
    for (int i = from; i < to; i++) {
#pragma omp atomic
      sum += i;
    }
    return;
  }
#pragma omp task
  add(from, (from + to) / 2);
#pragma omp task
  add((from + to) / 2, to);
#pragma omp taskwait
}
int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    threads = omp_get_num_threads();
    add(0, 10000);
  }
  return !(threads >= 1 && sum == 49995000);
}
END
"$clang" --target=aarch64-linux-gnu -O1 -fopenmp -nostdinc -fuse-ld=lld -L$build/lib "$scratch/sum.c" -o "$scratch/sum" || exit 1
if ! timeout 120 "$emulator" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$PWD/$build/lib" "$scratch/sum"; then
  echo "cross-built; but a program with tasks fails under $emulator"
  exit 1
fi
# The cycle counter, whose scale is read from a register that only this machine has.
"$clang" --driver-mode=g++ --target=aarch64-linux-gnu -O1 -std=c++20 -I. test/unit/cycles_are_about_a_processors.cpp \
  runtime/base/os_linux.cpp runtime/base/log.cpp -fuse-ld=lld -pthread -o "$scratch/cycles" || exit 1
if ! timeout 60 "$emulator" -L /usr/aarch64-linux-gnu "$scratch/cycles"; then
  echo "cross-built; but cycles are not counted at a processor's rate under $emulator"
  exit 1
fi
echo "cross-built; a program with tasks runs under qemu, and counts cycles"
