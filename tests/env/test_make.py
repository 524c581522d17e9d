"""Tasks from a robot's name and a world's settings."""

import torch

from him.env.make import make_task
from him.env.presets import World
from him.env.settings import Randomisation, TaskSettings
from him.terrain import TerrainSettings


def test_tasks_differ_by_seed_in_their_bodies_and_not_in_their_terrain() -> None:
    world = World(TaskSettings(randomisation=Randomisation(bodies=4)), TerrainSettings(columns=1, levels=1, border=2.0))
    one, two = (make_task("go1", 4, seed, world, "cpu") for seed in (0, 1))
    assert torch.equal(one.heights.cells, two.heights.cells)
    masses = []
    for task in (one, two):
        task.reset()
        masses.append(task.state_dict()["engine.body_mass"])
    assert not torch.equal(*masses)
