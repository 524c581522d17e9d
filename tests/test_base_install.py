"""The base install is enough to list robots and to run a policy, and brings nothing heavy along."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LIGHT = """
import importlib.util, sys
import him.robots, him.policy, him.deploy, him.terrain, onnxruntime
heavy = {"torch", "mujoco", "warp", "mujoco_warp", "numba", "matplotlib"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
installed = {name for name in heavy if importlib.util.find_spec(name)}
assert not installed, installed
print("light")
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=ROOT.parent)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the project's wheel and its base dependencies, at the locked versions."""
    folder = tmp_path_factory.mktemp("base")
    source = folder / "source"  # a copy, because building leaves files behind
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    run(sys.executable, "-m", "pip", *build)
    (wheel,) = folder.glob("him-*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    install = ("install", "--quiet", "--constraint", ROOT / "requirements.lock", wheel)
    run(sys.executable, "-m", "pip", "--python", python, *install)
    return python


@pytest.mark.slow
def test_the_base_install_lists_robots(python: Path) -> None:
    assert "aliengo" in run(python.parent / "him", "robots")


@pytest.mark.slow
def test_the_base_install_is_light(python: Path) -> None:
    assert run(python, "-I", "-c", LIGHT).strip() == "light"


@pytest.mark.slow
def test_what_is_missing_is_named(python: Path, tmp_path: Path) -> None:
    command = [python.parent / "him", "robots", "--picture", tmp_path / "robots.png"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'him[train]'" in done.stderr
