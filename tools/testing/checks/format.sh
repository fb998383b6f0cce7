#!/bin/bash
# Checks the formatting of all C and C++ with clang-format 19; other versions differ in details. With --fix, formats.
# Status 77: no clang-format 19 here, nothing checked.
cd "$(dirname "$0")/../../.." || exit 1
for formatter in clang-format-19 clang-format ""; do
  [[ -n $formatter ]] && "$formatter" --version 2>/dev/null | grep -q 'version 19\.' && break
done
if [[ -z $formatter ]]; then
  echo "format: no clang-format 19 here"
  exit 77
fi
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.c' '*.cpp' |
  while read -r file; do [[ -f $file ]] && echo "$file"; done)
if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${files[@]}"
  exit
fi
"$formatter" --dry-run --Werror "${files[@]}" 2>&1
status=$?
echo "format: ${#files[@]} files"
exit $status
