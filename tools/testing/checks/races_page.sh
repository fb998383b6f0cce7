#!/bin/bash
# Follows the first example of tools/docs/races.md as a user does who has only what is installed: the page's program, its
# two commands, what it says that they print; with GCC too, where it is; and whether the manual beside the command knows it.
# Usage: tools/testing/checks/races_page.sh <the command chomp, or a wheel, which is installed for this>.
# Status 77: the wheel's machine is another one.
page=$(realpath "$(dirname "$0")/../../docs/races.md") what=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "races_page: $*"
  exit 1
}
if [[ $what == *.whl ]]; then
  [[ $what == *_$(uname -m).whl ]] || { echo "races_page: $what is for another machine" && exit 77; }
  { python3 -m venv "$scratch/venv" && "$scratch/venv/bin/pip" install --no-index --no-deps "$what"; } >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
  what=$scratch/venv/bin/chomp
fi
what=$(realpath "$what")

mkdir "$scratch/user" && cd "$scratch/user" || exit 1
sed -n '/^```c$/,/^```$/p' "$page" | sed '/^```/d' >program.c
sed -n '/^```text$/,/^```$/{//!p}' "$page" >promised
mapfile -t commands < <(sed -n 's/^    \(chomp [ce].*\)/\1/p' "$page")
[[ -s program.c && -s promised && ${#commands[@]} == 2 ]] || fail "$page does not begin with a program, two commands and what they print"
without_time() { sed 's/[0-9]*\.[0-9] s/0.0 s/' "$1"; }

export PATH="$(dirname "$what"):$PATH"
eval "${commands[0]}" >said 2>&1 || fail "${commands[0]}: $(cat said)"
eval "${commands[1]}" >said 2>&1 && fail "${commands[1]} finds nothing: $(cat said)"
diff <(without_time promised) <(without_time said) >difference || fail "not what the page says: $(cat difference)"
if command -v gcc >/dev/null; then
  chomp cc gcc program.c -o with-gcc >said 2>&1 || fail "chomp cc gcc: $(cat said)"
  chomp explore ./with-gcc >said 2>&1 && fail "of GCC's program it finds nothing: $(cat said)"
  grep -qF "$(head -n 1 promised)" said || fail "of GCC's program it says: $(cat said)"
fi
chomp explore-flags | grep -q -- -fsanitize=thread || fail "chomp explore-flags prints $(chomp explore-flags)"
manual=$(dirname "$what")/../share/man/man1/chomp.1 # Debian's is compressed
{ cat "$manual" || zcat "$manual.gz"; } 2>/dev/null | grep -q 'chomp explore' || fail "there is no manual of chomp explore: $manual"
echo "races_page: the fault is found by the page's first commands"
