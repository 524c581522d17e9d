"""`him bench tasks` measures what is missing, shows it beside the paper's figures, and draws."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from him.bench.tasks.trial import Outcome
from him.cli import bench_tasks, bench_tasks_pictures, probes
from him.cli import main as cli
from tests.bench.tasks.made_up import RuleCrew
from tests.policy import random_policy


class Workers(RuleCrew):
    """Everyone carries 6 kg and passes everything else, until someone presses Ctrl-C."""

    calls: ClassVar[list[str]] = []
    interrupt_at = ""

    def __init__(self, workers: int) -> None:
        super().__init__(lambda seed, weight: weight <= 6.0)

    def trials(self, policy: Path, task: str, seeds: Sequence[int], weight: float = 0.0) -> Iterator[Outcome]:
        self.calls.append(task)
        if task == self.interrupt_at:
            raise KeyboardInterrupt
        return super().trials(policy, task, seeds, weight)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        """Nobody to send home."""


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(bench_tasks, "Crew", Workers)
    monkeypatch.setattr(bench_tasks_pictures, "draw", lambda tasks, *rest: [name for name, _ in tasks])
    monkeypatch.setattr(Workers, "calls", [])
    monkeypatch.setattr(Workers, "interrupt_at", "")
    return str(random_policy.save(tmp_path / "a1.onnx", random_policy.contract(robot="a1"), gain=0.0))


def test_results_are_written_beside_the_papers(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert cli.main(["bench", "tasks", policy, "--out", str(out)]) == 0
    result = json.loads((out / "tasks.json").read_text())
    found = {cell["task"]: cell["score"]["value"] for cell in result["cells"]}
    expected = {"short-stairs": 100.0, "deformable-slope": 100.0, "dragging": 6.0, "lateral-hit": 6.0, "payload": 6.0}
    assert found == expected
    assert result["table"]["slope_degrees"] == 20.0
    page = (out / "tasks.md").read_text()
    assert "| Payload | a1 | largest weight, kg | 6 (20 of 20) | 8 | 7 | 4 | 7 |" in page
    assert "| Missing step | aliengo | success rate, % | no policy for aliengo | 100 | 0 | 0 | 0 |" in page
    shown = capsys.readouterr()
    assert "no policy for aliengo: long-stairs, compositional, missing-step not run" in shown.err
    assert f"wrote 8 files to {out / 'pictures'}" in shown.err.replace("\n", "")


def test_an_interrupted_call_goes_on_where_it_stopped(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["bench", "tasks", policy, "--tasks", "short-stairs", "payload", "deformable-slope", "--no-draw"]
    words += ["--trials", "5", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(Workers, "interrupt_at", "payload")
    assert cli.main(words) == cli.INTERRUPTED
    assert Workers.calls == ["short-stairs", "deformable-slope", "payload"]
    monkeypatch.setattr(Workers, "interrupt_at", "")
    Workers.calls.clear()
    assert cli.main(words) == 0
    assert set(Workers.calls) == {"payload"}
    Workers.calls.clear()
    assert cli.main(words) == 0
    assert Workers.calls == []
    assert len(json.loads((tmp_path / "out" / "tasks.json").read_text())["cells"]) == 3
    Workers.calls.clear()
    assert cli.main([*words[:3], "--tasks", "dragging", *words[7:]]) == 0
    assert set(Workers.calls) == {"dragging"}
    assert len(json.loads((tmp_path / "out" / "tasks.json").read_text())["cells"]) == 4


@pytest.mark.parametrize(
    ("more", "words"),
    [(["--tasks", "moon"], "there is no task 'moon'"), (["--trials", "0"], "at least one trial"), (["fido"], "'fido'")],
)
def test_mistakes_are_explained(policy: str, more: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "tasks", *more]) == cli.USAGE_ERROR
    assert words in capsys.readouterr().err


def test_a_task_is_drawn_and_filmed(policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not probes.attempt("rendering").works:
        pytest.skip("this machine cannot render; `him doctor` says what to install")
    monkeypatch.setattr(bench_tasks_pictures, "SHOWN", 0.1)
    monkeypatch.setattr(bench_tasks_pictures, "SHOWN_WEIGHT", 20.0)
    written = bench_tasks_pictures.shoot("lateral-hit", Path(policy), tmp_path, True, True)
    assert [path.name for path in written] == ["lateral-hit.png", "lateral-hit.mp4"]
    assert all(path.stat().st_size > 1000 for path in written)
