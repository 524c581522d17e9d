"""`him play` finds its policy, films it, and says no in one sentence."""

from pathlib import Path

import pytest

from him import robots
from him.cli import main as cli
from him.cli import probes
from him.policy import Contract
from tests.policy import random_policy


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    about = Contract.for_robot(
        robots.load("go1"),
        method="him",
        command_ranges=((-1.0, 1.0),) * 3,
        action_clip=10.0,
        deployable=True,
        commit="unknown",
        command="him train go1",
        samples=0,
        seed=0,
    )
    return random_policy.save(tmp_path_factory.mktemp("policy") / "go1.onnx", about, gain=0.0)


def test_films_a_tour(policy, tmp_path, capsys):
    if not probes.attempt("rendering").works:
        pytest.skip("this machine cannot render; `him doctor` says what to install")
    out = tmp_path / "go1.mp4"
    argv = ["play", str(policy), "--video", str(out), "--seconds", "0.2", "--size", "160", "120"]
    assert cli.main(argv) == 0
    assert out.stat().st_size > 500
    assert str(out) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--on", "moon"], "choose one of flat"),
        (["--level", "12"], "0 to 9"),
        (["--video", "a.avi"], ".mp4 or .gif"),
        (["--drive", "telepathy"], "keyboard or gamepad"),
    ],
)
def test_mistakes_are_explained(policy, more, words, capsys):
    assert cli.main(["play", str(policy), *more]) == 2
    assert words in capsys.readouterr().err


def test_an_unknown_policy_is_answered_with_those_there_are(policy, monkeypatch, capsys):
    (policy.parent / "policies").mkdir()
    (policy.parent / "policies" / "rex.onnx").write_bytes(policy.read_bytes())
    monkeypatch.chdir(policy.parent)
    assert cli.main(["play", "fido"]) == 2
    assert "rex" in capsys.readouterr().err
