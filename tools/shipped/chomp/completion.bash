# Completion of the command chomp for bash. Installed as share/bash-completion/completions/chomp.
_chomp() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "info doctor run bench trace report explore cc explore-flags path --version --help" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
  run | bench | trace | report | explore)
    # Behind the program come its own arguments.
    for ((at = 2; at < COMP_CWORD; at++)); do
      case ${COMP_WORDS[at]} in
      --scheduler | --threads | --domain | --output | -o | --export | --limit | --slices | --html | --seconds | --rounds | --runs | --seed | --expect | --check | --junit | --sarif | --replay | --until | --steps) ((at++)) ;;
      -* | =) ;;
      *)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
      esac
    done
    case $before in
    --scheduler)
      mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" info 2>/dev/null |
        sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p')" -- "$word")
      ;;
    --domain) mapfile -t COMPREPLY < <(compgen -W "default socket l3 numa core machine" -- "$word") ;;
    --threads | --limit | --slices | --seconds | --rounds) ;;
    --output | -o | --from | --html) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *)
      if [[ $word == -* ]]; then
        local own=
        local stats=--stats
        [[ ${COMP_WORDS[1]} == bench ]] && own="--seconds --rounds --show --export" stats=
        [[ ${COMP_WORDS[1]} == trace ]] && own="--output --limit --slices --from"
        [[ ${COMP_WORDS[1]} == report ]] && own="--json --html --output --limit --from"
        local usual="--scheduler --threads --domain"
        [[ ${COMP_WORDS[1]} == explore ]] && usual= stats= own="--runs --seconds --seed --threads --expect --check --junit --sarif --any-output --all --determinacy --exhaustive --only-region --reduce --replay --until --steps"
        mapfile -t COMPREPLY < <(compgen -W "$usual $stats --force $own --help --" -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
      fi
      ;;
    esac
    ;;
  doctor)
    if [[ $word == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "--pid --help" -- "$word")
    elif [[ $before != --pid ]]; then
      mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
    fi
    ;;
  info | path) mapfile -t COMPREPLY < <(compgen -W "--help" -- "$word") ;;
  esac
}
complete -o filenames -F _chomp chomp
