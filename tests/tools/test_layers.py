"""The layer check finds what it should, and the project passes it."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "layers.py"
_spec = importlib.util.spec_from_file_location("layers", TOOL)
assert _spec is not None
assert _spec.loader is not None
layers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(layers)


def test_the_project_keeps_its_layers() -> None:
    assert list(layers.violations()) == []


@pytest.mark.parametrize(
    ("path", "code", "complaint"),
    [
        ("robots/a.py", "import torch", "robots must work without torch"),
        ("policy/a.py", "def f():\n    from mujoco import mjx", "policy must work without mujoco"),
        ("terrain/a.py", "import numba.cuda", "terrain must work without numba"),
        ("deploy/a.py", "from him.sim import model", "deploy may not import him.sim"),
        ("deploy/wire/a.py", "from ...env import task", "deploy may not import him.env"),
        ("deploy/a.py", "from him.fake import server", "deploy may not import him.fake"),
        ("fake/a.py", "from him.bench import courses", "fake may not import him.bench"),
        ("sim/a.py", "def f():\n    import him.env.task", "sim may not import him.env"),
        ("env/a.py", "from him import learn", "env may not import him.learn"),
        ("learn/a.py", "from him.methods import x", "learn may not import him.methods"),
        ("bench/a.py", "from him.view import x", "bench may not import him.view"),
        ("view/a.py", "import importlib\nimportlib.import_module('him.cli')", "view may not import him.cli"),
        ("sim/a.py", "from him.gadgets import x", "gadgets has no layer"),
        ("gadgets/a.py", "from him.sim import x", "gadgets has no layer"),
    ],
)
def test_a_planted_violation_is_caught(tmp_path: Path, path: str, code: str, complaint: str) -> None:
    planted = tmp_path / "him" / path
    planted.parent.mkdir(parents=True)
    planted.write_text(code)
    (found,) = layers.violations(tmp_path / "him")
    assert found.startswith(f"{path}:")
    assert complaint in found


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("methods/a.py", "from him.learn import ppo\nimport torch"),
        ("deploy/a.py", "from him.robots import load\nfrom him.errors import HimError\nfrom . import wire"),
        ("cli/a.py", "from him.bench import x\nfrom him.view import y"),
        ("bench/a.py", "from him.deploy import x\nfrom him.fake import y"),
        ("fake/a.py", "from him.deploy import x\nfrom him.env import y\nimport mujoco"),
        ("__init__.py", "import sys"),
    ],
)
def test_imports_downwards_are_fine(tmp_path: Path, path: str, code: str) -> None:
    fine = tmp_path / "him" / path
    fine.parent.mkdir(parents=True, exist_ok=True)
    fine.write_text(code)
    assert list(layers.violations(tmp_path / "him")) == []
