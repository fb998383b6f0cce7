#!/bin/bash
# Makes the Debian packages, installs them into scratch roots and uses them from there: chomp run, LD_LIBRARY_PATH,
# pkg-config, CMake; no file of theirs belongs to another package; removed, they leave nothing. Usage:
# tools/testing/checks/debian.sh [folder with packages that are there already].
cd "$(dirname "$0")/../../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "debian: $*"
  exit 1
}
for tool in dpkg-buildpackage dh fakeroot; do
  command -v $tool >/dev/null || { echo "debian: no $tool: not checked" && exit 0; }
done
packages=$1
if [[ -z $packages ]]; then
  packages=$scratch/packages
  DEB_BUILD_OPTIONS=noopt tools/package debian --output "$packages" >"$scratch/log" 2>&1 || fail "$(tail -n 50 "$scratch/log"; tail -n 50 "$packages/debian.log")"
fi
shopt -s nullglob
files=("$packages"/libchomp1_*.deb "$packages"/libchomp-dev_*.deb "$packages"/chomp-tools_*.deb)
((${#files[@]} == 3)) || fail "there are ${#files[@]} packages, not 3"
dbgsym=("$packages"/libchomp1-dbgsym_*.deb)
((${#dbgsym[@]} == 1)) && dpkg-deb -c "${dbgsym[0]}" | grep -q '/usr/lib/debug/.build-id/.*\.debug' || fail "no libchomp1-dbgsym with the debug information"

root=$scratch/root
for file in "${files[@]}"; do dpkg-deb -x "$file" "$root" || fail "cannot unpack $file"; done
while read -r path; do
  owner=$(dpkg -S "${path#"$root"}" 2>/dev/null | grep -vE '^(libchomp1|libchomp-dev|chomp-tools)\b') && fail "another package has a file of ours: $owner"
done < <(find "$root" ! -type d)

libdir=$(readlink -f "$(dirname "$(find "$root" -name libomp.so -not -path "*/chomp-explore/*")")")
chomp=$root/usr/bin/chomp
[[ $("$chomp" path) == "$libdir" ]] || fail "chomp finds another library: $("$chomp" path)"
clang=$(command -v clang-19 clang | head -1)
printf 'int omp_get_max_threads(void);\nint main(void) { return omp_get_max_threads() != 3; }\n' >"$scratch/main.c"
"$clang" -fopenmp "$scratch/main.c" -o "$scratch/plain" || fail "no OpenMP program can be linked"
"$chomp" run --threads 3 "$scratch/plain" || fail "a program that chomp runs fails"
if [[ $(uname -m) == x86_64 ]]; then
  tools/testing/checks/races_page.sh "$chomp" || fail "chomp explore does not work as its page says"
  "$chomp" cc --inline "$clang" -O2 "$scratch/main.c" -o "$scratch/inlined" && OMP_NUM_THREADS=3 "$scratch/inlined" ||
    fail "a program of chomp cc --inline fails"
  compgen -G "$libdir/chomp-inline-clang*.so" >/dev/null || fail "libchomp-dev has no pass for Clang"
fi
LD_LIBRARY_PATH=$libdir ldd "$scratch/plain" | grep -qF "$libdir/libomp.so.5" || fail "LD_LIBRARY_PATH does not replace libomp"
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$(find "$root" -name chomp.pc)") pkg-config --cflags --libs chomp) ||
    fail "pkg-config finds no chomp"
  # shellcheck disable=SC2086
  "$clang" "$scratch/main.c" $flags -o "$scratch/with-pkg-config" || fail "the flags of chomp.pc do not link: $flags"
  LD_LIBRARY_PATH=$libdir OMP_NUM_THREADS=3 "$scratch/with-pkg-config" || fail "a program linked with chomp.pc's flags fails"
fi
mkdir "$scratch/user"
cat >"$scratch/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(chomp 0.1 REQUIRED)
add_executable(main ../main.c)
target_link_libraries(main PRIVATE chomp::omp)
END
{
  CC=$clang cmake -G Ninja -S "$scratch/user" -B "$scratch/user/build" -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_LIBRARY_ARCHITECTURE="$(basename "$(dirname "$libdir")")" &&
    cmake --build "$scratch/user/build"
} >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
ldd "$scratch/user/build/main" | grep -qF "$libdir/" || fail "a program linked with chomp::omp loads another library"

# As dpkg installs and removes them; what they depend on is not there.
database=$scratch/dpkg
mkdir -p "$database/var/lib/dpkg/info" "$database/var/lib/dpkg/updates" && : >"$database/var/lib/dpkg/status"
manage() { fakeroot dpkg --root="$database" --force-not-root --force-depends --force-bad-path --log="$scratch/dpkg.log" "$@" >"$scratch/log" 2>&1; }
manage -i "${files[@]}" || fail "dpkg does not install: $(cat "$scratch/log")"
[[ $("$database/usr/bin/chomp" path) == "$database"/usr/lib/*/chomp ]] || fail "installed, chomp finds no library"
manage --purge chomp-tools libchomp-dev libchomp1 || fail "dpkg does not remove: $(cat "$scratch/log")"
left=$(find "$database" -name '*chomp*' ! -path '*/var/lib/dpkg/*')
[[ -z $left ]] || fail "removed, they leave $left"
echo "debian: the packages install, serve programs and go"
