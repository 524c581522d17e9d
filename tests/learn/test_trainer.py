"""Runs that end, are interrupted, killed and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from him.errors import HimError
from him.learn import checkpoint
from him.learn.run import Run
from him.learn.trainer import NotFiniteError, Trainer
from tests.learn.toy import Toy
from tests.learn.toy_run import trainer

ROOT = Path(__file__).parents[2]


def whole_run(folder: Path, iterations: int) -> dict[str, torch.Tensor]:
    """The state after an uninterrupted run; runs of one process share its random generators."""
    whole = trainer(folder, iterations)
    whole.run()
    return whole.learner.state_dict()


def assert_same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> None:
    assert one.keys() == two.keys()
    assert [name for name in one if not torch.equal(one[name], two[name])] == []


def test_a_finished_run_leaves_everything_in_its_folder(tmp_path: Path) -> None:
    outcome = trainer(tmp_path, 3).run()
    assert (outcome.iteration, outcome.samples, outcome.reason) == (3, 3 * 16 * 8, "finished")
    run = Run(tmp_path)
    assert run.settings().iterations == 3
    assert run.sizes().frame == Toy.frame_size
    assert run.record()["command"] == ["toy"]
    assert "torch" in run.record()["versions"]
    assert [line["iteration"] for line in run.metrics()] == [1, 2, 3]
    assert {"samples_per_second", "tracking/error", "loss/contrastive", "update/skipped"} <= run.metrics()[0].keys()
    assert list((tmp_path / "tensorboard").glob("events*"))
    assert checkpoint.load(run.checkpoints)[1].iteration == 3


def test_samples_set_the_length_where_iterations_do_not(tmp_path: Path) -> None:
    assert trainer(tmp_path, None, samples=300).total_iterations == 3


def test_killed_and_resumed_equals_uninterrupted_bit_by_bit(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.learn.toy_run", str(killed), "1000000"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not list((killed / "checkpoints").glob("0000000[5-9].json")):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    reached = checkpoint.load(killed / "checkpoints")[1].iteration
    resumed = trainer(killed, reached + 3, resume=True)
    assert resumed.iteration == reached
    assert Run(killed).record()["resumed"] == [{"iteration": reached, "command": ["toy"]}]
    resumed.run()
    after = resumed.learner.state_dict()
    assert_same(after, whole_run(whole, reached + 3))
    timeless = [
        [{k: v for k, v in line.items() if "second" not in k} for line in Run(folder).metrics()]
        for folder in (killed, whole)
    ]
    assert timeless[0] == timeless[1]


def signalled(run: Trainer, *numbers: signal.Signals) -> Trainer:
    """A run that gets these signals in its twentieth step."""
    simulate, calls = run.learner.task.simulate, []

    def simulating() -> None:
        calls.append(1)
        if len(calls) == 20:
            for number in numbers:
                os.kill(os.getpid(), number)
        simulate()

    run.learner.task.simulate = simulating
    return run


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_the_iteration_saves_and_resumes(tmp_path: Path, number: signal.Signals, times: int) -> None:
    """Also where it comes twice at once, as `timeout` and torchrun send it."""
    interrupted = signalled(trainer(tmp_path / "a", 6, checkpoint_seconds=1e9), *[number] * times)
    handler = signal.getsignal(number)
    outcome = interrupted.run()
    assert (outcome.iteration, outcome.reason) == (3, "interrupted")
    assert signal.getsignal(number) is handler
    resumed = trainer(tmp_path / "a", 6, resume=True)
    assert resumed.run().reason == "finished"
    after = resumed.learner.state_dict()
    assert_same(after, whole_run(tmp_path / "b", 6))


def test_an_interrupt_long_after_the_first_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("him.learn.trainer.SAME_SIGNAL", -1.0)
    with pytest.raises(KeyboardInterrupt):
        signalled(trainer(tmp_path, 6), signal.SIGINT, signal.SIGINT).run()


def test_too_many_skipped_updates_stop_the_run_with_a_saved_state(tmp_path: Path) -> None:
    broken = trainer(tmp_path, 50, max_skipped_updates=20, checkpoint_seconds=1e9)
    assert isinstance(broken.learner.task, Toy)
    broken.learner.task.poison = torch.tensor(float("nan"))
    with pytest.raises(NotFiniteError, match=r"more than 20 updates.*saved as .*00000003\.json"):
        broken.run()
    state, manifest = checkpoint.load(tmp_path / "checkpoints")
    assert manifest.iteration == 3
    assert state["policy_optimiser.skipped"].item() == 24
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["loss/surrogate"] is None


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    trainer(tmp_path, 1).run()
    with pytest.raises(HimError, match="--resume"):
        trainer(tmp_path, 1)


def test_a_checkpoint_of_another_shape_is_refused(tmp_path: Path) -> None:
    trainer(tmp_path, 1).run()
    with pytest.raises(HimError, match="does not fit these settings"):
        trainer(tmp_path, 1, resume=True, envs=8)


def test_a_run_may_be_limited_in_time(tmp_path: Path) -> None:
    """It ends as finished, saved and logged like any other."""
    outcome = trainer(tmp_path, 50, seconds=0.0).run()
    assert (outcome.iteration, outcome.reason) == (1, "finished")
    assert checkpoint.load(tmp_path / "checkpoints")[1].iteration == 1
