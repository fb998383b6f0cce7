# Every file directly in tools/ reads this: a command starts in plain shell, sets up what it needs, then goes on in Python.
#
#   start NEEDS SCRIPT ARGUMENT ...    SCRIPT: from tools/; NEEDS: a purpose of tools/lib/setup.sh, or `nothing`
#
# --help installs nothing. Where there is no Python yet, it is the comment at the top of the command's own file.
home=$(CDPATH='' cd "$(dirname "$0")" && pwd)
own_file=$home/$(basename "$0")

asks_for_help() {
  for word; do
    case $word in
    --help | -h) return 0 ;;
    --) return 1 ;;
    esac
  done
  return 1
}

start() {
  needs=$1 script=$home/$2
  shift 2
  if asks_for_help "$@"; then
    if ! command -v python3 >/dev/null 2>&1; then
      sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$own_file"
      echo "(Without Python this is all of the help. The command installs it, or: apt-get install python3)"
      exit 0
    fi
  elif [ "$needs" != nothing ]; then
    "$home/lib/setup.sh" "$needs" || exit 1
  fi
  exec python3 -B "$home/lib/command.py" "tools/${own_file##*/}" "$script" "$@"
}
