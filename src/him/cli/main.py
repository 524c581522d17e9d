"""`him`: finds the command and runs it. A command is imported when called, so each needs only its own."""

import difflib
import importlib
import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from him import __version__
from him.cli.extras import extra_of
from him.errors import HimError, MissingExtraError

COMMANDS = {
    "train": "train a policy",
    "eval": "measure a policy: tracking, success by terrain and level, standing",
    "play": "watch a policy walk: in the browser, or in a video",
    "export": "turn a run into one policy file",
    "robots": "list the robots, check one's own table, draw them",
    "terrain": "draw the training terrain and single tiles",
    "bench": "measure the simulator and the policies",
    "deploy": "run a policy on a robot",
    "doctor": "what this machine can do, and what to install for the rest",
}
"""Name and purpose of each command; `him NAME` calls `main` of `him.cli.NAME`."""

USAGE_ERROR = 2
INTERRUPTED = 130


def run() -> None:
    """Entry point of the installed command."""
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run one command and turn the errors a user can act on into one line."""
    if not argv or argv[0] in ("-h", "--help", "help"):
        _list_commands()
        return 0
    if argv[0] == "--version":
        print(f"him {__version__}")
        return 0
    try:
        return _call(argv[0], argv[1:])
    except HimError as error:
        message = f"[bold red]him {escape(argv[0])}:[/] {escape(str(error))}"
        Console(stderr=True, soft_wrap=True).print(message)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return INTERRUPTED


def _call(name: str, argv: list[str]) -> int:
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(COMMANDS)}"
        raise HimError(f"there is no such command; {hint}")
    try:
        return importlib.import_module(f"him.cli.{name}").main(argv)
    except ModuleNotFoundError as error:
        extra = extra_of(error.name)
        if extra is None:
            raise
        raise MissingExtraError(str(error.name), extra) from None


def _list_commands() -> None:
    console = Console(highlight=False)
    console.print("Quadrupeds that walk from joint encoders and an IMU alone.\n")
    console.print(r"usage: [bold]him[/] COMMAND \[OPTIONS]" + "\n")
    table = Table.grid(padding=(0, 3))
    for name, purpose in COMMANDS.items():
        table.add_row(f"  [bold]{name}[/]", purpose)
    console.print(table)
    console.print("\n`him COMMAND --help` lists the options of a command.")
