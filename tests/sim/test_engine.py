"""What every engine promises, on every engine this machine has."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from him import robots
from him.robots import kinematics
from him.sim.engine import Engine
from him.terrain import flat
from tests.sim import worlds

GO2 = robots.load("go2")
WORLDS = 8
BAD = (1, 3, 4, 6)
"""Worlds that numbers are planted in; the others are their neighbours."""
GOOD = [w for w in range(WORLDS) if w not in BAD]


@pytest.fixture(params=worlds.KINDS, scope="module")
def engine(request: pytest.FixtureRequest) -> Engine:
    return worlds.make(request.param, GO2, flat(4.0), WORLDS)


def tilt(quat: Tensor) -> Tensor:
    """Angle between the body's vertical and the world's."""
    _, x, y, _ = quat.unbind(-1)
    return torch.acos((1 - 2 * (x * x + y * y)).clamp(-1, 1))


def outputs(engine: Engine) -> dict[str, Tensor]:
    names = ("qpos", "qvel", "torque", "contact_force", "touched", "fault")
    return {name: getattr(engine, name).clone() for name in names}


def sway(engine: Engine, steps: int) -> list[dict[str, Tensor]]:
    """Every world standing, then moved by a sequence of its own."""
    generator = torch.Generator().manual_seed(3)
    pose = worlds.standing(engine, GO2)
    seen = []
    for _ in range(steps):
        target = pose + 0.1 * torch.randn(pose.shape, generator=generator).to(pose)
        engine.step(target)
        seen.append(outputs(engine))
    return seen


def assert_same(engine: Engine, now: Tensor, then: Tensor, what: object) -> None:
    """Bit by bit; on a GPU closely: MuJoCo Warp 4.0.0 leaves the order of constraint rows there to chance."""
    if engine.device.type == "cpu" or now.dtype == torch.bool:
        assert torch.equal(now, then), what
    else:
        torch.testing.assert_close(now, then, rtol=1e-3, atol=1e-3, msg=lambda text: f"{what}: {text}")


def stands(engine: Engine, robot: robots.Robot, periods: int) -> None:
    """Upright all the time, at the height of its legs, and as heavy as it is."""
    target = worlds.stand(engine, robot)

    def look() -> tuple[float, np.ndarray]:
        return float(tilt(engine.qpos[:, 3:7]).max()), engine.qpos[0].double().cpu().numpy()

    for lean, qpos in worlds.run(engine, target, periods, look):
        assert lean < np.radians(3)
        assert qpos[2] == pytest.approx(kinematics.base_height(robot, qpos[7:], qpos[3:7]), abs=0.01)
    force = engine.contact_force.sum(1)[0].cpu()
    weight = robot.mass * worlds.GRAVITY
    assert force[2] == pytest.approx(weight, rel=0.005)
    assert abs(force[0]) + abs(force[1]) < 0.01 * weight
    feet = torch.tensor([name.endswith("foot") for name in engine.colliders], device=engine.device)
    assert torch.equal(engine.touched, feet.expand_as(engine.touched))


def test_go2_stands_for_five_seconds(engine: Engine) -> None:
    stands(engine, GO2, 250)


@pytest.mark.parametrize("kind", worlds.KINDS)
@pytest.mark.parametrize("name", [name for name in robots.names() if name != "go2"])
def test_the_others_stand(kind: str, name: str) -> None:
    """For five seconds too where that takes no time, for two on Warp's CPU device."""
    robot = robots.load(name)
    stands(worlds.make(kind, robot, flat(4.0), 1), robot, 100 if kind == "warp" else 250)


def test_colliders_are_named_in_the_order_of_the_forces(engine: Engine) -> None:
    worlds.run(engine, worlds.stand(engine, GO2), 10)
    assert engine.contact_force.shape == (WORLDS, len(engine.colliders), 3)
    at = {name: engine.contact_force[0, i] for i, name in enumerate(engine.colliders)}
    assert sorted(name for name, force in at.items() if force[2] > 0) == ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    on_the_left, on_the_right = (at[f"F{side}_foot"] + at[f"R{side}_foot"] for side in "LR")
    torch.testing.assert_close(on_the_left[2], on_the_right[2], rtol=1e-2, atol=0.1)


def test_torques_are_clipped(engine: Engine) -> None:
    """Targets out of reach, one side for some joints and the other for the rest, in the air."""
    qpos = worlds.home(engine, GO2)
    qpos[:, 2] += 5.0
    worlds.place(engine, qpos, worlds.nominal(engine, GO2.stand_kp, GO2.stand_kd))
    sides = torch.tensor([1.0, -1.0] * 6, device=engine.device)
    engine.step(worlds.standing(engine, GO2) + 20 * sides)
    limits = torch.tensor(GO2.torque_limits.copy(), dtype=torch.float32, device=engine.device)
    torch.testing.assert_close(engine.torque, (sides * limits).expand(WORLDS, -1), atol=1e-4, rtol=0)


def test_a_reset_leaves_other_worlds_alone(engine: Engine) -> None:
    """Even when it changes everything a world may have of its own."""
    worlds.stand(engine, GO2)
    untouched = sway(engine, 4)[-1]
    untouched_next = sway(engine, 2)

    worlds.stand(engine, GO2)
    sway(engine, 4)
    mask = torch.zeros(WORLDS, dtype=torch.bool, device=engine.device)
    mask[list(BAD)] = True
    other = worlds.nominal(engine, 10.0, 0.1)
    other = replace(other, friction=other.friction * 0.3, delay=other.delay + 3, solref=other.solref * 0.9)
    other = replace(other, impedance=other.impedance * 0.9)
    qpos = engine.qpos.clone() + 0.3
    engine.reset(mask, qpos, torch.ones_like(engine.qvel), other)
    for name in ("qpos", "qvel"):
        assert_same(engine, getattr(engine, name)[GOOD], untouched[name][GOOD], name)
    assert torch.equal(engine.qpos[mask], qpos[mask])
    assert (engine.qvel[mask] == 1).all()
    for now, then in zip(sway(engine, 2), untouched_next, strict=True):
        for name, value in now.items():
            assert_same(engine, value[GOOD], then[name][GOOD], name)
            if name == "qpos":
                assert not torch.equal(value[mask], then[name][mask])


def test_a_state_goes_on_where_it_was_left(engine: Engine) -> None:
    mixed = worlds.nominal(engine, GO2.stand_kp, GO2.stand_kd)
    mixed = replace(mixed, delay=torch.arange(WORLDS, device=engine.device, dtype=torch.int32) % 4)
    worlds.stand(engine, GO2, mixed)
    engine.push[:] = torch.tensor([5.0, -3.0, 2.0])
    sway(engine, 3)
    state = engine.state_dict()
    first = sway(engine, 3)
    count, speed = engine.faults.clone(), engine.top_speed.clone()

    engine.push[:] = 0.0
    worlds.stand(engine, GO2)
    sway(engine, 2)
    engine.load_state_dict(state)
    for now, then in zip(sway(engine, 3), first, strict=True):
        for name, value in now.items():
            assert_same(engine, value, then[name], name)
    assert torch.equal(engine.faults, count)
    assert_same(engine, engine.top_speed, speed, "top speed")
    engine.push[:] = 0.0


def test_a_state_is_a_copy(engine: Engine) -> None:
    state = engine.state_dict()
    before = {name: value.clone() for name, value in state.items()}
    worlds.stand(engine, GO2)
    sway(engine, 1)
    assert all(torch.equal(value, before[name]) for name, value in state.items())


def planted(engine: Engine) -> tuple[Tensor, Tensor]:
    """States of four bad kinds, in the worlds of `BAD`."""
    qpos, qvel = engine.qpos.clone(), engine.qvel.clone()
    qvel[BAD[0], 8] = float("nan")
    qvel[BAD[1], 1] = 25.0
    qpos[BAD[2], 2] = float("inf")
    qvel[BAD[3], 4] = 1e30
    return qpos, qvel


def test_bad_numbers_stay_in_their_world_and_go_home(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo logs its warnings to a file where it runs
    parameters = worlds.nominal(engine, GO2.stand_kp, GO2.stand_kd)
    home = worlds.home(engine, GO2)
    worlds.place(engine, home, parameters)
    clean = sway(engine, 6)

    worlds.place(engine, home, parameters)
    before = int(engine.faults)
    mask = torch.zeros(WORLDS, dtype=torch.bool, device=engine.device)
    mask[list(BAD)] = True
    engine.reset(mask, *planted(engine), parameters)
    dirty = sway(engine, 6)

    assert int(engine.faults) == before + len(BAD)
    assert dirty[0]["fault"].nonzero().flatten().tolist() == list(BAD)
    torch.testing.assert_close(dirty[0]["qpos"][mask], home[mask], rtol=0, atol=1e-6)
    assert (dirty[0]["qvel"][mask] == 0).all()
    for step, (now, then) in enumerate(zip(dirty, clean, strict=True)):
        assert bool(now["fault"].any()) == (step == 0)
        for name, value in now.items():
            assert torch.isfinite(value).all(), (name, step)
            assert_same(engine, value[GOOD], then[name][GOOD], (name, step))


def test_top_speed_is_that_of_the_fastest_substep(engine: Engine) -> None:
    """Also of a world that was caught: v = 25 m/s, and of falls: v = g t."""
    state = engine.state_dict()
    engine.load_state_dict(state | {"top_speed": torch.zeros_like(state["top_speed"])})
    qpos, qvel = worlds.home(engine, GO2), torch.zeros_like(engine.qvel)
    qpos[:, 2] += 5.0
    qvel[1, 0] = 25.0
    worlds.place(engine, qpos, worlds.nominal(engine, GO2.stand_kp, GO2.stand_kd), qvel)
    worlds.run(engine, worlds.standing(engine, GO2), 5)
    assert float(engine.top_speed[1]) == pytest.approx(25.0, rel=1e-3)
    assert float(engine.top_speed[0]) == pytest.approx(worlds.GRAVITY * 0.1, rel=1e-3)
