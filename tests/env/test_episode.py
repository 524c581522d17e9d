"""An episode's state goes into a checkpoint and comes back."""

import torch

from him.env import episode
from him.env.episode import Constants
from him.env.settings import Commands, TaskSettings
from him.terrain import TerrainSettings, grid
from tests.env.tasks import ROBOT

CPU = torch.device("cpu")


def test_flat_and_back_is_the_same() -> None:
    torch.manual_seed(0)
    blank = episode.fresh(3, 12, 5, CPU)._replace(more={"turn": torch.zeros(3), "behaviour": torch.zeros(3, 11)})
    filled = episode.restore({name: torch.rand_like(x.float()) for name, x in episode.flatten(blank).items()})
    flat = episode.flatten(filled)
    assert len(flat) == len(blank._fields) - 2 + len(blank.travel._fields) + 2
    assert all(isinstance(value, torch.Tensor) for value in flat.values())
    assert filled.more.keys() == {"turn", "behaviour"}
    again = episode.flatten(episode.restore(flat))
    assert again.keys() == flat.keys()
    assert all(torch.equal(again[name], value) for name, value in flat.items())


def test_constants_are_the_robots_and_the_terrains() -> None:
    settings = TaskSettings(episode_seconds=20.0, commands=Commands(seconds=10.0))
    terrain = grid(TerrainSettings(columns=3, levels=2, border=2.0))
    c = Constants(ROBOT, terrain, settings, CPU)
    assert c.mass == ROBOT.mass
    assert (c.columns, c.rows, c.platform) == (3, 2, 1.0)
    assert (c.max_steps, c.command_steps) == (1000, 500)
    assert c.half.tolist() == [17.0, 12.0]
    assert (c.lowest < c.pose).all()
    assert (c.pose < c.highest).all()
