#!/bin/bash
# Tries a wheel for musl: its files need musl's libc alone; a program with tasks runs on its library, and by `chomp run`, under
# musl's loader (Debian: musl), for another machine under qemu, with that machine's loader as apt-get downloads it.
# Usage: tools/testing/checks/musl.sh WHEEL. Status 77: no loader, no qemu, or no zig, which compiles the program.
cd "$(dirname "$0")/../../.." || exit 1
wheel=$1 root=
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "musl: $*"
  exit 1
}
machine=$(sed -n 's/.*-musllinux_1_2_\(.*\)\.whl$/\1/p' <<<"$wheel")
[[ -n $machine ]] || fail "$wheel is no wheel for musl"
python3 -m zipfile -e "$wheel" "$scratch/wheel" || exit 1
lib=$scratch/wheel/chomp/lib bin=$scratch/wheel/chomp/bin
chmod +x "$bin"/*
for file in "$lib/libomp.so" "$bin/chomp" "$bin/chomp-analyse"; do
  strays=$(readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vx 'libc\.so')
  [[ -z $strays ]] || fail "$file needs more than libc: $strays"
  ! readelf -VW "$file" | grep -q GLIBC_ || fail "$file asks for glibc"
done

emulator=()
if [[ $machine != "$(uname -m)" ]]; then
  root=$scratch/root
  debian=$(sed 's/x86_64/amd64/; s/aarch64/arm64/' <<<"$machine")
  options=("-oAPT::Architecture=$debian" "-oAPT::Architectures=$debian" "-oDir::State::Lists=$scratch/lists" -oAPT::Sandbox::User=root)
  mkdir -p "$scratch/lists/partial"
  (cd "$scratch" && apt-get "${options[@]}" update && apt-get "${options[@]}" download "musl:$debian" && dpkg -x musl_*.deb "$root") >"$scratch/log" 2>&1
  emulator=("$(command -v "qemu-$machine" || command -v "qemu-$machine-static")" -L "$root")
fi
zig=$(.venv/bin/python -c "import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))" 2>/dev/null)
if [[ ! -e $root/lib/ld-musl-$machine.so.1 || -z ${emulator[0]-x} || -z $zig ]]; then
  echo "musl: $wheel is not tried: no loader of musl for $machine, no qemu, or no zig"
  exit 77
fi
export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig-cache
ln -s libomp.so "$lib/libomp.so.5"
"$zig" cc -target "$machine-linux-musl" -dynamic -O1 -Xclang -fopenmp tools/testing/checks/sum_by_tasks.c -L"$lib" -lomp -o "$scratch/sum" 2>"$scratch/log" ||
  fail "the program is not compiled: $(cat "$scratch/log")"
run() { # <program…>
  if ((${#emulator[@]})); then
    timeout 120 "${emulator[@]}" -E LD_LIBRARY_PATH="$lib" -E OMP_DISPLAY_ENV=true "$@"
  else
    LD_LIBRARY_PATH=$lib OMP_DISPLAY_ENV=true timeout 120 "$@"
  fi
}
run "$scratch/sum" >"$scratch/said" 2>&1 || fail "the program fails: $(cat "$scratch/said")"
grep -qx 49995000 "$scratch/said" && grep -q "runtime='chomp " "$scratch/said" || fail "the program prints $(cat "$scratch/said")"
run "$bin/chomp" path >"$scratch/said" 2>&1 || fail "chomp path fails: $(cat "$scratch/said")"
grep -qxF "$lib" "$scratch/said" || fail "chomp path says $(cat "$scratch/said")"
if ((${#emulator[@]} == 0)); then # qemu runs no program of the program's
  run "$bin/chomp" info >"$scratch/said" 2>&1 || fail "chomp info fails: $(cat "$scratch/said")"
  grep -qF "$lib/libomp.so" "$scratch/said" || fail "chomp info says $(cat "$scratch/said")"
  # The program's own library is loaded as well, and stays idle.
  echo 'int idle;' >"$scratch/idle.c"
  mkdir "$scratch/system"
  "$zig" cc -target "$machine-linux-musl" -shared -fPIC "$scratch/idle.c" -Wl,-soname,libomp.so.5 -o "$scratch/system/libomp.so.5" || exit 1
  lib=$scratch/system
  run "$bin/chomp" run "$scratch/sum" >"$scratch/said" 2>&1 && grep -qx 49995000 "$scratch/said" || fail "chomp run: $(cat "$scratch/said")"
fi
echo "musl: $machine: a program with tasks runs under musl's loader"
