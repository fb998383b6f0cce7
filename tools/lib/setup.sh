#!/bin/bash
# Makes a machine ready for a command of tools/: `tools/lib/setup.sh PURPOSE`. Of the purposes, `python` is Python, `toolchain` what
# builds the library and programs; the others are `toolchain` and more.
#
# Asks what works (can Clang compile and link an OpenMP program?), never which packages are installed; so a machine that is
# ready needs no network and no rights. What is missing is installed with apt on Debian and Ubuntu, after saying so;
# elsewhere, or without root and sudo, one message lists it with the command that would install it, and the status is 1.
# `check` also puts lit into .venv/; `clients` is `check` and the programs of test/clients; `debian` is `toolchain` and what makes
# Debian's packages; `release` is `check` and what makes packages of any kind, some of it in .venv/. Whatever takes long says
# so every ten seconds.
#
# Settings: CXX names the Clang to use. CHOMP_NO_INSTALL=1 installs nothing, neither packages nor lit, and only says what is
# missing; the status is 1 if that is needed.
set -u
cd "$(dirname "$0")/../.." || exit 1

purpose=${1:-}
case $purpose in
python | roots | toolchain | fuzz | debian | check | clients | release) ;;
*)
  echo "usage: tools/lib/setup.sh python|roots|toolchain|fuzz|debian|check|clients|release" >&2
  exit 2
  ;;
esac

oldest_clang=16
default_clang=19
not_to_be_had=.cache/not_to_be_had # optional packages that apt did not find, or could not install; for a day
scratch=$(mktemp -d) || exit 1
alive="" # the process that says every ten seconds what goes on
clean_up_at_end() {
  trap 'kill $alive 2>/dev/null; rm -rf "$scratch"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}
clean_up_at_end

say() { echo "setup: $*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- What is there ---------------------------------------------------------------------------------------------------

# The same order as tools/releasing/cmake/ChooseClang.cmake. Sets clang and clang_version; status 1 if there is none.
find_clang() {
  local candidate version
  for candidate in ${CXX:+"$CXX"} clang++-19 clang++-22 clang++-21 clang++-20 clang++-18 clang++-17 clang++-16 clang++; do
    have "$candidate" || continue
    version=$(echo __clang_major__ | "$candidate" -E -x c++ -P - 2>/dev/null | tail -n 1)
    if [[ $version =~ ^[0-9]+$ ]] && ((version >= oldest_clang)); then
      clang=$candidate clang_version=$version
      return 0
    fi
  done
  clang="" clang_version=$default_clang
  return 1
}

compiles() { # <program text> <flags…>
  printf '%s\n' "$1" >"$scratch/probe.cpp"
  "$clang" "${@:2}" -o "$scratch/probe" "$scratch/probe.cpp" >/dev/null 2>&1
}

version_at_least() { # <wanted> <found>
  [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]
}

cmake_is_new_enough() {
  have cmake && version_at_least 3.22 "$(cmake --version 2>/dev/null | sed -n '1s/.* //p')"
}

# A Python that can make virtual environments. The system's first: shims of version managers may lack parts.
find_python() {
  local candidate
  for candidate in /usr/bin/python3 python3 /usr/local/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
      python=$candidate
      return 0
    fi
  done
  return 1
}

# The compiler's driver comes with mpirun, its headers by themselves.
mpi_compiles() { have mpicc && mpicc -E -include mpi.h -xc /dev/null >/dev/null 2>&1; }

llvm_headers_are_there() { [[ -e /usr/lib/llvm-$clang_version/include/llvm/Config/llvm-config.h ]]; } # for a pass of Clang

lit_works() { .venv/bin/python -c 'import lit.main' >/dev/null 2>&1 || .venv/bin/lit --version >/dev/null 2>&1; }

# Fills required and optional with the names of Debian packages. Nothing depends on an optional one but its own check.
list_missing() {
  required=() optional=()
  have python3 || required+=(python3)
  case $purpose in
  python) return 0 ;;
  roots)
    have debootstrap || [[ -x /usr/sbin/debootstrap ]] || optional+=(debootstrap)
    return 0
    ;;
  esac
  if find_clang; then
    compiles '#include <atomic>
int main() {}' || required+=(g++)
    compiles '#include <omp.h>
int main() { return omp_get_max_threads() == 0; }' -fopenmp || required+=("libomp-$clang_version-dev")
    compiles 'int main() {}' -fuse-ld=lld || required+=("lld-$clang_version")
    if [[ $purpose != toolchain && $purpose != debian ]]; then
      compiles 'int main() {}' -fsanitize=address,undefined || required+=("libclang-rt-$clang_version-dev")
    fi
    # The library too: made-up machines (HWLOC_SYNTHETIC) need it at run time, and many tests need those.
    compiles '#include <hwloc.h>
int main() { return hwloc_get_api_version() == 0; }' -lhwloc || optional+=(libhwloc-dev)
  else
    required+=("clang-$default_clang" "libomp-$default_clang-dev" "lld-$default_clang" g++)
    optional+=(libhwloc-dev)
    [[ $purpose != toolchain && $purpose != debian ]] && required+=("libclang-rt-$default_clang-dev")
  fi
  cmake_is_new_enough || required+=(cmake)
  have ninja || required+=(ninja-build)

  case $purpose in
  toolchain | fuzz) return 0 ;;
  debian)
    list_missing_for_debian
    return 0
    ;;
  esac
  have git || required+=(git)
  have gcc || required+=(gcc)
  have readelf || required+=(binutils)
  have pkg-config || required+=(pkg-config)
  have xz || required+=(xz-utils)
  lit_works || find_python || required+=(python3-venv)
  have "FileCheck-$clang_version" || have FileCheck || [[ -x /usr/lib/llvm-$clang_version/bin/FileCheck ]] ||
    required+=("llvm-$clang_version-tools")
  have spin || optional+=(spin)
  have gdb || optional+=(gdb)
  have valgrind || optional+=(valgrind)
  mpi_compiles || optional+=(libopenmpi-dev openmpi-bin)
  compgen -G "/usr/lib/*/libmemkind.so.0" >/dev/null || optional+=(libmemkind0)
  have gfortran || optional+=(gfortran)
  have "flang-new-$clang_version" || have "flang-$clang_version" || optional+=("flang-$clang_version")
  llvm_headers_are_there || optional+=("llvm-$clang_version-dev")
  have clang-format-19 || optional+=(clang-format-19)
  have "clang-tidy-$clang_version" || have clang-tidy-19 || optional+=("clang-tidy-$clang_version")
  local machine
  for machine in aarch64 riscv64; do
    if [[ -z $clang ]] || ! compiles '#include <atomic>
int main() {}' --target=$machine-linux-gnu -fuse-ld=lld; then
      optional+=("g++-$machine-linux-gnu")
    fi
  done
  have qemu-aarch64 || have qemu-aarch64-static || optional+=(qemu-user)
  [[ $purpose == clients ]] && list_missing_clients
  [[ $purpose == release ]] && list_missing_for_packages
  return 0
}

list_missing_clients() {
  find_python || optional+=(python3-venv)
  /usr/bin/python3 -c 'import scipy' >/dev/null 2>&1 || optional+=(python3-numpy python3-scipy)
  compgen -G "/usr/lib/*/openblas-openmp/libblas.so.3" >/dev/null || optional+=(libopenblas0-openmp)
  have gm || optional+=(graphicsmagick)
  have xtb || optional+=(xtb)
  have psi4 || optional+=(psi4)
  have cp2k || optional+=(cp2k)
  have normaliz || optional+=(normaliz-bin)
  have megahit || optional+=(megahit)
  have go || optional+=(golang-go)
  [[ -z ${TAMPI_SOURCE:-} ]] || have libtoolize || optional+=(libtool automake libboost-dev)
  [[ -n $clang ]] && compiles '#include <fftw3.h>
int main() {}' || optional+=(libfftw3-dev)
}

list_missing_for_debian() {
  have apt-get || return 0 # no Debian packages are made elsewhere
  llvm_headers_are_there || optional+=("llvm-$clang_version-dev")
  have dpkg-buildpackage || optional+=(dpkg-dev)
  have dh || optional+=(debhelper)
  have fakeroot || optional+=(fakeroot)
}

list_missing_for_packages() {
  have ccache || optional+=(ccache)
  list_missing_for_debian
  have apt-get || return 0
  have lintian || optional+=(lintian)
  have abidiff || optional+=(abigail-tools)
  have gpg || optional+=(gnupg)
  have debootstrap || [[ -x /usr/sbin/debootstrap ]] || optional+=(debootstrap)
  [[ -e /lib/ld-musl-$(uname -m).so.1 ]] || optional+=(musl)
}

# ---- Installing ------------------------------------------------------------------------------------------------------

# Sets as_root to the command that gives root's rights (empty for root); status 1 if there is none.
find_root() {
  as_root=()
  [[ $(id -u) == 0 ]] && return 0
  have sudo || return 1
  if sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  elif [[ -t 0 && -z ${CI:-} ]]; then
    as_root=(sudo)
  else
    return 1
  fi
}

lit_is_wanted() { [[ $purpose == check || $purpose == clients || $purpose == release ]] && ! lit_works; }

how_to_get_lit() { say "lit, from PyPI:  python3 -m venv .venv && .venv/bin/python -m pip install lit psutil perfetto"; }

complain_and_stop() {
  {
    say "$1"
    local become="" who=""
    [[ $(id -u) == 0 ]] || { have sudo && become="sudo " || who=", as root"; }
    if have apt-get; then
      say "What is missing is installed by$who:"
      say "  ${become}apt-get update && ${become}apt-get install --no-install-recommends ${required[*]}"
    else
      say "Please install, by the names Debian gives them:"
      say "  ${required[*]}"
    fi
    lit_is_wanted && how_to_get_lit
    ((${#optional[@]})) && say "and, for every check to run:  ${optional[*]}"
    [[ $purpose == python || $purpose == roots ]] ||
      say "chomp needs Clang $oldest_clang or later with its OpenMP library and lld, CMake 3.22 or later, Ninja and Python 3."
  } >&2
  exit 1
}

# Of apt's log: how many of the packages are there.
how_far() {
  local all
  all=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' "$scratch/log")
  [[ -z $all ]] || echo ", $(grep -c '^Setting up' "$scratch/log") of $all done"
}

# Runs a command whose words go to $scratch/log, and says every ten seconds that it is still at it, and where. Its status.
# The waiting is bash's own `read`, from a pipe into which nobody writes: no process is left when this one is stopped.
watched() { # <what> <command…>
  local status
  : >"$scratch/log"
  # Before the fork: a child that is stopped at once would still do what its parent does at the end, and remove $scratch.
  trap - EXIT INT TERM HUP
  (
    exec 9<> <(:)
    while ! read -rt 10 -u 9; do
      say "$(date +%T), $1, for $SECONDS s$(how_far): $(tail -n 1 "$scratch/log" | cut -c1-90)"
    done
  ) &
  alive=$!
  clean_up_at_end
  SECONDS=0
  "${@:2}" >>"$scratch/log" 2>&1
  status=$?
  kill "$alive"
  wait "$alive" 2>/dev/null
  alive=""
  return $status
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" </dev/null; }
install() { watched "installing $# packages" apt install -y --no-install-recommends "$@"; }
can_be_installed() { apt install --simulate --no-install-recommends "$@" >/dev/null 2>&1; }

# Where there is no Clang yet: that which apt has, if not the default one (Ubuntu 24.04 without its updates has 18).
choose_clang() {
  local version
  [[ -z ${clang:-} && " ${required[*]}" == *" clang-"* ]] || return 0
  for version in $default_clang 21 20 18 17 16; do
    LC_ALL=C apt-cache policy "clang-$version" | grep -q 'Candidate: [^(]' || continue
    default_clang=$version
    list_missing
    return 0
  done
}

# Leaves in `optional` those that apt knows, and that can be installed together with `required`; the others go to `left_out`.
find_out_what_there_is() {
  local package known=() found
  found=" $(LC_ALL=C apt-cache policy "${optional[@]}" |
    awk '/^[^ ]/ { name = substr($1, 1, length($1) - 1) } /Candidate:/ && $2 != "(none)" { printf "%s ", name }')"
  left_out=()
  for package in "${optional[@]}"; do
    if [[ $found == *" $package "* ]]; then known+=("$package"); else left_out+=("$package"); fi
  done
  optional=("${known[@]}")
  ((${#optional[@]})) && ! can_be_installed "${required[@]}" "${optional[@]}" || return 0
  known=()
  for package in "${optional[@]}"; do
    if can_be_installed "${required[@]}" "${known[@]}" "$package"; then known+=("$package"); else left_out+=("$package"); fi
  done
  optional=("${known[@]}")
}

# What was not to be had today is not looked for again.
forget_what_is_not_to_be_had() {
  local package still=()
  [[ -n $(find "$not_to_be_had" -mmin -1440 2>/dev/null) ]] || return 0
  for package in "${optional[@]}"; do grep -qxF "$package" "$not_to_be_had" || still+=("$package"); done
  optional=("${still[@]}")
}

install_missing() {
  ((${#required[@]})) || forget_what_is_not_to_be_had
  ((${#required[@]} + ${#optional[@]})) || return 0
  if [[ -n ${CHOMP_NO_INSTALL:-} ]] || ! have apt-get || ! find_root; then
    if ((${#required[@]})); then
      local why="neither root nor sudo is at hand."
      have apt-get || why="this is not Debian or Ubuntu (no apt-get)."
      [[ -n ${CHOMP_NO_INSTALL:-} ]] && why="CHOMP_NO_INSTALL is set."
      complain_and_stop "cannot install what is missing: $why"
    fi
    say "not installed, so their checks are left out: ${optional[*]}"
    return 0
  fi

  say "reading apt's lists of packages"
  watched "reading the lists" apt update || say "apt-get update failed; trying with the package lists at hand"
  choose_clang
  find_out_what_there_is
  if ((${#required[@]} + ${#optional[@]})); then
    say "installing with apt: ${required[*]} ${optional[*]}"
    if ! install "${required[@]}" "${optional[@]}"; then
      left_out+=("${optional[@]}")
      ((${#required[@]} == 0)) || install "${required[@]}" || {
        tail -n 15 "$scratch/log" >&2
        complain_and_stop "apt-get could not install what is missing (see above)."
      }
    fi
  fi
  ((${#left_out[@]})) || return 0
  say "not to be had here, so their checks are left out: ${left_out[*]}"
  mkdir -p "${not_to_be_had%/*}" && printf '%s\n' "${left_out[@]}" >"$not_to_be_had"
}

from_pypi() { watched "from PyPI: $*" .venv/bin/python -m pip install -q "$@"; }

install_lit() {
  if [[ -n ${CHOMP_NO_INSTALL:-} ]]; then
    say "cannot install what is missing: CHOMP_NO_INSTALL is set."
    how_to_get_lit
    exit 1
  fi >&2
  local tools=/usr/lib/llvm-$clang_version/build/utils/lit/lit.py
  say "installing lit from PyPI into .venv/"
  if find_python && rm -rf .venv && watched "making .venv" "$python" -m venv .venv && from_pypi lit && lit_works; then
    # psutil gives lit its --timeout; good to have.
    from_pypi psutil || say "no psutil: lit runs without time limits"
    # The public schema of the timelines that `chomp trace` writes.
    from_pypi perfetto || say "no perfetto: timelines are not read back"
    return 0
  fi
  if [[ -f $tools ]]; then
    say "PyPI is out of reach; using the lit of llvm-$clang_version-tools"
    mkdir -p .venv/bin && printf '#!/bin/sh\nexec python3 %s "$@"\n' "$tools" >.venv/bin/lit && chmod +x .venv/bin/lit
    lit_works && return 0
  fi
  say "cannot install lit: no network, or no usable Python 3 (python3-venv)" >&2
  exit 1
}

release_tools_work() { .venv/bin/python -c 'import auditwheel, rattler_build, spdx_tools, ziglang' >/dev/null 2>&1; }

install_release_tools() {
  if [[ -n ${CHOMP_NO_INSTALL:-} ]]; then
    say "CHOMP_NO_INSTALL is set. What makes releases, from PyPI:  .venv/bin/python -m pip install ziglang auditwheel spdx-tools py-rattler-build"
    exit 1
  fi >&2
  say "installing ziglang, auditwheel, spdx-tools and py-rattler-build from PyPI into .venv/"
  from_pypi ziglang auditwheel spdx-tools py-rattler-build && release_tools_work && return 0
  say "cannot install ziglang, auditwheel, spdx-tools and py-rattler-build: no network?" >&2
  exit 1
}

list_missing
install_missing
if ((${#required[@]})); then
  list_missing
  ((${#required[@]})) && complain_and_stop "still missing after installing:"
fi
lit_is_wanted && install_lit
[[ $purpose == release ]] && ! release_tools_work && install_release_tools
exit 0
