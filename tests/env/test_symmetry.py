"""The mirror image of a motion is a motion, seen by MuJoCo and the task themselves."""

import mujoco
import pytest
import torch

from him.env import randomisation
from him.env.randomisation import Randomiser
from him.env.settings import Noise, Randomisation, TaskSettings
from him.env.symmetry import Reflection, Space, standard
from him.errors import HimError
from him.sim.bodies import Bodies, Change
from him.terrain import Shares, TerrainSettings, grid
from tests.env.tasks import ROBOT, make

MIRROR = {name: Reflection.of(images) for name, images in standard((17, 11)).items()}
FLAT = Shares(slope=0.0, rough_slope=0.0, stairs=0.0, obstacles=0.0, flat=1.0)
PLAIN = TaskSettings(randomisation=Randomisation.none(), noise=Noise(scale=0.0), spawn_speed=0.0)


@pytest.mark.parametrize("part", ["frame", "extra", "action", "velocity"])
def test_mirrored_twice_is_the_same(part: str) -> None:
    reflect = MIRROR[part]
    values = torch.randn(5, len(reflect.place))
    assert torch.equal(reflect(reflect(values)), values)
    assert not torch.equal(reflect(values), values)


def balanced(model: mujoco.MjModel, settings: Randomisation, seed: int) -> Bodies:
    """The nominal body with its trunk's centre of mass in the middle plane."""
    return Bodies(model, [Change(com_shift=(0.0, -float(model.body_ipos[1, 1]), 0.0))])


def test_a_robot_under_mirrored_actions_moves_as_its_mirror_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomisation, "bodies", balanced)
    task = make(2, PLAIN, grid(TerrainSettings(shares=FLAT, columns=1, levels=1, border=2.0)))
    c = task.constants
    column = torch.zeros(2, dtype=torch.long)
    command = torch.tensor([[0.5, 0.3, 0.4], [0.5, -0.3, -0.4]])
    task.reset_to(column, column, torch.full((2,), 1e6), command)
    qpos, qvel, pose = task.engine.qpos.clone(), torch.zeros(2, 18), c.pose
    middle = c.centre[0, 0]
    torch.manual_seed(3)  # a motion in which no foot lands so closely that it lands a physics step later in the mirror
    qpos[:, :2], qpos[:, 3:7] = middle, torch.tensor([1.0, 0.0, 0.0, 0.0])
    qpos[0, 7:] = pose + 0.1 * torch.randn(12)
    qpos[1, 7:] = pose + MIRROR["action"](qpos[0, 7:] - pose)
    qpos[1, 2] = qpos[0, 2]
    qvel[0, :3], qvel[0, 3:6] = torch.tensor([0.3, 0.2, 0.0]), torch.tensor([0.2, 0.1, 0.3])
    qvel[1, :3], qvel[1, 3:6] = torch.tensor([0.3, -0.2, 0.0]), torch.tensor([-0.2, 0.1, -0.3])
    everyone = torch.ones(2, dtype=torch.bool)
    parameters = Randomiser(ROBOT, PLAIN.randomisation, task.device)(torch.full((2, 7), 0.5))
    task.engine.reset(everyone, qpos, qvel, parameters)
    for _ in range(10):
        action = torch.randn(1, 12) * 0.25 / ROBOT.action_scale
        step = task.step(torch.cat([action, MIRROR["action"](action)]))
    # the trunk's inertia is not quite symmetric
    assert torch.allclose(MIRROR["frame"](step.final.frame[0]), step.final.frame[1], atol=0.03)
    assert torch.allclose(MIRROR["extra"](step.final.extra[0]), step.final.extra[1], atol=0.05)
    assert torch.allclose(step.reward[0], step.reward[1], atol=1e-3)
    assert step.final.frame[0].abs().max() > 0.5


def images(space: Space) -> tuple[tuple[int, float], ...]:
    assert space.images is not None
    return space.images


def test_spaces_are_put_together_and_taken_apart() -> None:
    velocity = Space.of(standard((17, 11))["velocity"])
    assert images(velocity + velocity.same(1)) == ((0, 1), (1, -1), (2, 1), (3, 1))
    assert images(velocity * 2) == ((0, 1), (1, -1), (2, 1), (3, 1), (4, -1), (5, 1))
    assert images(velocity.pairs(4)) == ((2, 1), (3, 1), (0, 1), (1, 1))
    assert images(velocity.only([2, 1])) == ((0, 1), (1, -1))
    frame = Space.of(standard((17, 11))["frame"])
    rest = frame.only(range(3, 45))
    values = torch.randn(45)
    torch.testing.assert_close(Reflection.of(images(rest))(values[3:]), MIRROR["frame"](values)[3:])


def test_spaces_without_images_stay_without() -> None:
    plain, velocity = Space(5), Space.of(standard((17, 11))["velocity"])
    made = (plain + velocity, velocity + plain, plain * 3, plain.same(2), plain.pairs(3), plain.only([4, 0]))
    assert [(space.size, space.images) for space in made] == [(n, None) for n in (8, 8, 15, 2, 3, 2)]


def test_odd_widths_cannot_be_pairs() -> None:
    with pytest.raises(HimError, match="even widths, not 5"):
        Space.of([(0, 1.0)]).pairs(5)
