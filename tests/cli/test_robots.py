from pathlib import Path

import pytest

from him.cli import main as cli
from him.cli import robots as command

DONKEY = Path(__file__).parents[1] / "robots" / "donkey.toml"


def test_lists_all_robots(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("a1", "aliengo", "go1", "go2"))
    assert "23.7/23.7/45.43" in shown


def test_lists_ones_own_robot(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(DONKEY)]) == 0
    assert "donkey" in capsys.readouterr().out


def test_says_what_is_wrong_with_ones_own_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(DONKEY.read_text().replace("mass = 15.0", "mass = -15.0"))
    assert cli.main(["robots", str(path)]) == 2
    assert "mine.toml: trunk.mass is -15; give a number above zero" in capsys.readouterr().err
