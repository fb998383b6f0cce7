# Completion of the command chomp for fish. Installed as share/fish/vendor_completions.d/chomp.fish.
set -l with_program run bench trace report

complete -c chomp -n __fish_use_subcommand -f -a "info doctor run bench trace report explore cc explore-flags path"
complete -c chomp -n __fish_use_subcommand -l version -l help
complete -c chomp -n "not __fish_use_subcommand" -l help

function __chomp_schedulers
    chomp info 2>/dev/null | sed -n '/^schedulers/,/^settings/s/^  [* ] \([a-z-]*\).*/\1/p'
end

complete -c chomp -n "__fish_seen_subcommand_from $with_program" -l scheduler -x -a "(__chomp_schedulers)"
complete -c chomp -n "__fish_seen_subcommand_from $with_program" -l threads -x
complete -c chomp -n "__fish_seen_subcommand_from $with_program" -l domain -x -a "default socket l3 numa core machine"
complete -c chomp -n "__fish_seen_subcommand_from $with_program" -l force
complete -c chomp -n "__fish_seen_subcommand_from $with_program" -a "(__fish_complete_command)"
complete -c chomp -n "__fish_seen_subcommand_from run trace report" -l stats
complete -c chomp -n "__fish_seen_subcommand_from bench" -l seconds -x
complete -c chomp -n "__fish_seen_subcommand_from bench" -l rounds -x
complete -c chomp -n "__fish_seen_subcommand_from bench" -l export -r
complete -c chomp -n "__fish_seen_subcommand_from bench" -l show
complete -c chomp -n "__fish_seen_subcommand_from trace report" -l output -s o -r
complete -c chomp -n "__fish_seen_subcommand_from trace report" -l limit -x
complete -c chomp -n "__fish_seen_subcommand_from trace report" -l from -r
complete -c chomp -n "__fish_seen_subcommand_from trace" -l slices -x
complete -c chomp -n "__fish_seen_subcommand_from report" -l json
complete -c chomp -n "__fish_seen_subcommand_from report" -l html -r
for option in runs seconds seed threads expect check junit sarif only-region reduce replay until steps
    complete -c chomp -n "__fish_seen_subcommand_from explore" -l $option -x
end
complete -c chomp -n "__fish_seen_subcommand_from explore" -l any-output
complete -c chomp -n "__fish_seen_subcommand_from explore" -l all
complete -c chomp -n "__fish_seen_subcommand_from explore" -l exhaustive
complete -c chomp -n "__fish_seen_subcommand_from explore" -l determinacy
complete -c chomp -n "__fish_seen_subcommand_from explore" -l force
complete -c chomp -n "__fish_seen_subcommand_from explore cc" -a "(__fish_complete_command)"
complete -c chomp -n "__fish_seen_subcommand_from doctor" -l pid -x -a "(__fish_complete_pids)"
complete -c chomp -n "__fish_seen_subcommand_from doctor" -a "(__fish_complete_command)"
