"""Policies take part by name or path, for the robot of their contract."""

from pathlib import Path

import pytest

from him.bench.tasks import entrants
from him.bench.tasks.entrants import gather
from him.errors import HimError
from tests.policy import random_policy


def _save(path: Path, **about: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return random_policy.save(path, random_policy.contract(**about))


def test_every_policy_there_is_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _save(tmp_path / "policies" / "a1-regression.onnx", method="regression")
    _save(tmp_path / "policies" / "a1-oracle.onnx", method="oracle", deployable=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(entrants, "names", lambda: ("a1-oracle", "a1-regression"))
    found, remarks = gather(())
    assert [(e.name, e.robot, e.method) for e in found] == [("a1-regression", "a1", "regression")]
    assert len(remarks) == 1
    assert "a1-oracle is left out" in remarks[0]


def test_a_run_is_named_by_its_folder(tmp_path: Path) -> None:
    path = _save(tmp_path / "a1-him-7" / "policy.onnx")
    found, _ = gather([str(path), str(path)])
    assert [entrant.name for entrant in found] == ["a1-him-7"]


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = [str(_save(tmp_path / folder / "rex.onnx", seed=i)) for i, folder in enumerate("ab")]
    with pytest.raises(HimError, match="two different policies are called rex"):
        gather(paths)


def test_a_policy_that_is_named_and_cannot_run_is_refused(tmp_path: Path) -> None:
    path = _save(tmp_path / "seer.onnx", method="oracle", deployable=False)
    with pytest.raises(HimError, match="not deployable"):
        gather([str(path)])
