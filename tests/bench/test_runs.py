"""Run folders as the benchmarks read them."""

from pathlib import Path

import pytest

from him.bench import runs
from him.errors import HimError
from him.learn.run import Run
from tests.bench import trained


def test_a_run_says_what_it_is(tmp_path: Path) -> None:
    found = runs.read(trained.run(tmp_path / "aliengo-rma-2", "rma", 2))
    assert (found.name, found.robot, found.method, found.seed) == ("aliengo-rma-2", "aliengo", "rma", 2)
    assert (found.samples, found.options, len(found.metrics)) == (200_000_000, {}, 50)


def test_its_copy_says_the_same(tmp_path: Path) -> None:
    folder = trained.run(tmp_path / "runs" / "a")
    Run(folder).keep(tmp_path / "results" / "a")
    assert runs.read(tmp_path / "results" / "a") == runs.read(folder)
    assert runs.find(tmp_path) == [tmp_path / "results" / "a", folder]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("him train aliengo --method him --seed 3 --out runs/a --log-every 50 --resume", {}),
        ("him train aliengo --him.prototypes 64 --samples 100", {"him.prototypes": "64"}),
        ("him train aliengo --him.over_prototypes=mean", {"him.over-prototypes": "mean"}),
        ("him train aliengo --him.encoder 32 16 --no-symmetry", {"him.encoder": "32 16", "no-symmetry": ""}),
    ],
)
def test_options_are_what_changes_the_learning(words: str, expected: dict[str, str]) -> None:
    assert runs.options(words.split()) == expected


def test_a_folder_without_a_run_or_a_curve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HimError, match="holds no run"):
        runs.read(tmp_path)
    folder = trained.run(tmp_path / "a")
    (folder / "metrics.jsonl").unlink()
    with pytest.raises(HimError, match="no metrics yet"):
        runs.read(folder)
    (folder / "settings.json").unlink()
    with pytest.raises(HimError, match="not the whole of a run"):
        runs.read(folder)
