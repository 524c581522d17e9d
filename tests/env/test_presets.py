"""Tasks by name."""

import json
from dataclasses import asdict, replace

import pytest

from him.env.presets import AS_PRINTED, WORLDS, World
from him.fields import build
from him.learn.presets import PRESETS
from him.terrain import Shares


def test_every_preset_has_both_halves() -> None:
    assert WORLDS.keys() == PRESETS.keys()


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_survives_its_record(name: str) -> None:
    world = WORLDS[name]()
    assert build(World, json.loads(json.dumps(asdict(world)))) == world


def test_paper_is_as_printed() -> None:
    world = WORLDS["paper"]()
    assert world.task.rewards == AS_PRINTED
    assert world.task.randomisation.restitution == (0.0, 1.0)
    assert (world.terrain.columns, world.terrain.levels, world.terrain.shares) == (20, 10, Shares())
    assert (world.task.promote, world.task.demote, world.task.start_level) == (0.8, 0.5, 0)
    told = world.task.commands
    assert told.turn_share == told.straight_share == told.forward_share == world.task.revisit == 0


def test_laptop_is_flat_and_slower_than_the_paper() -> None:
    world = WORLDS["laptop"]()
    assert world.terrain.shares.flat == 1.0
    assert not world.task.curriculum
    commands = world.task.commands
    full = WORLDS["paper"]().task.commands
    assert 0.5 < commands.smooth_x < full.smooth_x, "beyond the 0.5 m/s that is checked at the end"
    assert commands.smooth_yaw < full.smooth_yaw


def test_flat_differs_from_the_default_in_its_ground_alone() -> None:
    flat, default = WORLDS["flat"](), WORLDS["default"]()
    assert flat.terrain.shares.flat == 1.0
    assert not flat.task.curriculum
    assert replace(flat.task, curriculum=default.task.curriculum) == default.task
