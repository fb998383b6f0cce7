#compdef chomp
# Completion of the command chomp for zsh. Installed as share/zsh/site-functions/_chomp.
_chomp() {
  local word=$words[CURRENT] before=$words[CURRENT-1]
  local -a options
  integer at
  if ((CURRENT == 2)); then
    compadd -- info doctor run bench trace report explore cc explore-flags path --version --help
    return
  fi
  case $words[2] in
  run | bench | trace | report | explore)
    # Behind the program come its own arguments.
    for ((at = 3; at < CURRENT; at++)); do
      case $words[at] in
      --scheduler | --threads | --domain | --output | -o | --export | --limit | --slices | --html | --from | --seconds | --rounds | --runs | --seed | --expect | --check | --junit | --sarif | --replay | --until | --steps) ((at++)) ;;
      -*) ;;
      *)
        _files
        return
        ;;
      esac
    done
    case $before in
    --scheduler)
      compadd -- $($words[1] info 2>/dev/null | sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p')
      ;;
    --domain) compadd -- default socket l3 numa core machine ;;
    --threads | --limit | --slices | --seconds | --rounds) ;;
    --output | -o | --from | --html) _files ;;
    *)
      if [[ $word != -* ]]; then
        _command_names -e
        _files
        return
      fi
      options=(--scheduler --threads --domain --force --help --)
      case $words[2] in
      run) options+=(--stats) ;;
      bench) options+=(--seconds --rounds --show --export) ;;
      trace) options+=(--stats --output --limit --slices --from) ;;
      report) options+=(--stats --json --html --output --limit --from) ;;
      esac
      [[ $words[2] == explore ]] && options=(--runs --seconds --seed --threads --expect --check --junit --sarif --any-output --all --determinacy --exhaustive --only-region --reduce --replay --until --steps --force --help --)
      compadd -- $options
      ;;
    esac
    ;;
  doctor)
    if [[ $word == -* ]]; then
      compadd -- --pid --help
    elif [[ $before != --pid ]]; then
      _command_names -e
      _files
    fi
    ;;
  info | path) compadd -- --help ;;
  esac
}
# As an autoloaded function this file is the body of _chomp, and is called to complete.
if [[ $funcstack[1] == _chomp ]]; then
  _chomp "$@"
else
  compdef _chomp chomp
fi
