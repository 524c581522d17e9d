"""`him eval` measures, shows and writes."""

import json
from pathlib import Path

import pytest
import torch

from him.bench import evaluation, tracking
from him.cli import eval as evaluating
from him.cli import main as cli
from tests.bench.grounds import PLAYER, FakeGround


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy and outcomes made up: here only the command is looked at."""
    torch.manual_seed(0)
    FakeGround.made = []
    for module in (evaluation, tracking):
        monkeypatch.setattr(module, "Ground", FakeGround)
    monkeypatch.setattr(evaluating, "Player", lambda policy, device: PLAYER)


def test_figures_are_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "result.json"
    words = ["eval", "aliengo", "--robots", "10", "--trials", "8", "--levels", "0", "6", "--out", str(out)]
    assert cli.main([*words, "--parts", "success", "tracking"]) == 0
    result = json.loads(out.read_text())
    assert (result["policy"], result["settings"]["robots"]) == ("aliengo", 10)
    assert result["command"].startswith("him eval aliengo --robots 10")
    assert len(result["success"]) == 8
    assert len(result["tracking"]) == 24
    assert "flat" not in result
    shown = capsys.readouterr().out
    assert "level 0" in shown
    assert "level 6" in shown
    assert "rough_slope" in shown


def test_success_is_shown_with_a_column_a_level() -> None:
    rows = [
        {"terrain": kind, "level": level, "success": level / 10} for kind in ("slope", "stairs") for level in (0, 6)
    ]
    assert evaluating._by_level(rows) == [
        {"terrain": "slope", "level 0": 0.0, "level 6": 0.6},
        {"terrain": "stairs", "level 0": 0.0, "level 6": 0.6},
    ]


def test_a_policy_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    assert cli.main(["eval", "nobody", "--device", "cpu"]) == cli.USAGE_ERROR
    assert "there is no policy named 'nobody'" in capsys.readouterr().err


def test_an_unknown_part_is_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["eval", "aliengo", "--parts", "sucess"])
    assert stop.value.code == 2
    assert "success" in capsys.readouterr().err
