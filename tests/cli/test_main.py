"""The front door: commands are found, mistakes are answered in one line."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from him.cli import main as cli
from him.errors import HimError


def test_him_alone_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_listed_command_exists(name: str) -> None:
    assert callable(importlib.import_module(f"him.cli.{name}").main)


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    assert stop.value.code == 0
    assert f"him {name}" in capsys.readouterr().out


def test_every_command_module_is_listed() -> None:
    """A command is a module with an entry; the others help."""
    files = Path(cli.__file__).parent.glob("*.py")
    modules = {path.stem for path in files if "\ndef main(argv" in path.read_text(encoding="utf-8")}
    assert modules - {"main"} == set(cli.COMMANDS)


def test_a_misspelt_command_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["robot"]) == cli.USAGE_ERROR
    assert "did you mean robots?" in capsys.readouterr().err


def test_an_unknown_option_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["robots", "--pictur", "x.png"])
    assert stop.value.code == 2
    assert "--picture" in capsys.readouterr().err


def test_our_errors_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(argv: list[str]) -> int:
        raise HimError("the cable [red] is loose; plug it in")

    monkeypatch.setattr("him.cli.robots.main", fail)
    assert cli.main(["robots"]) == cli.USAGE_ERROR
    assert capsys.readouterr().err == "him robots: the cable [red] is loose; plug it in\n"


@pytest.mark.parametrize(("module", "extra"), [("torch", "train"), ("viser", "view"), ("cyclonedds.core", "go2")])
def test_a_missing_extra_is_named(
    module: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(argv: list[str]) -> int:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr("him.cli.robots.main", fail)
    assert cli.main(["robots"]) == cli.USAGE_ERROR
    assert f"pip install 'him[{extra}]'" in capsys.readouterr().err


def test_listing_robots_imports_nothing_heavy() -> None:
    code = (
        "import sys; from him.cli.main import main; main(['robots']); "
        "sys.exit(bool({'torch', 'mujoco', 'warp', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_simulators_benchmark_needs_no_compiler_for_the_cpu() -> None:
    """A GPU machine may lack Numba; `him bench sim --engine warp` runs there all the same."""
    code = "import sys; sys.modules['numba'] = None; import him.cli.bench"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_json_asked_for_is_all_there_is() -> None:
    """Progress, and what libraries have to say, go elsewhere."""
    small = ["--worlds", "2", "--steps", "1", "--warmup", "1", "--repeats", "1", "--device", "cpu"]
    words = [sys.executable, "-m", "him", "bench", "sim", "--engine", "warp", *small, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["env_steps_per_s"] > 0, done.stderr
