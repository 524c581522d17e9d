"""What the networks are told of a world is what the engine's world is made of."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from him.env import factors
from him.env.factors import NAMES
from him.env.settings import Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.errors import HimError
from him.sim.bodies import BASE
from him.sim.material import solref
from him.terrain import grid
from tests.env.tasks import ROBOT, SMALL, begin, make, quiet, still
from tests.threads import one_thread  # noqa: F401

ENVS = 12
RANGES = Randomisation(bodies=16)


def told(extra: torch.Tensor) -> dict[str, np.ndarray]:
    return dict(zip(NAMES, extra[:, -len(NAMES) :].double().numpy().T, strict=True))


def between(share: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """From -1 .. 1 to a range."""
    return limits[0] + (limits[1] - limits[0]) * (share + 1) / 2


@pytest.fixture(scope="module")
def task() -> LocomotionTask:
    return make(ENVS, TaskSettings(randomisation=RANGES, episode_seconds=0.3, factors=True))


def assert_true(task: LocomotionTask, said: dict[str, np.ndarray]) -> None:
    """Against the fields of the engine's models, world by world."""
    world = {name.removeprefix("engine."): value.numpy() for name, value in task.state_dict().items()}
    mass = ROBOT.trunk.mass
    heaviest = (0.8 * mass - 1.0, 1.2 * mass + 3.0)
    np.testing.assert_allclose(between(said["mass"], heaviest), world["body_mass"][:, BASE], rtol=1e-5)
    for axis, name in enumerate(("com_x", "com_y", "com_z")):
        shift = world["body_ipos"][:, BASE, axis] - ROBOT.trunk.com[axis]
        np.testing.assert_allclose(0.1 * said[name], shift, atol=1e-6)
    friction = (between(said["friction"], RANGES.friction) + 1) / 2
    np.testing.assert_allclose(friction, world["geom_friction"][:, -1, 0], rtol=1e-5)
    bounce = [solref(e / 2) for e in between(said["restitution"], RANGES.restitution)]
    np.testing.assert_allclose(bounce, world["geom_solref"][:, -1], rtol=1e-3)
    strength = between(said["strength"], RANGES.strength)
    kp, kd = strength * between(said["kp"], RANGES.kp), strength * between(said["kd"], RANGES.kd)
    np.testing.assert_allclose(kp * ROBOT.kp[0], world["actuator_gainprm"][:, 0, 0], rtol=1e-5)
    np.testing.assert_allclose(kd * ROBOT.kd[4], -world["actuator_biasprm"][:, 4, 2], rtol=1e-5)
    np.testing.assert_allclose(between(said["delay"], (0, RANGES.delay)), world["delay"], atol=1e-6)


def test_factors_are_the_worlds(task: LocomotionTask) -> None:
    torch.manual_seed(0)
    observation, _ = task.reset()
    assert_true(task, told(observation.extra))
    assert task.extra_size == observation.extra.shape[-1] == 193 + len(NAMES)


def test_they_stay_for_an_episode_and_change_with_it(task: LocomotionTask) -> None:
    torch.manual_seed(1)
    before = task.reset()[0].extra[:, -len(NAMES) : -1]
    ended = 0
    for _ in range(20):
        step = task.step(still(task))
        assert torch.equal(step.final.extra[:, -len(NAMES) : -1], before), "before the reset they are the old world's"
        now = step.observation.extra[:, -len(NAMES) : -1]
        same = (now == before).all(-1)
        assert torch.equal(same, ~step.done)
        assert_true(task, told(step.observation.extra))
        before, ended = now, ended + int(step.done.sum())
    assert ended > 3


def test_they_fill_their_range() -> None:
    task = make(400, TaskSettings(randomisation=replace(RANGES, bodies=200), factors=True))
    said = told(task.reset()[0].extra)
    for name, values in said.items():
        if name != "ground":
            assert np.abs(values).max() <= 1 + 1e-6, name
            assert values.max() - values.min() > 1.2, name


def test_what_is_not_varied_reads_zero() -> None:
    task = make(ENVS, quiet(factors=True))
    said = told(task.reset()[0].extra)
    assert all((values == 0).all() for name, values in said.items() if name != "ground")


def test_the_local_ground_is_the_highest_under_the_feet_in_steps() -> None:
    task = make(ENVS, quiet(factors=True))
    begin(task, 1000)
    terrain = grid(SMALL)
    for _ in range(4):
        said = told(task.step(still(task)).observation.extra)["ground"] / factors.GROUND_SCALE
    assert np.allclose(said, np.round(said, 1)), "in steps of 0.1 m"
    level = terrain.height(*task.engine.qpos[:, :2].double().numpy().T)
    highest = level - (task.engine.qpos[:, 2].double().numpy() - ROBOT.standing_height)
    assert np.abs(said - highest).max() <= 0.051, "on their platforms all feet stand on the same level"
    base, heights = torch.tensor([[1.0], [1.0]]), torch.tensor([[0.2, 0.44, 0.1, 0.3], [9.0, 0.0, 0.0, 0.0]])
    told_of = factors.ground(base, 0.35, heights)
    torch.testing.assert_close(told_of, factors.GROUND_SCALE * torch.tensor([[-0.2], [1.0]]))


def test_the_bank_of_bodies_is_asked_for() -> None:
    task = make(2, quiet())
    with pytest.raises(HimError, match="bank of bodies"):
        LocomotionTask(ROBOT, grid(SMALL), task.engine, quiet(factors=True))


def test_who_does_not_ask_is_told_nothing_and_nothing_else_changes(task: LocomotionTask) -> None:
    """Same seed, same worlds: frames, rewards and the rest of the critic's view stay bit by bit."""
    plain, rich = (make(ENVS, TaskSettings(randomisation=RANGES, factors=asks), seed=4) for asks in (False, True))
    assert not [name for name in plain.state_dict() if "more" in name]
    torch.manual_seed(2)
    actions = torch.randn(20, ENVS, 12)
    for action in actions:
        random = torch.get_rng_state()
        one = plain.step(action)
        torch.set_rng_state(random)
        two = rich.step(action)
        assert torch.equal(one.observation.frame, two.observation.frame)
        assert torch.equal(one.observation.extra, two.observation.extra[:, : -len(NAMES)])
        assert torch.equal(one.reward, two.reward)
