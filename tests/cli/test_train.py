"""`him train` makes a policy, survives a kill, and says no in one line."""

import json
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from him.cli import aftermath
from him.cli import main as cli
from him.cli.train import Arguments, _folder, _preset
from him.env.presets import WORLDS
from him.learn import checkpoint
from him.learn.run import Run
from him.policy import Policy
from tests.cli import tiny
from tests.threads import one_thread  # noqa: F401


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "go1"
    assert tiny.train(folder, 3) == 0
    return folder


def state(folder: Path) -> dict[str, torch.Tensor]:
    return checkpoint.load(folder / "checkpoints")[0]


def test_the_run_folder_holds_everything(finished: Path) -> None:
    run = Run(finished)
    assert run.settings().envs == tiny.ENVS
    assert run.settings().ppo.actor == (32, 16)
    record = run.record()
    assert record["about"]["robot"] == "go1"
    assert record["about"]["preset"] == "laptop"
    assert record["command"][:3] == ["him", "train", "go1"]
    assert {"torch", "mujoco", "python"} <= record["versions"].keys()
    assert list((finished / "tensorboard").glob("events*"))
    assert checkpoint.load(run.checkpoints)[1].samples == 3 * tiny.ENVS * tiny.ROLLOUT


def test_settings_of_the_command_line_stand_above_the_presets(finished: Path) -> None:
    world = Run(finished).record()["about"]["world"]
    assert world["task"]["episode_seconds"] == 0.5
    assert world["terrain"]["columns"] == 2
    assert world["terrain"]["shares"]["flat"] == 1.0, "the laptop's"
    assert world["task"]["commands"]["smooth_x"] == WORLDS["laptop"]().task.commands.smooth_x


def test_metrics_are_lines_of_json(finished: Path) -> None:
    lines = [json.loads(line) for line in (finished / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3]
    wanted = {"samples", "reward/total", "reward/smoothness", "tracking/linear_error", "terrain/level"}
    assert wanted | {"loss/velocity", "loss/contrastive", "policy/kl", "episode/faults"} <= lines[0].keys()
    assert all(isinstance(value, int | float) for line in lines for value in line.values())


def test_it_ends_with_a_policy(finished: Path) -> None:
    session = onnxruntime.InferenceSession(str(finished / "policy.onnx"), providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape == ["batch", 6, 45]
    assert [output.name for output in session.get_outputs()] == ["action", "velocity", "latent"]


def test_a_first_training_is_measured_on_its_own_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple] = []
    monkeypatch.setattr(aftermath, "show", lambda *what: shown.append(what))
    assert cli.main(tiny.words(tmp_path, 1)) == 0
    ((folder, policy, task),) = shown
    assert (folder, policy) == (tmp_path, tmp_path / "policy.onnx")
    assert task.episode_seconds == 0.5
    assert policy.is_file()


def test_a_taken_folder_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = Path("runs") / "go1-him-0"
    assert _folder(Arguments("go1")) == wanted
    wanted.mkdir(parents=True)
    wanted.with_name("go1-him-0-2").mkdir()
    assert _folder(Arguments("go1")) == wanted.with_name("go1-him-0-3")
    assert _folder(Arguments("go1", resume=True)) == wanted


def test_a_run_goes_on_with_its_own_settings(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is enough: nobody has to remember preset, sizes and seed, and what is given anew counts."""
    monkeypatch.setattr("him.cli.aftermath.show", lambda *_: None)
    shutil.copytree(finished, tmp_path / "run")
    before = Run(finished).settings()
    more = before.iterations + 1
    words = ["go1", "--out", str(tmp_path / "run"), "--resume", "--iterations", str(more), "--device", "cpu"]
    assert cli.main(["train", *words]) == 0
    assert Run(tmp_path / "run").settings() == replace(before, iterations=more)
    assert Run(tmp_path / "run").metrics()[-1]["iteration"] == more


def test_a_run_starts_from_a_policy(finished: Path, tmp_path: Path) -> None:
    folder, start = tmp_path / "run", str(finished / "policy.onnx")
    options = ("--start", start, "--wait", "0.8")
    assert tiny.train(folder, 2, *options) == 0
    before, after = Policy(start), Policy(folder / "policy.onnx")
    assert after.contract.samples == before.contract.samples + 2 * tiny.ENVS * tiny.ROLLOUT
    histories = torch.randn(before.contract.history_length, 45).numpy()
    told = before.act(histories).action
    np.testing.assert_allclose(after.act(histories).action, told, atol=1e-6, err_msg="it waited all the while")
    assert tiny.train(folder, 8, *options, "--resume") == 0
    learned = Policy(folder / "policy.onnx").act(histories).action
    assert np.abs(learned - told).max() > 1e-5
    for back, expected in (("1", told), ("0", learned)):
        assert cli.main(["export", str(folder), "--out", str(tmp_path / "back.onnx"), "--back", back]) == 0
        np.testing.assert_allclose(Policy(tmp_path / "back.onnx").act(histories).action, expected, atol=1e-6)


def test_killed_and_resumed_equals_uninterrupted_bit_by_bit(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    command, environment = tiny.process(tiny.words(killed, 1_000_000))
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 120
            while not list((killed / "checkpoints").glob("*[3-9].json")):
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.01)
        finally:
            process.send_signal(signal.SIGKILL)
    reached = checkpoint.load(killed / "checkpoints")[1].iteration
    assert not (killed / "policy.onnx").exists()
    assert tiny.train(killed, reached + 3, "--resume") == 0
    assert tiny.train(whole, reached + 3) == 0
    resumed, expected = state(killed), state(whole)
    assert resumed.keys() == expected.keys()
    assert [name for name in resumed if not torch.equal(resumed[name], expected[name])] == []
    assert {name.partition(".")[0] for name in resumed} >= {"method", "task", "rollout", "random"}
    assert Run(killed).record()["resumed"][0]["iteration"] == reached
    assert [line["iteration"] for line in Run(killed).metrics()] == list(range(1, reached + 4))


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("go1 --preset laptpo", "default, paper, release, laptop"),
        ("go1 --method hmi", "choose one of him"),
        ("go11", "choose one of a1, aliengo, go1, go2"),
        ("go1 --envs 0", "at least 1"),
        ("go1 --terrain.levels 20", "1 to 10 levels"),
        ("go1 --start nobody", "no policy named 'nobody'"),
        ("go1 --preset tune", "name it, as in --start"),
        ("go1 --ppo.anchor 0.1", "name it, as in --start"),
        ("go1 --engine mujoco --preset laptop", "choose one of warp, native"),
    ],
)
def test_what_cannot_be_is_refused_with_a_hint(
    words: str, hint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["train", *words.split()]) == cli.USAGE_ERROR
    assert hint in capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "nothing was begun"


def test_an_unknown_setting_is_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", "go1", "--enves", "8"])
    assert stop.value.code == 2
    assert "--envs" in capsys.readouterr().err


def test_another_robot_does_not_resume_a_run(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(finished)["random.cpu"]
    assert tiny.train(finished, 5, "--resume", robot="a1") == cli.USAGE_ERROR
    assert "trained go1 by him, not a1 by him" in capsys.readouterr().err
    assert torch.equal(state(finished)["random.cpu"], before), "and leaves it as it was"


def test_a_folder_without_a_run_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tiny.train(tmp_path / "nothing", 5, "--resume") == cli.USAGE_ERROR
    assert "holds no run" in capsys.readouterr().err


def test_a_run_is_not_overwritten(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tiny.train(finished, 5) == cli.USAGE_ERROR
    assert "--resume" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "preset"),
    [
        ("go1", "default"),
        ("go1 --preset paper", "paper"),
        ("--preset=laptop go1", "laptop"),
        ("go1 --preset", "default"),
        ("go1 --start a1", "tune"),
        ("go1 --start=a1 --preset flat", "flat"),
    ],
)
def test_the_preset_is_read_before_the_rest(words: str, preset: str) -> None:
    assert _preset(words.split()) == preset
