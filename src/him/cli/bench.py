"""`him bench`: measure the simulator and the policies."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table

from him.bench import sim


@dataclass(frozen=True)
class Output:
    """Where a result goes."""

    json: bool = False
    """Print JSON instead of a table."""
    out: Path | None = None
    """Also write the JSON to this file."""


def run_sim(
    settings: tyro.conf.OmitArgPrefixes[sim.SimSettings], output: tyro.conf.OmitArgPrefixes[Output]
) -> int:
    """Speed of the simulator: random actions on all levels, everything randomised, falls reset."""
    _show("simulator", sim.measure(settings), output)
    return 0


COMMANDS: dict[str, Callable[..., int]] = {"sim": run_sim}


def main(argv: list[str]) -> int:
    return int(tyro.extras.subcommand_cli_from_dict(COMMANDS, prog="him bench", args=argv) or 0)


def _show(title: str, result: dict[str, Any], output: Output) -> None:
    text = json.dumps(result, indent=2)
    if output.out is not None:
        output.out.parent.mkdir(parents=True, exist_ok=True)
        output.out.write_text(text + "\n")
    if output.json:
        print(text)
        return
    table = Table("what", "value", title=title)
    for name, value in result.items():
        table.add_row(name, f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value))
    Console().print(table)
