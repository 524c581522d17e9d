"""A simulation tells the oracle what training told it."""

import numpy as np
import pytest
import torch

from him.errors import HimError
from him.policy import Policy
from him.terrain import grid
from him.view.play_course import course
from him.view.play_insight import Insight
from him.view.play_sim import Simulation
from tests.env.tasks import ROBOT, SMALL, make, quiet


def test_it_is_the_critics_view_of_training() -> None:
    terrain = grid(SMALL)
    task, insight = make(4, quiet(spawn_speed=0.5), terrain), Insight(ROBOT, terrain)
    for _ in range(10):
        step = task.step(0.3 * torch.randn(4, 12))
    assert not step.done.any()
    for i in range(4):
        seen = insight(task.engine.qpos[i].double().numpy(), step.velocity[i].double().numpy())
        np.testing.assert_allclose(seen, step.observation.extra[i].numpy(), atol=2e-5)
    assert step.observation.extra.std() > 0.1


def test_the_oracle_walks_in_a_simulation_and_on_no_robot() -> None:
    with pytest.raises(HimError, match="`him play` and `him eval` take it"):
        Policy("aliengo-oracle")
    place = course("stairs", 4, 1)
    simulation = Simulation(Policy("aliengo-oracle", simulated=True), place.terrain, place.start)
    began = simulation.qpos[0]
    states = [simulation.step((0.6, 0.0, 0.0)) for _ in range(250)]
    assert not any(state.fallen for state in states)
    assert abs(states[-1].qpos[0] - began) > 2.0
