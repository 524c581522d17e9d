"""`him bench tracking`: the paper's table of tracking errors, measured."""

from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from him.bench import comparison, records
from him.bench.player import Player
from him.bench.records import Record, Subject
from him.bench.tracking import BLOCK, Forces, TrackingSettings
from him.cli.outputs import keep
from him.errors import HimError
from him.sim import engines

FOLDER = Path("results/tracking")

SHOWN = 6
"""Methods that a terminal has room for; the page has all."""


def run_tracking(
    policies: tyro.conf.Positional[tuple[str, ...]] = (),
    /,
    out: Path = FOLDER,
    trials: int = TrackingSettings.trials,
    block: int | None = None,
    seconds: float = TrackingSettings.seconds,
    seed: int = TrackingSettings.seed,
    forces: Forces = TrackingSettings.forces,
    device: str | None = None,
) -> int:
    """The paper's table of tracking errors: 4 terrains, linear, angular and combined commands, two ranges.

    What was measured before is not measured again, so a call that was interrupted goes on where it stopped. The
    table holds all policies measured in the folder; those that differ in their seeds alone are averaged.

    Args:
        policies: names of shipped policies or paths of .onnx files; without any the table is written anew.
        out: folder of the records and the tables.
        trials: for each terrain, command and range (paper: 4096 x 5).
        block: trials of a cell simulated at once; by default 4096 on a GPU and 64 on a CPU.
        seconds: length of a trial.
        seed: of the worlds and the commands.
        forces: external forces as the paper's authors apply them, which hardly move a robot, or as in training.
        device: torch device; by default the GPU where there is one.
    """
    where = device or str(engines.default_device())
    settings = TrackingSettings(trials, block or BLOCK[where.partition(":")[0]], seconds, seed, forces)
    players = [Player(policy, where) for policy in policies]
    pairs = [(player, Record.open(out / "policies", Subject.of(player), settings)) for player in players]
    total = sum(len(record.missing()) for _, record in pairs)
    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task("blocks", total=total)
        for record in records.fill(pairs, where):
            progress.update(task, advance=1, description=record.subject.name)
    return tables(out)


def tables(out: Path, quiet: bool = False) -> int:
    """Write the tables of all robots that were measured in a folder, and show them."""
    from him.view import tracking as picture

    found = records.complete(out / "policies")
    if not found:
        raise HimError(f"nothing was measured in {out} yet: name at least one policy")
    for robot in dict.fromkeys(record.subject.robot for record in found):
        result = comparison.table([record for record in found if record.subject.robot == robot])
        keep(out / robot, result, comparison.markdown(result))
        picture.draw(result, out / f"{robot}.png")
        if not quiet:
            _show(result)
        print(f"wrote {out / robot}.md, .json and .png")
    return 0


def _show(result: dict[str, Any]) -> None:
    table = Table("terrain", "commands", "range", "error", title=f"tracking errors, {result['robot']}")
    for about in list(result["columns"].values())[:SHOWN]:
        table.add_column(f"{about['title']} (paper)")
    for row in result["rows"]:
        cells = [
            f"{cell['mean']:.3f} ± {cell['interval']:.3f}" + (f" ({cell['paper']:.3f})" if cell["paper"] else "")
            for cell in list(row["columns"].values())[:SHOWN]
        ]
        table.add_row(row["terrain"], row["test"], row["range"], row["error"], *cells)
    Console().print(table)
