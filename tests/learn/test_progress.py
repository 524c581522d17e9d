"""What a run shows of itself."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from him.learn.progress import Lines, Table, clock

METRICS = {
    "iteration": 7, "samples": 2.5e6, "seconds": 10.0, "samples_per_second": 250e3, "seconds_left": 3700.0,
    "rollout/reward": 0.5, "tracking/linear": 0.123, "terrain/level": 3.2, "loss/value": 0.01,
}  # fmt: skip


def test_lines_show_the_figures_that_matter(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(int(1e8)).show(METRICS)
    line = capsys.readouterr().out
    for part in (
        "iteration 7",
        "2.50 of 100.00 M samples",
        "250.0 k/s",
        "1:01:40 left",
        "linear 0.123",
        "level 3.2",
    ):
        assert part in line


def test_table_shows_every_figure() -> None:
    table = Table(int(1e8))
    console = Console(width=200, record=True, file=io.StringIO())
    table.live.console = console
    with table:
        table.show(METRICS)
    text = console.export_text()
    for part in ("tracking", "linear", "0.123", "terrain", "3.2", "loss", "1:01:40 left"):
        assert part in text


def test_clock() -> None:
    assert [clock(x) for x in (0, 59.6, 3661)] == ["0:00:00", "0:01:00", "1:01:01"]
