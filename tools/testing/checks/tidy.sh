#!/bin/bash
# Runs clang-tidy (.clang-tidy) on the library's sources, with the flags of a build: tools/testing/checks/tidy.sh <build folder>.
# Only the files named after the folder, if any. Status 77: no clang-tidy here, nothing checked.
cd "$(dirname "$0")/../../.." || exit 1
build=$1
shift
for tidy in clang-tidy-19 clang-tidy-22 clang-tidy-21 clang-tidy-20 clang-tidy-18 clang-tidy-17 clang-tidy ""; do
  [[ -n $tidy ]] && command -v "$tidy" >/dev/null && break
done
if [[ -z $tidy ]]; then
  echo "tidy: no clang-tidy here"
  exit 77
fi
files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard 'runtime/*.cpp' 'schedulers/*.cpp' 'abi/*.cpp' |
    while read -r file; do
      # A file that no target builds yet has no flags to be checked with.
      [[ -f $file ]] && grep -qF "/$file\"" "$build/compile_commands.json" && echo "$file"
    done)
fi
printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -n 2 "$tidy" -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
status=$?
echo "tidy: ${#files[@]} files"
exit $status
