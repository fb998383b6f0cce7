#!/bin/bash
# Installs a build into a scratch folder and uses it from there the ways README.md promises: pkg-config, CMake,
# LD_LIBRARY_PATH. Usage: tools/testing/checks/install.sh <build folder>.
cd "$(dirname "$0")/../../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
build=$1
clang=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
[[ -n $clang ]] || clang=$(sed -n 's/^set(CMAKE_C_COMPILER "\(.*\)")/\1/p' "$build"/CMakeFiles/*/CMakeCCompiler.cmake)

fail() {
  echo "install: $*"
  exit 1
}
# The file behind every OpenMP library the program loads must be the installed one.
uses_installed() { # <command…>
  local loaded
  loaded=$(ldd "${@: -1}" | grep -E 'lib(omp|iomp5|gomp)\.so' | sed 's/.*=> \(.*\) (.*/\1/')
  [[ -n $loaded ]] || return 1
  while read -r file; do
    [[ $(readlink -f "$file") == "$libdir/libomp.so" ]] || return 1
  done <<<"$loaded"
}

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
library=$(find "$scratch/prefix" -name libomp.so -not -path "*/chomp-explore/*")
libdir=$(readlink -f "$(dirname "$library")")
for link in libomp.so.5 libiomp5.so libgomp.so.1; do
  [[ $(readlink -f "$libdir/$link") == "$libdir/libomp.so" ]] || fail "$link is not a link to libomp.so"
done

# Its debug information is in a file of its own, which debuggers find, and `chomp info` names.
if grep -q '^CHOMP_SPLIT_DEBUG:BOOL=ON' "$build/CMakeCache.txt"; then
  debug=$libdir/.debug/libomp.so.debug
  [[ -f $debug ]] || fail "the debug information is not installed"
  (($(stat -c %s "$library") * 4 < $(stat -c %s "$build/lib/libomp.so"))) || fail "the installed library has its debug information"
  [[ $("$scratch/prefix/bin/chomp" info | sed -n 's/^debug info  *//p') == "$debug" ]] || fail "chomp info does not name $debug"
  if command -v gdb >/dev/null; then
    gdb -nx -batch -ex "set debuginfod enabled off" -ex "set language c++" -ex "ptype chomp::Worker" "$libdir/libomp.so" 2>&1 | grep -q gtid || fail "gdb does not find $debug"
  fi
fi

# The pages that are installed lead nowhere else.
readme=$(find "$scratch/prefix" -name README.md -path "*/doc/*")
while IFS= read -r page; do
  for target in $(grep -oE '\]\([^()# ]+' "$page" | cut -c3- | grep -v '^[a-z]*:'); do
    [[ -e $(dirname "$page")/$target ]] || fail "$(basename "$page") has a link to $target, which is not installed"
  done
done < <(find "$(dirname "$readme")" -name "*.md")
grep -q "(tools/docs/install.md)" "$readme" || fail "the installed README has no link to install.md"

mkdir "$scratch/user"
cat >"$scratch/user/main.c" <<'END'
int omp_get_max_threads(void);
int main(void) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  {
    members++;
#pragma omp taskwait
  }
  return !(members >= 1 && members <= omp_get_max_threads());
}
END

if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs chomp) || fail "pkg-config finds no chomp"
  # shellcheck disable=SC2086
  "$clang" "$scratch/user/main.c" $flags -o "$scratch/with-pkg-config" || fail "the flags of chomp.pc do not link: $flags"
  [[ $flags != *//* ]] || fail "the flags of chomp.pc have an empty folder name: $flags"
  uses_installed "$scratch/with-pkg-config" || fail "a program linked with chomp.pc's flags loads another library"
  "$scratch/with-pkg-config" || fail "a program linked with chomp.pc's flags fails"
fi

asks_for_inlined() { nm -D "$1" | grep -q "[vw] chomp_inline_abi_"; }

runs_with_cmake() { # <package> <target> <option> [<language> <source>]
  cat >"$scratch/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(user ${4:-C})
set(CMAKE_BUILD_TYPE Release)
find_package($1 REQUIRED)
add_executable(main ${5:-main.c})
target_link_libraries(main PRIVATE $2)
END
  {
    CC=$clang cmake -G Ninja -S "$scratch/user" -B "$scratch/user/$2" "$3" && cmake --build "$scratch/user/$2"
  } >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
  uses_installed "$scratch/user/$2/main" || fail "a program linked with $2 loads another library"
  "$scratch/user/$2/main" || fail "a program linked with $2 fails"
}
runs_with_cmake "chomp 0.1" chomp::omp -DCMAKE_PREFIX_PATH="$scratch/prefix"
if [[ -e $libdir/chomp-inline.bc ]]; then
  ! grep -aqF -e "$PWD" -e "$(cd "$build" && pwd)" "$libdir/chomp-inline.bc" || fail "chomp-inline.bc names the folder where it was built"
  for folder in /usr/lib/llvm-*/include/llvm; do
    major=${folder//[^0-9]/}
    [[ ! -e $folder/Config/llvm-config.h ]] || ((major < $("$clang" -dumpversion | cut -d. -f1))) ||
      [[ -e $libdir/chomp-inline-clang$major.so ]] || fail "LLVM $major has its headers here, and chomp-inline-clang$major.so is not installed"
  done
  runs_with_cmake "chomp 0.1" chomp::inlined -DCMAKE_PREFIX_PATH="$scratch/prefix"
  asks_for_inlined "$scratch/user/chomp::inlined/main" || fail "chomp::inlined inlines nothing"
  if command -v flang-new-19 >/dev/null && [[ -e $libdir/chomp-inline-clang19.so ]]; then
    printf 'integer :: n = 0\n!$omp parallel\n!$omp single\n!$omp task\nn = 1\n!$omp end task\n!$omp end single\n!$omp end parallel\nif (n /= 1) stop 1\nend\n' \
      >"$scratch/user/main.f90"
    rm -r "$scratch/user/chomp::inlined"
    FFLAGS=-O2 FC=flang-new-19 runs_with_cmake "chomp 0.1" chomp::inlined -DCMAKE_PREFIX_PATH="$scratch/prefix" Fortran main.f90
    asks_for_inlined "$scratch/user/chomp::inlined/main" || fail "chomp::inlined inlines nothing in Fortran"
  fi
  if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs chomp-inlined) || fail "pkg-config finds no chomp-inlined"
    # shellcheck disable=SC2086
    "$clang" -O2 "$scratch/user/main.c" $flags -o "$scratch/with-inlined" || fail "the flags of chomp-inlined.pc do not link: $flags"
    asks_for_inlined "$scratch/with-inlined" && "$scratch/with-inlined" || fail "a program with chomp-inlined.pc's flags fails"
  fi
fi
runs_with_cmake OpenMP OpenMP::OpenMP_C -DOpenMP_omp_LIBRARY="$libdir/libomp.so"

"$clang" -fopenmp "$scratch/user/main.c" -o "$scratch/plain" || fail "no OpenMP program can be linked"
LD_LIBRARY_PATH=$libdir uses_installed "$scratch/plain" || fail "LD_LIBRARY_PATH does not replace libomp"
LD_LIBRARY_PATH=$libdir "$scratch/plain" || fail "a program on LD_LIBRARY_PATH fails"
chomp=$(find "$scratch/prefix" -type f -path '*/bin/chomp')
[[ $("$chomp" info | sed -n 's/^library  *//p') == "$libdir/libomp.so" ]] || fail "chomp info reports on another library"
"$chomp" run --threads 2 "$scratch/plain" || fail "a program that chomp runs fails"
if grep -q '^CHOMP_EXPLORE:BOOL=ON' "$build/CMakeCache.txt"; then
  tools/testing/checks/races_page.sh "$chomp" || fail "chomp explore does not work as its page says"
fi
cat >"$scratch/user/version.c" <<'END'
#include <chomp.h>
#include <chomp/alpi.h>
int main(void) { return chomp_version() == 0 || alpi_version_check(1, 2) != 0; }
END
if command -v pkg-config >/dev/null; then
  # shellcheck disable=SC2086
  "$clang" "$scratch/user/version.c" $flags -o "$scratch/version" && "$scratch/version" || fail "no program with chomp.h and alpi.h can be made"
fi
# Moved as a whole, it still works; each component is there for itself.
mv "$scratch/prefix" "$scratch/moved"
moved=$(find "$scratch/moved" -type f -path '*/bin/chomp')
[[ $("$moved" path) == "$(dirname "$(find "$scratch/moved" -name libomp.so -not -path "*/chomp-explore/*")")" ]] || fail "a moved tree does not find its library"
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$scratch/moved" -name chomp.pc)") pkg-config --libs chomp)
  [[ $flags == *$scratch/moved* ]] || fail "chomp.pc of a moved tree names another one: $flags"
fi
for component in runtime debug development tools; do
  cmake --install "$build" --component $component --prefix "$scratch/$component" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
done
[[ -n $(find "$scratch/runtime" -name libomp.so) && -z $(find "$scratch/runtime" -name '*.debug' -o -name chomp.h -o -path '*/bin/chomp') ]] || fail "the component runtime"
[[ -n $(find "$scratch/development" -name chomp.h) && -z $(find "$scratch/development" -name 'libomp.so*') ]] || fail "the component development"
[[ -n $(find "$scratch/tools" -name chomp.1) && -z $(find "$scratch/tools" -name chomp.h) ]] || fail "the component tools"
echo "install: pkg-config, CMake and LD_LIBRARY_PATH lead to the installed library"
