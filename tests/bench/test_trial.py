"""One trial: errors, the half-second definition, falls and progress."""

import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import Tensor

from him.bench.trial import ARENA, Cell, Ground, _Tally, calm
from him.env.settings import Noise, Randomisation, TaskSettings
from him.sim.engine import CONTROL_PERIOD
from tests.threads import one_thread  # noqa: F401

ROBOTS = 6


class Scripted:
    """A player that always says the same."""

    def __init__(
        self, action: float, velocity: tuple[float, float, float] | None = None, everything: bool = False
    ) -> None:
        inputs = (SimpleNamespace(shape=("batch", 6, 238 if everything else 45)),)
        self.robot = "go1"
        self.contract = SimpleNamespace(robot="go1", history_length=6, inputs=inputs, action_scale=0.25)
        self.action, self.velocity = action, velocity
        self.seen: list[Tensor] = []
        self.times: list[Tensor] = []

    def __call__(self, history: Tensor, time: Tensor) -> dict[str, Tensor]:
        self.seen.append(history)
        self.times.append(time)
        n = len(history)
        said = {"action": torch.full((n, 12), self.action)}
        return said if self.velocity is None else said | {"velocity": torch.tensor(self.velocity).repeat(n, 1)}


@pytest.fixture(scope="module")
def flat() -> Ground:
    quiet = replace(calm(), noise=Noise(scale=0.0))
    return Ground("go1", [Cell("flat", 0)], ROBOTS, quiet, "cpu")


@pytest.fixture(scope="module")
def commands() -> Tensor:
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.uniform(-1, 1, (ROBOTS, 3)).astype(np.float32))


def test_who_stands_is_wrong_by_the_command(flat: Ground, commands: Tensor) -> None:
    """And is told the same command all the time."""
    player = Scripted(0.0)
    outcome = flat.run(player, commands, seconds=2.0)
    size = commands[:, :2].norm(dim=-1)
    assert not outcome.fell.any()
    for linear, angular in ((outcome.linear, outcome.angular), (outcome.linear_window, outcome.angular_window)):
        torch.testing.assert_close(linear, size, atol=0.02, rtol=0)
        torch.testing.assert_close(angular, commands[:, 2].abs(), atol=0.02, rtol=0)
    assert outcome.progress.abs().max() < 0.05
    assert (outcome.estimate == 0).all()
    told = torch.stack(player.seen)[:, :, :, :3] / torch.tensor([2.0, 2.0, 0.25])
    torch.testing.assert_close(told, commands[None, :, None].expand_as(told))


def test_the_history_starts_filled_and_moves_newest_first(flat: Ground, commands: Tensor) -> None:
    player = Scripted(0.1)
    flat.run(player, commands, seconds=0.3, settle=0.0)
    first = player.seen[0]
    assert (first == first[:, :1]).all()
    for before, after in zip(player.seen, player.seen[1:], strict=False):
        assert torch.equal(after[:, 1:], before[:, :-1])
        assert not torch.equal(after[:, 0], before[:, 0])


def test_the_estimate_is_judged_against_the_true_velocity(flat: Ground, commands: Tensor) -> None:
    """A robot that stands and believes to go at (0.3, -0.4) is wrong by 0.5."""
    outcome = flat.run(Scripted(0.0, (0.3, -0.4, 5.0)), commands, seconds=1.5, settle=0.5)
    torch.testing.assert_close(outcome.estimate.sqrt(), torch.full((ROBOTS,), 0.5), atol=0.02, rtol=0)


def test_a_policy_that_may_know_everything_is_shown_it(flat: Ground, commands: Tensor) -> None:
    player, velocities = Scripted(0.0, everything=True), []
    flat.run(player, commands, 0.1, 0.0, lambda context, said, step: velocities.append(step.velocity))
    for seen, velocity in zip(player.seen[1:], velocities, strict=False):
        assert seen.shape == (ROBOTS, 6, flat.task.frame_size + flat.task.extra_size)
        torch.testing.assert_close(seen[:, 0, :3], commands * torch.tensor([2.0, 2.0, 0.25]))
        torch.testing.assert_close(seen[:, 0, 45:48], 2.0 * velocity)


def test_a_watcher_sees_what_the_policy_saw_and_said(flat: Ground, commands: Tensor) -> None:
    player, seen = Scripted(0.0), []
    flat.run(player, commands, 0.1, 0.0, lambda context, said, step: seen.append((context, said, step.velocity)))
    assert len(seen) == 5
    for (context, said, velocity), expected in zip(seen, player.seen, strict=True):
        assert context is expected
        assert said["action"].shape == (ROBOTS, 12)
        assert velocity.shape == (ROBOTS, 3)


def test_the_time_starts_anew_with_each_walk(flat: Ground, commands: Tensor) -> None:
    walking, falling = Scripted(0.0), Scripted(20.0)
    flat.run(walking, commands, seconds=0.1)
    torch.testing.assert_close(torch.cat(walking.times, 1), 0.02 * torch.arange(5.0).repeat(ROBOTS, 1))
    flat.run(falling, commands, seconds=1.0)
    times = torch.cat(falling.times, 1)
    steps = times.diff(dim=1)
    assert (times[:, 0] == 0).all()
    assert (torch.isclose(steps, torch.tensor(0.02)) | (times[:, 1:] == 0)).all()
    assert (times[:, 1:] == 0).any(-1).all(), "everyone fell"


def test_what_an_action_means_is_the_policys_to_say(flat: Ground, commands: Tensor) -> None:
    """Half the action at twice the scale moves the joints alike."""
    ends = []
    for action, scale in ((0.4, 0.25), (0.2, 0.5), (0.2, 0.25)):
        player = Scripted(action)
        player.contract.action_scale = scale
        flat.run(player, commands, seconds=0.5)
        ends.append(flat.task.engine.qpos[0, 7:].clone())
    torch.testing.assert_close(ends[0], ends[1], atol=0.02, rtol=0)
    assert (ends[0] - ends[2]).abs().max() > 0.03


def test_who_falls_is_told_so(flat: Ground, commands: Tensor) -> None:
    outcome = flat.run(Scripted(20.0), commands, seconds=2.0)
    assert outcome.fell.all()
    torch.testing.assert_close(outcome.linear, commands[:, :2].norm(dim=-1))
    torch.testing.assert_close(outcome.angular_window, commands[:, 2].abs())


def test_robots_start_all_over_their_own_arena_but_for_its_rim() -> None:
    cells, inner = [Cell("stairs", 3), Cell("obstacles", 7)], ARENA - 2
    each = 2 * inner**2
    settings = TaskSettings(randomisation=Randomisation(bodies=4))
    ground = Ground("go1", cells, each, settings, "cpu")
    ground.run(Scripted(0.0), torch.zeros(2 * each, 3), seconds=0.02, settle=0.0)
    tiles = ground.task.constants
    column, row = ground.task.episode.column, ground.task.episode.row
    assert ground.cell.tolist() == [0] * each + [1] * each
    inside = {(i, j) for i in range(1, ARENA - 1) for j in range(1, ARENA - 1)}
    for arena in range(2):
        mine = slice(arena * each, (arena + 1) * each)
        starts = Counter(zip((column[mine] - arena * ARENA).tolist(), row[mine].tolist(), strict=True))
        assert starts == dict.fromkeys(inside, 2)
    pits = ground.task.engine.qpos[:each, 2] < 0.0
    assert pits.float().mean() == 0.5, "half climb and half descend"
    assert (ground.task.engine.qpos[:, :2] - tiles.centre[column, row]).abs().max() < 1.0
    kinds = tiles.kind[column, row]
    assert (kinds[:each] == kinds[0]).all()
    assert (kinds[each:] == kinds[each]).all()
    assert kinds[0] != kinds[each]
    assert not ground.task.settings.curriculum


def test_nobody_pushes_in_a_trial_however_a_policy_was_trained() -> None:
    pushed = replace(TaskSettings(), randomisation=replace(Randomisation(), push=1.0, push_seconds=0.02))
    settings = Ground("go1", [Cell("flat", 0)], 2, pushed, "cpu").task.settings
    assert settings.randomisation == replace(pushed.randomisation, push=0.0)


def test_the_same_seed_gives_every_policy_the_same_worlds(commands: Tensor) -> None:
    """Friction, bodies, starts and forces: what two policies are compared in is common to them."""
    settings = TaskSettings(randomisation=Randomisation(bodies=4))
    ground = Ground("go1", [Cell("flat", 0)], ROBOTS, settings, "cpu")
    worlds, outcomes = [], []
    for seed, action in ((7, 0.0), (7, 0.3), (7, 0.0), (8, 0.0)):
        torch.manual_seed(seed)
        outcomes.append(ground.run(Scripted(action), commands, seconds=0.1, settle=0.0).linear)
        state = ground.task.engine.state_dict()
        worlds.append(torch.cat([state[name].flatten() for name in ("geom_friction", "body_mass", "push")]))
    assert torch.equal(worlds[0], worlds[1])
    assert not torch.equal(worlds[0], worlds[3])
    assert torch.equal(outcomes[0], outcomes[2])
    assert not torch.equal(outcomes[0], outcomes[1])


STEPS, SETTLE, LENGTH = 160, 50, 25


def tallied(command: np.ndarray, velocity: np.ndarray, yaw: np.ndarray, falls: np.ndarray) -> dict[str, np.ndarray]:
    tally = _Tally(torch.from_numpy(command), STEPS, SETTLE)
    for t in range(STEPS):
        now = (velocity[t], yaw[t], falls == t)
        tally.add(*(torch.from_numpy(x) for x in now))
    return {name: value.numpy() for name, value in vars(tally.outcome()).items()}


def test_errors_are_the_means_after_the_first_second() -> None:
    """Also across a fall: from then on the robot does not move, whatever the simulation does with it."""
    rng = np.random.default_rng(1)
    n = 5
    command, velocity, yaw = rng.normal(size=(n, 3)), rng.normal(size=(STEPS, n, 3)), rng.normal(size=(STEPS, n))
    falls = np.array([-1, 0, 30, 97, 159])
    got = tallied(command, velocity, yaw, falls)

    moved = np.concatenate([velocity[..., :2], yaw[..., None]], -1)
    for i, fall in enumerate(falls):
        if fall >= 0:
            moved[fall:, i] = 0.0
    counted = moved[SETTLE:]
    np.testing.assert_allclose(got["linear"], np.hypot(*(command - counted)[..., :2].transpose(2, 0, 1)).mean(0))
    np.testing.assert_allclose(got["angular"], np.abs(command[:, 2] - counted[..., 2]).mean(0))
    whole = counted[: len(counted) // LENGTH * LENGTH]
    averages = whole.reshape(-1, LENGTH, n, 3).mean(1)
    assert len(averages) == 4, "what does not fill half a second is left out"
    off = command - averages
    np.testing.assert_allclose(got["linear_window"], np.hypot(off[..., 0], off[..., 1]).mean(0))
    np.testing.assert_allclose(got["angular_window"], np.abs(off[..., 2]).mean(0))
    np.testing.assert_array_equal(got["fell"], falls >= 0)
    along = (moved[..., :2] * command[:, :2]).sum(-1) / np.hypot(*command[:, :2].T)
    asked = np.hypot(*command[:, :2].T) * STEPS * CONTROL_PERIOD
    np.testing.assert_allclose(got["progress"], along.sum(0) * CONTROL_PERIOD / asked)


def test_sway_counts_at_once_and_not_over_half_a_second() -> None:
    """On top of the commanded velocity a gait of 4 Hz, two whole periods in half a second."""
    command = np.array([[0.5, 0.0, 0.0]])
    sway = 0.3 * np.sin(2 * math.pi * 4 * CONTROL_PERIOD * np.arange(STEPS))
    velocity = np.tile([[[0.5, 0.0, 0.0]]], (STEPS, 1, 1))
    velocity[:, 0, 1] += sway
    got = tallied(command, velocity, np.zeros((STEPS, 1)), np.array([-1]))
    assert got["linear"][0] == pytest.approx(0.3 * 2 / math.pi, rel=0.03)
    assert got["linear_window"][0] == pytest.approx(0.0, abs=1e-9)
    assert got["progress"][0] == pytest.approx(1.0)
