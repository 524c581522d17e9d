"""Settings survive JSON, and what another version wrote is refused by name."""

import json
from dataclasses import asdict, dataclass, field, replace

import pytest

from him.env.presets import World
from him.env.settings import Commands, TaskSettings
from him.errors import HimError
from him.fields import build
from him.learn.presets import PRESETS
from him.learn.settings import TrainSettings


@dataclass(frozen=True)
class Inner:
    widths: tuple[int, ...] = (1, 2)
    name: str = "a"


@dataclass(frozen=True)
class Outer:
    inner: Inner = field(default_factory=Inner)
    count: int | None = None


def test_nested_values_come_back_with_their_types() -> None:
    built = build(Outer, json.loads('{"inner": {"widths": [3, 4, 5], "name": "b"}, "count": 7}'))
    assert built == Outer(Inner((3, 4, 5), "b"), 7)


def test_what_is_missing_is_the_default() -> None:
    assert build(Outer, {"inner": {"name": "b"}}) == Outer(Inner(name="b"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"size": 1, "age": 2}, "Outer has no setting age, size"),
        ({"inner": {"colour": 1}}, "Inner has no setting colour"),
    ],
)
def test_unknown_names_are_refused(data: dict, message: str) -> None:
    with pytest.raises(HimError, match=message):
        build(Outer, data)


@pytest.mark.parametrize("name", PRESETS)
def test_the_learners_presets_survive(name: str) -> None:
    settings = PRESETS[name]()
    assert build(TrainSettings, json.loads(json.dumps(asdict(settings)))) == settings


def test_a_changed_world_survives() -> None:
    changed = TaskSettings(commands=Commands(easy=(0.1, 0.2, 0.3)), curriculum=False)
    world = replace(World(), task=changed)
    assert build(World, json.loads(json.dumps(asdict(world)))) == world
