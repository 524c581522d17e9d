"""A device that runs ahead and one that is waited for see the same world, bit by bit."""

import pytest
import torch

from him.env import randomisation
from him.env.episode import flatten
from him.env.gait_settings import GaitSettings
from him.env.settings import Randomisation, TaskSettings
from him.env.transition import Draws
from tests.env.tasks import make
from tests.env.test_task_state import tensors
from tests.threads import one_thread  # noqa: F401

ENVS = 13


def test_the_ground_is_looked_up_again_only_where_robots_moved() -> None:
    senses = make(ENVS).senses
    torch.manual_seed(0)
    here, there = (torch.randn(ENVS, 19) * torch.tensor([8.0, 8.0, *[1.0] * 17]) for _ in range(2))
    for share in (0.0, 0.3, 1.0):
        moved = torch.rand(ENVS) < share
        now = torch.where(moved[:, None], there, here)
        again = senses.ground_again(senses.ground(here), now, moved)
        assert torch.equal(again, senses.ground(now))


@pytest.mark.parametrize("factors", [False, True])
def test_with_or_without_waiting_every_step_is_the_same(factors: bool) -> None:
    settings = TaskSettings(randomisation=Randomisation(bodies=8), episode_seconds=0.3, factors=factors)
    waited, ahead = (make(ENVS, settings, seed=2) for _ in range(2))
    assert not waited.transition.ahead
    ahead.transition.ahead = True
    torch.manual_seed(3)
    ended = 0
    for action in torch.randn(40, ENVS, 12):
        random = torch.get_rng_state()
        one = waited.step(action)
        torch.set_rng_state(random)
        two = ahead.step(action)
        pairs = zip(tensors(one), tensors(two), strict=True)
        assert all(torch.equal(a, b) for a, b in pairs)
        ended += int(one.done.sum())
    assert ended > ENVS


def test_every_chance_has_numbers_of_its_own() -> None:
    for gait, more in ((False, 0), (True, 9)):
        draws = Draws(12, randomisation.draws(Randomisation()), gait)
        places = [draws.command, draws.world, draws.start, draws.force, draws.level, draws.behaviour]
        taken = [i for place in places for i in range(draws.count)[place]]
        assert taken == list(range(draws.count))
        assert draws.count == 4 + 7 + 9 + 12 + 6 + 2 + more


@pytest.mark.parametrize(("factors", "gait"), [(False, False), (True, True)])
def test_everything_after_physics_is_one_graph(factors: bool, gait: bool) -> None:
    """A compiler that may not break it computes the same numbers, and the episode goes on where it is in memory."""
    varied = Randomisation(bodies=8, push=0.5, push_seconds=0.5)
    settings = TaskSettings(
        randomisation=varied, episode_seconds=0.1, factors=factors, gait=GaitSettings(active=gait)
    )
    eager, traced = (make(ENVS, settings, seed=5) for _ in range(2))
    rules = traced.transition
    eager.transition.ahead = rules.ahead = True
    traced._after = rules.unflat(torch.compile(rules.flat, fullgraph=True, backend="aot_eager"))
    places = {name: value.data_ptr() for name, value in flatten(traced.episode).items()}
    torch.manual_seed(6)
    for action in torch.randn(7, ENVS, 12):
        random = torch.get_rng_state()
        one = eager.step(action)
        torch.set_rng_state(random)
        pairs = zip(tensors(one), tensors(traced.step(action)), strict=True)
        assert all(torch.equal(a, b) for a, b in pairs)
    assert (eager.episode.steps < 7).all(), "all have begun anew"
    assert places == {name: value.data_ptr() for name, value in flatten(traced.episode).items()}
