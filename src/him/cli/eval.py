"""`him eval`: what a policy can do, in numbers."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.table import Table

from him.bench import evaluation
from him.bench.evaluation import EvalSettings
from him.bench.player import Player
from him.sim import engines


@dataclass(frozen=True)
class Arguments:
    """Measure a policy on arenas of fixed kind and level, randomisation and noise on."""

    policy: Annotated[str, tyro.conf.Positional]
    """Name of a shipped policy, or the path of an .onnx file."""
    parts: tuple[Literal["flat", "success", "tracking"], ...] = ("flat", "success", "tracking")
    """What to measure."""
    out: Path | None = None
    """Also write the figures to this JSON file."""
    settings: Annotated[EvalSettings, tyro.conf.arg(name="")] = field(default_factory=EvalSettings)


def main(argv: list[str]) -> int:
    a = tyro.cli(Arguments, prog="him eval", args=argv)
    device = a.settings.device or str(engines.default_device())
    player = Player(a.policy, device)
    result: dict[str, Any] = {"policy": a.policy, "command": " ".join(["him", "eval", *argv])}
    result["settings"] = asdict(a.settings)
    console = Console()
    for part in a.parts:
        with console.status(f"measuring {part}"):
            result[part] = getattr(evaluation, part)(player, a.settings)
        _show(console, part, result[part])
        if a.out is not None:
            a.out.parent.mkdir(parents=True, exist_ok=True)
            a.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def _show(console: Console, title: str, figures: Any) -> None:
    if isinstance(figures, dict):
        figures = [{"figure": name, "value": value} for name, value in figures.items()]
    if title == "success":
        figures = _by_level(figures)
    table = Table(*figures[0], title=title)
    for row in figures:
        table.add_row(*(str(value) for value in row.values()))
    console.print(table)


def _by_level(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a terrain, one column a level."""
    table: dict[str, dict[str, Any]] = {}
    for row in rows:
        table.setdefault(row["terrain"], {"terrain": row["terrain"]})[f"level {row['level']}"] = row["success"]
    return list(table.values())
