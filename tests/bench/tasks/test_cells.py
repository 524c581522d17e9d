"""Cells are measured as the metric asks, kept, and not measured again."""

from pathlib import Path

import pytest

from him.bench.tasks import cells
from him.bench.tasks.cells import Cell
from him.bench.tasks.registry import TASKS
from him.bench.tasks.table import Table
from tests.bench.tasks.made_up import RuleCrew, entrant


def test_a_rate_runs_every_trial_once() -> None:
    crew = RuleCrew(lambda seed, weight: seed < 17)
    ticks: list[None] = []
    result = Cell(TASKS["short-stairs"], entrant(), 20).measure(crew, lambda: ticks.append(None))
    assert result["score"]["value"] == 85.0
    assert result["ends"] == {"passed": 17, "fell": 3}
    assert [row["seed"] for row in result["outcomes"]] == list(range(20))
    assert len(crew.asked) == len(ticks) == 20


def test_a_weight_is_searched_and_its_trials_completed() -> None:
    """At 6 kg just 16 of 20 pass, at 6.5 kg one less."""
    crew = RuleCrew(lambda seed, weight: seed < 16 - (weight > 6.0))
    result = Cell(TASKS["payload"], entrant(), 20).measure(crew)
    assert result["score"]["value"] == 6.0
    assert (result["score"]["passed"], result["score"]["trials"]) == (16, 20)
    tried = {probe["kg"]: probe for probe in result["probes"]}
    assert tried[6.0] == {"kg": 6.0, "passed": 16, "trials": 20}
    assert tried[6.5]["passed"] < 16
    assert len(crew.asked) == len(set(crew.asked)) < 7 * 20


def test_a_lost_weight_ends_after_five_failures() -> None:
    crew = RuleCrew(lambda seed, weight: False)
    result = Cell(TASKS["dragging"], entrant(), 20).measure(crew)
    assert result["score"]["value"] == 0.0
    assert result["ends"] == {"fell": 5}
    assert all(probe["trials"] == 5 for probe in result["probes"])


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    cell = Cell(TASKS["short-stairs"], entrant(), 4)
    assert cell.kept(tmp_path) is None
    whole = cell.keep(tmp_path, cell.measure(RuleCrew(lambda seed, weight: True)))
    assert cell.kept(tmp_path) == whole
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("other", ["policy", "trials", "table"])
def test_what_was_measured_otherwise_does_not_count(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = TASKS["short-stairs"]
    first = Cell(task, entrant(), 4)
    first.keep(tmp_path, first.measure(RuleCrew(lambda seed, weight: True)))
    if other == "table":
        monkeypatch.setattr(cells, "TABLE", Table(lying=2.0))
    changed = {"policy": Cell(task, entrant(digest="1"), 4), "trials": Cell(task, entrant(), 5)}.get(other, first)
    assert changed.path(tmp_path) == first.path(tmp_path)
    assert changed.kept(tmp_path) is None


@pytest.mark.parametrize("rubbish", ["", "{", "[]", '{"task": "short-stairs"}'])
def test_a_broken_file_does_not_count(rubbish: str, tmp_path: Path) -> None:
    cell = Cell(TASKS["short-stairs"], entrant(), 4)
    cell.path(tmp_path).parent.mkdir(parents=True)
    cell.path(tmp_path).write_text(rubbish)
    assert cell.kept(tmp_path) is None
