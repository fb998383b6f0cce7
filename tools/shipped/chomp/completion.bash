# Completion of the command chomp for bash, of what its --help says. Installed as share/bash-completion/completions/chomp.
_chomp() {
  local chomp=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} at
  local help offer=(-c -f)
  if ((COMP_CWORD == 1)); then
    help="--help $("$chomp" --help | sed -n 's/^\(usage:\)\{0,1\} *chomp \([a-z-]*\) .*/\2/p')"
    mapfile -t COMPREPLY < <(compgen -W "$help" -- "$word")
    return
  fi
  help="--help $("$chomp" "$command" --help 2>/dev/null)"
  [[ $help == *"beside those of"* ]] && help+=" $("$chomp" run --help)"
  # Behind the program come its own arguments.
  for ((at = 2; at < COMP_CWORD; at++)); do
    [[ ${COMP_WORDS[at]} == [-=]* ]] || { offer=(-f) && break; }
    [[ $help =~ ${COMP_WORDS[at]}" "[A-Z0-9] ]] && ((at++))
  done
  if [[ ${offer[0]} == -c && $before == --scheduler ]]; then
    offer=(-W "$("$chomp" info 2>/dev/null | sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p')")
  elif [[ ${offer[0]} == -c && $before == --domain ]]; then
    offer=(-W "$(sed -n 's/,\| or / /g; s/.*CHOMP_DOMAIN: //p' <<<"$help")")
  elif [[ ${offer[0]} == -c && $before == -* && $help =~ $before" "[A-Z0-9] ]]; then
    [[ $help == *"$before FILE"* ]] && offer=(-f) || return
  elif [[ ${offer[0]} == -c && $word == -* ]]; then
    offer=(-W "-- $(grep -oE -- '--[a-z][a-z-]*' <<<"$help" | sort -u)")
  fi
  mapfile -t COMPREPLY < <(compgen "${offer[@]}" -- "$word")
}
complete -o filenames -F _chomp chomp
