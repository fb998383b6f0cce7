# Completion of the command chomp for fish, of what its --help says. Installed as share/fish/vendor_completions.d/chomp.fish.
function __chomp_options
    set -l help (chomp (commandline -opc)[2] --help 2>/dev/null)
    string match -q '*beside those of*' $help; and set -a help (chomp run --help)
    echo --help
    string match -rag -- '(--[a-z][a-z-]*)' $help
end

function __chomp_follows
    contains -- (commandline -opc)[-1] $argv
end

complete -c chomp -n __fish_use_subcommand -f -a "--help (chomp --help | string replace -rf '^(?:usage:)? *chomp ([a-z-]+) .*' '\$1')"
complete -c chomp -n "__chomp_follows --scheduler" -f \
    -a "(chomp info | sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p')"
complete -c chomp -n "__chomp_follows --domain" -f -a "(chomp run --help | sed -n 's/,\| or /\n/g; s/.*CHOMP_DOMAIN: //p')"
complete -c chomp -n "not __fish_use_subcommand; and string match -q -- '-*' (commandline -ct)" -f -a "(__chomp_options)"
complete -c chomp -n "not __fish_use_subcommand; and not __chomp_follows --scheduler --domain" -a "(__fish_complete_command)"
