#!/bin/bash
# Cross-builds the library for another machine, or takes that of a wheel, and looks at what came out; where the machine's
# qemu is at hand, runs a program with tasks on it:  tools/testing/checks/cross.sh aarch64|riscv64 [WHEEL]
# Status 77: no cross headers and libraries here, nothing built; or, with a wheel, no qemu. (No real hardware has run it yet.)
machine=$1 wheel=${2:+$(realpath "$2")}
case $machine in
aarch64) name=AArch64 loader=ld-linux-aarch64.so.1 ;;
riscv64) name=RISC-V loader=ld-linux-riscv64-lp64d.so.1 ;;
*)
  echo "usage: tools/testing/checks/cross.sh aarch64|riscv64 [WHEEL]" >&2
  exit 2
  ;;
esac
cd "$(dirname "$0")/../../.." || exit 1
target=$machine-linux-gnu
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

for clang in clang-19 clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang ""; do
  [[ -n $clang ]] && command -v "$clang" >/dev/null && break
done
echo '#include <atomic>' >"$scratch/probe.cpp"
if [[ -z $clang ]] ||
  ! "$clang" --target="$target" -x c++ -fsyntax-only "$scratch/probe.cpp" 2>/dev/null; then
  echo "no headers to cross-build with: install g++-$target"
  exit 77
fi

if [[ -n $wheel ]]; then
  python3 -m zipfile -e "$wheel" "$scratch/wheel" || exit 1
  lib=$scratch/wheel/chomp/lib what="the wheel"
else
  lib=$PWD/build/$machine/lib what="cross-built"
  cmake --preset "$machine" >"$scratch/log" 2>&1 && cmake --build "build/$machine" >>"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
  }
fi
readelf -h "$lib/libomp.so" | grep -q "$name" || {
  echo "$lib/libomp.so is not built for $name"
  exit 1
}
# Before glibc 2.34, for which wheels are built, parts of libc had files of their own.
parts='libc\.so\.6|'${loader//./\\.}${wheel:+'|libpthread\.so\.0|libdl\.so\.2'}
strays=$(readelf -dW "$lib/libomp.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE "^($parts)\$")
if [[ -n $strays ]]; then
  echo "the library needs more than libc and the loader: $strays"
  exit 1
fi

emulator=$(command -v "qemu-$machine" || command -v "qemu-$machine-static")
if [[ -z $emulator ]]; then
  echo "$what; not run, since qemu-$machine is not here"
  [[ -z $wheel ]]
  exit $(($? * 77))
fi
ln -sf "$lib/libomp.so" "$scratch/libomp.so.5"
inlined=$lib/chomp-inline.bc # not for every machine, nor in wheels
[[ -f $inlined ]] || inlined=
for flags in "" ${inlined:+"-Xclang=-mlink-bitcode-file -Xclang=$inlined"}; do
  # shellcheck disable=SC2086 # the flags are words
  "$clang" --target="$target" -O1 -fopenmp -nostdinc -fuse-ld=lld -L"$lib" $flags tools/testing/checks/sum_by_tasks.c \
    -o "$scratch/sum" || exit 1
  if ! timeout 120 "$emulator" -L "/usr/$target" -E LD_LIBRARY_PATH="$scratch" "$scratch/sum"; then
    echo "$what; but a program with tasks fails under $emulator ${flags:+(inlined tasks)}"
    exit 1
  fi
done
# A task may go on in another thread after a taskwait.
if [[ -n $inlined ]]; then
  reads=$(echo 'void twice(void) { _Pragma("omp taskwait"); _Pragma("omp taskwait"); }' |
    "$clang" --target="$target" -O2 -fopenmp -x c $flags -S - -o - | grep -ciE 'mrs.*tpidr_el0')
  if ((reads < 3)); then
    echo "cross-built; but inlined tasks keep the thread pointer over a taskwait"
    exit 1
  fi
fi
if [[ -n $wheel ]]; then
  echo "the wheel's library runs a program with tasks under qemu"
  exit 0
fi
# The cycle counter, whose scale only that machine has.
"$clang" --driver-mode=g++ --target="$target" -O1 -std=c++20 -I. test/unit/cycles_are_about_a_processors.cpp \
  runtime/base/os_linux.cpp runtime/base/log.cpp -fuse-ld=lld -pthread -o "$scratch/cycles" || exit 1
if ! timeout 60 "$emulator" -L "/usr/$target" "$scratch/cycles"; then
  echo "cross-built; but cycles are not counted at a processor's rate under $emulator"
  exit 1
fi
echo "cross-built; a program with tasks runs under qemu, and counts cycles"
