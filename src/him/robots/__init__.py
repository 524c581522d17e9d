"""The robots as tables of numbers: one TOML file each, read and checked here."""

from pathlib import Path

from him.robots import check
from him.robots.read import RobotError, read
from him.robots.table import JOINTS, LEGS, Robot

__all__ = ["JOINTS", "LEGS", "Robot", "RobotError", "load", "names", "near"]

_HERE = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The robots that come with the project."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.toml")))


def load(name_or_path: str | Path) -> Robot:
    """A robot by its name, or one's own by the path of its TOML file."""
    path = Path(name_or_path)
    if str(name_or_path) in names():
        path = _HERE / f"{name_or_path}.toml"
    elif path.suffix != ".toml":
        known = ", ".join(names())
        raise RobotError(f"no robot is called {str(name_or_path)!r}; choose one of {known} or give a .toml file")
    robot = read(path)
    wrong = list(check.findings(robot)) or list(check.targets(robot))
    if wrong:
        raise RobotError(f"{path}: {'; '.join(wrong)}")
    return robot


def near(name: str, policy: Path) -> Robot:
    """The robot of a policy file: one that comes with the project, or one's own, whose table lies beside the file."""
    if name in names():
        return load(name)
    table = policy.with_name(f"{name}.toml")
    if not table.exists():
        raise RobotError(f"{policy} drives a robot called {name!r}: put its table beside it, as {table}")
    return load(table)
