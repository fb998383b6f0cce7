#!/bin/sh
# The assembler of `chomp cc gfortran`. GCC tells of no access to variables of a host procedure that a contained one
# uses, unless their address is taken: they are members of a record, reached by the static chain. In files with such a
# record a call is put in front of each instruction that uses memory; it changes no register (fortran_calls.cpp). A use
# that GCC tells of, too, is the same use twice, and counts once. Of a host's own frame all is told; else what lies on
# the stack is nobody else's. Below the stack 128 bytes may be in use. Left out are instructions that read what the
# program may not (cmov), and atomic ones.
source=
for word; do
  shift
  case $word in
  *.s) source=$word ;;
  *) set -- "$@" "$word" ;;
  esac
done
[ -n "$source" ] || exec as "$@"
awk '
function bytes_of(name, operands) {
  if (name ~ /^fi/) return name ~ /(ll|q)$/ ? 8 : name ~ /s$/ ? 2 : 4
  if (name ~ /^f/) return name ~ /s$/ ? 4 : 8
  if (operands ~ /%[xyz]mm/) {
    if (name ~ /cvtsi2/) return name ~ /q$/ ? 8 : 4
    if (name ~ /(movd|ss|ss2sd|ss2si.?)$/) return 4
    if (name ~ /(movq|sd|sd2ss|sd2si.?|mov[hl]p[sd]|ps2pd|dq2pd|movddup)$/) return 8
    return name ~ /(p[sd]|dq[au])$/ ? 16 : 1
  }
  if (name ~ /^set/ || name ~ /^mov[sz]b/) return 1
  if (name ~ /^mov[sz]w/) return 2
  if (name ~ /^movsl/) return 4
  return name ~ /q$/ ? 8 : name ~ /l$/ ? 4 : name ~ /w$/ ? 2 : 1
}
function use(line,    name, operands, place, writes) {
  name = $1
  operands = substr(line, index(line, name) + length(name) + 1)
  if (name ~ /^(lea|nop|prefetch|call|j|lock|rep|push|pop|xchg|cmpxchg|cmov|fnst|fldcw|ldmx|stmx|\.)/) return
  if (operands ~ /[*:;"]/ || !match(operands, /[^ ,()]*\([^)]*\)/)) return
  place = substr(operands, RSTART, RLENGTH)
  if (place ~ /%rip/ || (place ~ /%r[sb]p/ && !is_host)) return
  writes = RSTART + RLENGTH > length(operands) && name !~ /^(cmp|test|mul|imul|div|idiv|v?u?comis|f(i|u|ld|add|sub|mul|div|com))/
  if (name ~ /^(fist)/) writes = 1
  if (place ~ /%rsp/) place = "136+" place
  print "\tleaq\t-128(%rsp), %rsp\n\tpushq\t%rdi\n\tleaq\t" place ", %rdi"
  print "\tcall\tchomp_explore_" (writes ? "write" : "read") bytes_of(name, operands) "@PLT"
  print "\tpopq\t%rdi\n\tleaq\t128(%rsp), %rsp"
}
{ lines[NR] = $0 }
/^\t\.string\t"FRAME\./ { has_record = 1 } # so is it called in the debug information
/^\t\.cfi_startproc/ { begin = NR }
/__tsan_func_entry/ { has_entry[begin] = 1 }
/, %r10$/ { host[begin] = 1 }
END {
  for (i = 1; i <= NR; ++i) {
    $0 = lines[i]
    if ($0 ~ /^\t\.cfi_startproc/) {
      is_host = i in host
      begun = entered = !(i in has_entry)
    }
    if ($0 ~ /__tsan_func_exit/ || $0 ~ /^\t\.cfi_endproc/) begun = 0
    if (has_record && begun && $0 ~ /^\t[a-z].*\(/) use($0)
    print
    if ($0 ~ /__tsan_func_entry/) entered = begun = 1
    if ($0 ~ /^\.L[0-9]+:/) begun = entered
  }
}' "$source" | as "$@"
