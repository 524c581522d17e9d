"""What one sees of a run while it trains: a live table in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Protocol

COUNTERS = ("iteration", "samples", "seconds", "samples_per_second", "seconds_left")
HIGHLIGHTS = (
    "rollout/reward",
    "tracking/",
    "terrain/",
    "loss/velocity",
    "loss/contrastive",
    "loss/latent",
    "update/skipped",
)


class Display(Protocol):
    def __enter__(self) -> Display: ...
    def __exit__(self, *_: object) -> None: ...
    def show(self, metrics: dict[str, float]) -> None: ...


def display(total_samples: int) -> Display:
    """The table where there is a terminal and `rich`; lines otherwise."""
    if sys.stdout.isatty():
        try:
            return Table(total_samples)
        except ImportError:
            pass
    return Lines(total_samples)


class Silent:
    """For every process but the first."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def show(self, metrics: dict[str, float]) -> None:
        return None


class Lines(Silent):
    """One line of text per report."""

    def __init__(self, total_samples: int) -> None:
        self.total_samples = total_samples

    def show(self, metrics: dict[str, float]) -> None:
        chosen = [
            f"{name.split('/')[-1]} {value:.3g}" for name, value in metrics.items() if name.startswith(HIGHLIGHTS)
        ]
        print(" | ".join([headline(metrics, self.total_samples), *chosen]), flush=True)


class Table(Silent):
    """A live table: the headline, then the metrics in columns by what stands before their slash."""

    def __init__(self, total_samples: int) -> None:
        from rich.live import Live

        self.total_samples = total_samples
        self.live = Live(refresh_per_second=4)

    def __enter__(self) -> Table:
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def show(self, metrics: dict[str, float]) -> None:
        from rich.columns import Columns
        from rich.panel import Panel
        from rich.table import Table as Grid

        groups: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, value in metrics.items():
            if name not in COUNTERS:
                group, _, rest = name.rpartition("/")
                groups[group or "task"].append((rest, value))
        columns = []
        for group, rows in groups.items():
            grid = Grid.grid(padding=(0, 1))
            for name, value in rows:
                grid.add_row(name, f"{value:.4g}")
            columns.append(Panel(grid, title=group, expand=False))
        self.live.update(Panel(Columns(columns), title=headline(metrics, self.total_samples)))


def headline(metrics: dict[str, float], total_samples: int) -> str:
    done = f"{metrics['samples'] / 1e6:.2f} of {total_samples / 1e6:.2f} M samples"
    rate = f"{metrics['samples_per_second'] / 1e3:.1f} k/s"
    phase = f"phase {metrics['phase']:.0f}, " if "phase" in metrics else ""
    return f"{phase}iteration {metrics['iteration']:.0f} | {done} | {rate} | {clock(metrics['seconds_left'])} left"


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def tensorboard(folder: Path, samples: int) -> Any | None:
    """A TensorBoard writer, or nothing where it is not installed; metrics.jsonl has the same figures."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=samples + 1 if samples else None)
