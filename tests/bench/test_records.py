"""A record goes on where it stopped, and forgets what was measured otherwise."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from him.bench import records, tracking
from him.bench.records import Record, Subject
from him.errors import HimError
from tests.bench.grounds import FakeGround
from tests.bench.measured import SETTINGS, record, subject


@pytest.fixture
def grounds(monkeypatch: pytest.MonkeyPatch) -> list[FakeGround]:
    FakeGround.made = []
    monkeypatch.setattr(tracking, "Ground", FakeGround)
    return FakeGround.made


def player(path: Path, robot: str = "aliengo", seed: int = 0) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(str((path, seed)).encode())
    said = SimpleNamespace(
        robot=robot, method="him", seed=seed, samples=7, command="him train", commit="c", history_length=6
    )
    return SimpleNamespace(path=path, contract=said, robot=said.robot)


@pytest.mark.parametrize(
    ("file", "seed", "name", "column"),
    [
        ("runs/aliengo-regression-2/policy.onnx", 2, "aliengo-regression-2", "regression"),
        ("runs/aliengo-him-prototypes-8-0/policy.onnx", 0, "aliengo-him-prototypes-8-0", "him-prototypes-8"),
        ("policies/aliengo.onnx", 0, "aliengo", "him"),
        ("policies/aliengo-mob-flat.onnx", 0, "aliengo-mob-flat", "mob-flat"),
        ("mine.onnx", 0, "mine", "him"),
    ],
)
def test_seeds_of_one_recipe_share_a_column(tmp_path: Path, file: str, seed: int, name: str, column: str) -> None:
    found = Subject.of(player(tmp_path / file, seed=seed))
    assert (found.name, found.column, found.seed) == (name, column, seed)


def test_finished_blocks_are_not_measured_again(tmp_path: Path, grounds: list[FakeGround]) -> None:
    one = player(tmp_path / "a.onnx")
    begun = Record.open(tmp_path, Subject.of(one), SETTINGS)
    for _ in zip(range(3), records.fill([(one, begun)]), strict=False):
        pass
    assert len(begun.missing()) == 1
    grounds.clear()
    again = Record.open(tmp_path, Subject.of(one), SETTINGS)
    assert again.blocks == begun.blocks
    assert again.missing() == [("wide", 1)]
    assert [found.subject.name for found in records.fill([(one, again)])] == ["a"]
    assert len(grounds) == 1
    assert not Record.open(tmp_path, Subject.of(one), SETTINGS).missing()
    grounds.clear()
    assert list(records.fill([(one, again)])) == []
    assert not grounds, "nothing is even built"


def test_policies_of_one_robot_share_their_ground(tmp_path: Path, grounds: list[FakeGround]) -> None:
    players = [player(tmp_path / f"{n}.onnx", robot) for n, robot in enumerate(("aliengo", "aliengo", "a1"))]
    pairs = [(one, Record.open(tmp_path, Subject.of(one), SETTINGS)) for one in players]
    assert len(list(records.fill(pairs))) == 12
    assert [(ground.robot, len(ground.commands)) for ground in grounds] == [("aliengo", 4)] * 2 + [("a1", 2)] * 2
    assert len(records.complete(tmp_path)) == 3


def test_another_file_or_other_settings_begin_anew(tmp_path: Path) -> None:
    made = record(tmp_path, "him", 1.0)
    assert not Record.open(tmp_path, made.subject, SETTINGS).missing()
    assert len(Record.open(tmp_path, replace(made.subject, digest="other"), SETTINGS).missing()) == 4
    assert len(Record.open(tmp_path, made.subject, replace(SETTINGS, seed=5)).missing()) == 4


def test_what_was_measured_by_another_kind_of_trial_is_measured_anew(tmp_path: Path) -> None:
    made = record(tmp_path, "him", 1.0)
    data = json.loads(made.path.read_text())
    made.path.write_text(json.dumps(data | {"version": data["version"] - 1}))
    assert len(Record.open(tmp_path, made.subject, SETTINGS).missing()) == 4
    assert records.complete(tmp_path) == []


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    made = record(tmp_path, "him", 1.0)
    assert Record.read(made.path) == made
    assert made.groups("stairs narrow linear linear") == [
        *made.blocks["narrow 0"]["stairs narrow linear linear"]["groups"],
        *made.blocks["narrow 1"]["stairs narrow linear linear"]["groups"],
    ]


def test_unfinished_records_are_not_part_of_a_table(tmp_path: Path) -> None:
    record(tmp_path, "him", 1.0)
    Record.open(tmp_path, subject("rma"), SETTINGS).add("narrow", 0, {})
    assert [found.subject.method for found in records.complete(tmp_path)] == ["him"]


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"policy": {}}')
    with pytest.raises(HimError, match=r"a\.json is no record"):
        records.complete(tmp_path)
