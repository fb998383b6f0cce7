"""The command chomp, as `chomp` or `python -m chomp`. A script of Python's is run by the interpreter that runs this."""

import os
import sys

from . import command, path

RUNNING = ("run", "bench", "report", "trace")
WITH_VALUE = ("--scheduler", "--threads", "--domain", "--seconds", "--rounds", "--output", "-o", "--limit", "--slices", "--html", "--export")


def with_interpreter(arguments):
    """`run [options] script.py …`, or another command that runs a program, with the interpreter in front of the script."""
    at = 1
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] == "--":
            at += 1
            break
        if arguments[at] == "--from":  # recordings follow, no program
            return arguments
        at += 2 if arguments[at] in WITH_VALUE else 1
    if at < len(arguments) and arguments[at].endswith(".py"):
        return [*arguments[:at], sys.executable, *arguments[at:]]
    return arguments


def main():
    arguments = sys.argv[1:]
    if arguments and arguments[0] in RUNNING:
        arguments = with_interpreter(arguments)
    if arguments == ["path"]:
        print(path())
        return
    for program in (command(), command() + "-analyse"):
        if not os.access(program, os.X_OK):  # an installer that loses the permission
            os.chmod(program, 0o755)
    os.execv(command(), ["chomp", *arguments])


if __name__ == "__main__":
    main()
