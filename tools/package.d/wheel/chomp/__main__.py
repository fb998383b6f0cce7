"""The command chomp, as `chomp` or `python -m chomp`. A script of Python's is run by the interpreter that runs this."""

import os
import sys

from . import command, path

WITH_VALUE = ("--scheduler", "--threads", "--domain", "--seconds", "--rounds")


def with_interpreter(arguments):
    """`run [options] script.py …`, or `bench …`, with the interpreter in front of the script."""
    at = 1
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] == "--":
            at += 1
            break
        at += 2 if arguments[at] in WITH_VALUE else 1
    if at < len(arguments) and arguments[at].endswith(".py"):
        return [*arguments[:at], sys.executable, *arguments[at:]]
    return arguments


def main():
    arguments = sys.argv[1:]
    if arguments[:1] in (["run"], ["bench"]):
        arguments = with_interpreter(arguments)
    if arguments == ["path"]:
        print(path())
        return
    if not os.access(command(), os.X_OK):  # an installer that loses the permission
        os.chmod(command(), 0o755)
    os.execv(command(), ["chomp", *arguments])


if __name__ == "__main__":
    main()
