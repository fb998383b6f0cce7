#compdef chomp
# Completion of the command chomp for zsh, of what its --help says. Installed as share/zsh/site-functions/_chomp.
_chomp() {
  local chomp=$words[1] word=$words[CURRENT] before=$words[CURRENT-1] help
  integer at
  if ((CURRENT == 2)); then
    compadd -- --help $($chomp --help | sed -n 's/^\(usage:\)\{0,1\} *chomp \([a-z-]*\) .*/\2/p')
    return
  fi
  help="--help $($chomp $words[2] --help 2>/dev/null)"
  [[ $help == *"beside those of"* ]] && help+=" $($chomp run --help)"
  # Behind the program come its own arguments.
  for ((at = 3; at < CURRENT; at++)); do
    [[ $words[at] == -* ]] || { _files; return; }
    [[ $help =~ "$words[at] [A-Z0-9]" ]] && ((at++))
  done
  if [[ $before == --scheduler ]]; then
    compadd -- $($chomp info 2>/dev/null | sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p')
  elif [[ $before == --domain ]]; then
    compadd -- $(sed -n 's/,\| or / /g; s/.*CHOMP_DOMAIN: //p' <<<$help)
  elif [[ $before == -* && $help =~ "$before [A-Z0-9]" ]]; then
    [[ $help == *"$before FILE"* ]] && _files
  elif [[ $word == -* ]]; then
    compadd -- -- $(grep -oE -- '--[a-z][a-z-]*' <<<$help | sort -u)
  else
    _command_names -e
    _files
  fi
}
# As an autoloaded function this file is the body of _chomp, and is called to complete.
if [[ $funcstack[1] == _chomp ]]; then
  _chomp "$@"
else
  compdef _chomp chomp
fi
