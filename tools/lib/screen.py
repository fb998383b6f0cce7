"""How the commands show their options: --help is one screen, at most 40 lines of 120 columns."""

import argparse

COLUMNS, WHERE_HELP_BEGINS = 120, 28


class Format(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog):
        super().__init__(prog, max_help_position=WHERE_HELP_BEGINS, width=COLUMNS)


def parser(prog, words, description, epilog=None):
    """A parser whose usage names only the words without a dash. --help is added by the last group of options, as help_for() does."""
    return argparse.ArgumentParser(prog=prog, usage=" ".join([prog, "[OPTION ...]", words]).strip(), description=description, epilog=epilog,
                                   formatter_class=Format, add_help=False)


def help_for(group):
    group.add_argument("-h", "--help", action="help", help="this help")
