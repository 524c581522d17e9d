"""`him bench`: measure the simulator and the policies."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table

from him.bench import sim, training
from him.cli.bench_ablation import run_ablation
from him.cli.bench_campaign import run_campaign
from him.cli.bench_contrastive import run_contrastive
from him.cli.bench_latent import run_latent
from him.cli.bench_relearn import run_relearn
from him.cli.bench_report import run_report
from him.cli.bench_tasks import run_tasks
from him.cli.bench_tracking import run_tracking


@dataclass(frozen=True)
class Output:
    """Where a result goes."""

    json: bool = False
    """Print JSON instead of a table."""
    out: Path | None = None
    """Also write the JSON to this file."""


def run_sim(settings: tyro.conf.OmitArgPrefixes[sim.SimSettings], output: tyro.conf.OmitArgPrefixes[Output]) -> int:
    """Speed of the simulator: random actions on all levels, everything randomised, falls reset."""
    _show("simulator", sim.measure(settings), output)
    return 0


def run_training(
    settings: tyro.conf.OmitArgPrefixes[training.SpeedSettings], output: tyro.conf.OmitArgPrefixes[Output]
) -> int:
    """Speed of training: rollouts and both updates, and what physics, the rest of a step and an update take."""
    _show("training", training.measure(settings), output)
    return 0


def run_courses(
    policy: Annotated[str, tyro.conf.Positional], output: tyro.conf.OmitArgPrefixes[Output], trials: int = 20
) -> int:
    """Stairs, a slope and a drop of boxes in plain MuJoCo C, walked by the controller that drives robots.

    Args:
        policy: name of a shipped policy, or the path of an .onnx file.
        output: where the result goes.
        trials: trials on each course; they differ in start, friction and noise.
    """
    from him.bench import courses

    _show("courses", {"policy": policy, "trials": trials} | courses.measure(policy, trials), output)
    return 0


COMMANDS: dict[str, Callable[..., int]] = {
    "sim": run_sim,
    "training": run_training,
    "courses": run_courses,
    "tracking": run_tracking,
    "ablation": run_ablation,
    "latent": run_latent,
    "contrastive": run_contrastive,
    "relearn": run_relearn,
    "report": run_report,
    "campaign": run_campaign,
    "tasks": run_tasks,
}


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
