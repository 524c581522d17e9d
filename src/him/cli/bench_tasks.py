"""`him bench tasks`: the paper's eight real-world tasks."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from him.bench.tasks import report
from him.bench.tasks.cells import Cell
from him.bench.tasks.crew import Crew, cores
from him.bench.tasks.entrants import gather
from him.bench.tasks.registry import chosen
from him.bench.tasks.scene import Task
from him.bench.tasks.table import TABLE
from him.cli.outputs import keep
from him.errors import HimError

FOLDER = Path("results/tasks")

PROBES = 6
"""Weights that a search tries, at most: for the progress bar."""


def run_tasks(
    policies: tyro.conf.Positional[tuple[str, ...]] = (),
    /,
    tasks: tuple[str, ...] = (),
    trials: int = 20,
    out: Path = FOLDER,
    workers: int | None = None,
    draw: bool = True,
    video: bool = False,
) -> int:
    """The paper's eight real-world tasks in plain MuJoCo C, walked by the controller that drives robots.

    What was measured before is shown and not measured again, so a call that was interrupted goes on where it stopped.
    docs/tasks.md says what each task is.

    Args:
        policies: names of shipped policies or paths of .onnx files; by default every policy that is there.
        tasks: names of tasks; by default all eight.
        trials: of each task; they differ in start, friction and noise.
        out: folder of the results; delete it to measure anew.
        workers: processes; by default one for each core.
        draw: a picture of each task.
        video: film the first trial of each task, with the first policy of its robot.
    """
    if trials < 1:
        raise HimError("at least one trial is needed")
    wanted = chosen(tasks)
    entrants, remarks = gather(policies)
    remarks += report.lacking(wanted, [entrant.robot for entrant in entrants]) + report.unused(wanted, entrants)
    console = Console(stderr=True)
    for remark in remarks:
        console.print(remark, style="yellow", highlight=False)
    cells = [Cell(task, entrant, trials) for entrant in entrants for task in chosen(()) if task.robot == entrant.robot]
    results = measure(cells, wanted, out, workers or cores(), console)
    measured = {result["task"] for result in results}
    rows = [task for task in chosen(()) if task in wanted or task.name in measured]
    page = report.markdown(rows, results, remarks)
    command = " ".join(["him bench tasks", *policies, *(["--tasks", *tasks] if tasks else []), f"--trials {trials}"])
    about = {"command": command, "trials": trials, "table": asdict(TABLE), "remarks": remarks}
    keep(out / "tasks", about | {"cells": _brief(results)}, f"{page}\nMade with `{command}`.\n")
    Console().print(Markdown(page))
    print(f"wrote {out / 'tasks.md'} and .json")
    if draw or video:
        from him.cli import bench_tasks_pictures as pictures  # needs the extra `view`

        policy = {entrant.robot: entrant.path for entrant in reversed(entrants)}
        with console.status("drawing"):
            cast = [(task.name, policy.get(task.robot)) for task in wanted]
            written = pictures.draw(cast, out / "pictures", draw, video, workers or cores())
        console.print(f"wrote {len(written)} files to {out / 'pictures'}", highlight=False)
    return 0


def measure(
    cells: Sequence[Cell], tasks: Sequence[Task], out: Path, workers: int, console: Console
) -> list[dict[str, Any]]:
    """Results from the folder, and those of these tasks that were missing."""
    kept = {cell: cell.kept(out) for cell in cells}
    missing = [cell for cell in cells if kept[cell] is None and cell.task in tasks]
    bar = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Crew(workers if missing else 1) as crew, Progress(*bar, console=console) as progress:
        for number, cell in enumerate(missing, 1):
            total = cell.trials * (PROBES if cell.task.metric == "weight" else 1)
            name = f"{number} of {len(missing)}: {cell.task.name}, {cell.entrant.name}"
            task = progress.add_task(name, total=total)
            result = cell.measure(crew, partial(progress.advance, task))
            progress.update(task, total=progress.tasks[task].completed)
            kept[cell] = cell.keep(out, result)
    return [found for found in kept.values() if found is not None]


def _brief(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what stands in the cells' own files: the table and the single trials."""
    return [{k: v for k, v in result.items() if k not in ("table", "outcomes")} for result in results]
