"""The table's rows on contacts, seen in the motion: friction and restitution."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from him import robots
from him.env import randomisation
from him.env.randomisation import Randomiser
from him.env.settings import Randomisation
from him.sim import material
from him.sim.engine import CONTROL_PERIOD
from him.terrain import CELL, flat
from him.terrain.surface import from_vertices
from tests.sim import worlds
from tests.sim.surface_reference import ground
from tests.sim.worlds import GRAVITY

GO2 = robots.load("go2")

SLOPE = np.radians(35)
COEFFICIENTS = (0.2, 0.3, 0.5, 1.0, 2.75)
"""Of the robot, as the table draws them; with the ground's 1 they make 0.6, 0.65, 0.75, 1 and 1.875."""


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_sledge_on_an_incline_slides_as_its_friction_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Downhill at g (sin a - mu cos a), and not at all where tan a < mu.

    A line is fitted to the speed, because MuJoCo's soft contacts let a sliding body hop.
    """
    n = len(COEFFICIENTS)
    runners = [([x, y, 0.0], 0.03) for x in (-0.15, 0.15) for y in (-0.15, 0.15)]
    size = 160
    slope = ground(from_vertices(np.tan(SLOPE) * CELL * np.mgrid[:8, : size + 1][1]), -size * CELL / 2, -4 * CELL)
    engine = worlds.make_toy(kind, worlds.toy(5.0, runners, 0.1, 1e-3), slope, n, monkeypatch)
    parameters = worlds.nominal(engine)
    mu = material.friction(torch.tensor(COEFFICIENTS, device=engine.device), 1.0)
    middle = np.tan(SLOPE) * size * CELL / 2
    lift = 0.03 - 1e-4
    qpos = torch.zeros(n, 19)
    qpos[:, 0], qpos[:, 2] = -lift * np.sin(SLOPE), middle + lift * np.cos(SLOPE)
    qpos[:, 3], qpos[:, 5] = np.cos(SLOPE / 2), -np.sin(SLOPE / 2)
    worlds.place(engine, qpos, replace(parameters, friction=mu))
    still = torch.zeros(n, worlds.JOINTS, device=engine.device)

    def downhill() -> Tensor:
        return -(engine.qvel[:, 0] * np.cos(SLOPE) + engine.qvel[:, 2] * np.sin(SLOPE)).cpu()

    speeds = torch.stack(worlds.run(engine, still, 75, downhill)).numpy()
    acceleration = np.polyfit(CONTROL_PERIOD * np.arange(75), speeds, 1)[0]
    slides = GRAVITY * (np.sin(SLOPE) - mu.cpu().numpy() * np.cos(SLOPE))
    np.testing.assert_allclose(acceleration, np.maximum(slides, 0.0), atol=0.05)
    assert (slides > 0).tolist() == [True, True, False, False, False]
    assert np.abs(speeds[:, 2:]).max() < 0.02


DROPS = (0.1, 0.23, 0.37, 1.0)
BOUNCES = (0.0, 0.5, 0.9, 0.95)


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_dropped_ball_rebounds_at_its_restitution(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the energy of the flight after the first touch; and no bounce ever has more than the drop."""
    pairs = [(e, h) for e in BOUNCES for h in DROPS]
    n, radius = len(pairs), 0.05
    engine = worlds.make_toy(kind, worlds.toy(2.0, [([0, 0, 0], radius)], 0.01, 1e-3), flat(4.0), n, monkeypatch)
    parameters = worlds.nominal(engine)
    solref = torch.tensor([material.solref(e) for e, _ in pairs], device=engine.device)
    qpos = torch.zeros(n, 19)
    qpos[:, 2] = torch.tensor([h + radius for _, h in pairs])
    qpos[:, 3] = 1.0
    worlds.place(engine, qpos, replace(parameters, solref=solref))

    def flight() -> tuple[Tensor, Tensor, Tensor]:
        return engine.touched[:, 0].cpu().clone(), engine.qpos[:, 2].cpu() - radius, engine.qvel[:, 2].cpu().clone()

    seen = worlds.run(engine, torch.zeros(n, worlds.JOINTS, device=engine.device), 65, flight)
    touched, z, v = (torch.stack(x) for x in zip(*seen, strict=True))
    for k, (e, h) in enumerate(pairs):
        first = int(touched[:, k].nonzero()[0])
        after = slice(first, None)
        energy = v[after, k] ** 2 / 2 + GRAVITY * z[after, k]
        rising = (z[after, k] > 0) & (v[after, k] > 0)
        back = float(torch.sqrt(2 * energy[rising].max())) if rising.any() else 0.0
        assert back / np.sqrt(2 * GRAVITY * h) == pytest.approx(e, abs=0.1 if e < 0.95 else 0.05), (e, h)
        assert float(energy.max()) <= GRAVITY * h * 1.001, (e, h)


def test_friction_and_restitution_are_averaged_with_the_ground() -> None:
    """As the paper's simulator does, with the ground's 1 and 0."""
    ends = torch.zeros(2, randomisation.DRAWS)
    ends[1] = 1.0 - 1e-6
    drawn = Randomiser(GO2, Randomisation(restitution=(0.0, 1.0)), torch.device("cpu"))(ends)
    torch.testing.assert_close(drawn.friction, torch.tensor([0.6, 1.875]), atol=1e-4, rtol=0)
    expected = torch.tensor([material.solref(0.0), material.solref(0.5)])
    torch.testing.assert_close(drawn.solref, expected, atol=1e-2, rtol=1e-5)


def test_a_contact_that_bounces_grips_less() -> None:
    """Why the default draws little restitution: under a sideways push that friction holds four times over, a standing
    robot creeps, and at the table's largest restitution several times as fast as at none."""
    robot = robots.load("go1")
    engine = worlds.make("native", robot, flat(4.0), 2)
    bounce = randomisation.solref(material.restitution(torch.tensor([0.0, 1.0])))
    parameters = replace(worlds.nominal(engine, robot.stand_kp, robot.stand_kd), solref=bounce)
    worlds.place(engine, engine.qpos.clone(), parameters)
    target = worlds.standing(engine, robot)
    worlds.run(engine, target, 100)
    engine.push[:] = torch.tensor([0.0, 30.0, 0.0])
    worlds.run(engine, target, 50)
    before = engine.qpos[:, 1].clone()
    worlds.run(engine, target, 100)
    creep = (engine.qpos[:, 1] - before) / (100 * CONTROL_PERIOD)
    assert 0.0 < creep[0] < 0.005
    assert creep[1] > 3 * creep[0]


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_sledge_on_a_soft_contact_creeps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under half of the load that friction holds: by what its impedance leaves to 1, against what it is."""
    impedances = torch.tensor([0.98, 0.95, 0.9])
    runners = [([x, y, 0.0], 0.03) for x in (-0.15, 0.15) for y in (-0.15, 0.15)]
    toy = worlds.toy(5.0, runners, 0.1, 1e-3)
    engine = worlds.make_toy(kind, toy, flat(4.0), len(impedances), monkeypatch)
    qpos = torch.zeros(len(impedances), 19)
    qpos[:, 2], qpos[:, 3] = 0.03, 1.0
    worlds.place(engine, qpos, replace(worlds.nominal(engine), impedance=impedances.to(engine.device)))
    still = torch.zeros(len(impedances), worlds.JOINTS, device=engine.device)
    engine.push[:] = torch.tensor([0.0, 0.5 * 5.0 * GRAVITY, 0.0])
    worlds.run(engine, still, 50)
    before = engine.qpos[:, 1].cpu().clone()
    worlds.run(engine, still, 50)
    creep = (engine.qpos[:, 1].cpu() - before) / (50 * CONTROL_PERIOD)
    left = (1 - impedances) / impedances
    torch.testing.assert_close(creep / creep[0], left / left[0], atol=0, rtol=0.1)


def test_an_impedance_arrives_as_it_was_written() -> None:
    """Single precision's 0.98 is another number, and another run on a CPU."""
    engine = worlds.make("native", GO2, flat(4.0), 2)
    worlds.place(engine, engine.qpos.clone(), worlds.nominal(engine))
    spheres = [engine.model.geom(name).id for name in engine.colliders]
    impedances = engine.state_dict()["geom_solimp"][:, spheres, :2].numpy()
    assert (impedances == material.IMPEDANCE).all()


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_dead_ball_comes_to_rest_in_longer_steps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two substeps a period: damped as in four, the step itself would throw a ball back faster than it came. What is
    left is the scatter of so coarse a step."""
    n, radius = len(DROPS), 0.05
    toy = worlds.toy(2.0, [([0, 0, 0], radius)], 0.01, 1e-3)
    engine = worlds.make_toy(kind, toy, flat(4.0), n, monkeypatch, substeps=2)
    qpos = torch.zeros(n, 19)
    qpos[:, 2], qpos[:, 3] = torch.tensor(DROPS) + radius, 1.0
    solref = torch.tensor([material.solref(0.0)] * n, device=engine.device)
    worlds.place(engine, qpos, replace(worlds.nominal(engine), solref=solref))
    still = torch.zeros(n, worlds.JOINTS, device=engine.device)
    seen = worlds.run(engine, still, 65, lambda: torch.stack([engine.qpos[:, 2] - radius, engine.qvel[:, 2]]).cpu())
    height, speed = torch.stack(seen).unbind(1)
    landed = height.cummin(0).values < 0
    assert landed[-1].all()
    back = torch.where(landed & (height > 0), speed, 0.0).amax(0)
    assert (back < 0.3 * torch.sqrt(2 * GRAVITY * torch.tensor(DROPS))).all()
    assert speed[40:].abs().max() < 1e-3
