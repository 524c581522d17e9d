"""A step of the task: what is seen, rewarded, ended, renewed and logged."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from him.env import observations, rewards
from him.env.curriculum import Travel
from him.env.geometry import facing, to_body
from him.env.settings import Commands, Noise, Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.policy.frame import frame, gravity_direction
from him.sim.engine import CONTROL_PERIOD
from him.terrain import Shares, TerrainSettings, grid
from tests.env.tasks import ROBOT, SMALL, begin, make, quiet, still

ACTION = slice(33, 45)
FORCE = slice(3, 6)
SCAN = slice(6, None)


@pytest.fixture(scope="module")
def calm() -> LocomotionTask:
    return make(8, quiet())


@pytest.fixture(scope="module")
def busy() -> LocomotionTask:
    """Everything random, short episodes."""
    return make(16, TaskSettings(randomisation=Randomisation(bodies=8, force_share=0.5), episode_seconds=0.6))


def test_sizes_are_the_papers(busy: LocomotionTask) -> None:
    assert (busy.frame_size, busy.extra_size, busy.action_size) == (45, 3 + 3 + 187, 12)
    observation, velocity = busy.reset()
    step = busy.step(still(busy))
    for seen in (observation, step.observation, step.final):
        assert (seen.frame.shape, seen.extra.shape) == ((16, 45), (16, 193))
        assert seen.critic().shape == (16, 238)
    assert velocity.shape == step.velocity.shape == (16, 3)
    assert step.reward.shape == (16,)
    assert step.done.dtype == step.timeout.dtype == torch.bool


def test_the_final_observation_differs_only_where_an_episode_ended(busy: LocomotionTask) -> None:
    ended = 0
    for _ in range(40):
        step = busy.step(torch.randn(16, 12))
        assert (step.timeout <= step.done).all()
        for now, final in zip(step.observation, step.final, strict=True):
            assert torch.equal(now[~step.done], final[~step.done])
            assert (now[step.done] != final[step.done]).any(-1).all()
        ended += int(step.done.sum())
    assert ended > 16


def test_the_last_action_is_seen_and_forgotten_at_a_new_beginning(busy: LocomotionTask) -> None:
    busy.reset()
    ended = 0
    for _ in range(40):
        action = torch.randn(16, 12)
        step = busy.step(action)
        assert torch.equal(step.final.frame[:, ACTION], action)
        assert torch.equal(step.observation.frame[~step.done, ACTION], action[~step.done])
        assert (step.observation.frame[step.done, ACTION] == 0).all()
        ended += int(step.done.sum())
    assert ended > 16


def test_actions_are_clipped_and_scaled_to_targets(calm: LocomotionTask, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(calm, 100)
    targets: list[torch.Tensor] = []
    monkeypatch.setattr(calm.engine, "step", targets.append)
    step = calm.step(torch.full((8, 12), 50.0))
    assert (step.final.frame[:, ACTION] == 20.0).all()
    expected = ROBOT.default_joint_pos + ROBOT.action_scale * 20.0
    np.testing.assert_allclose(targets[0].numpy(), np.tile(expected, (8, 1)), rtol=1e-6)


def test_without_noise_the_networks_see_what_the_engine_says(calm: LocomotionTask) -> None:
    begin(calm, 100)
    for _ in range(5):
        action = 0.3 * torch.randn(8, 12)
        step = calm.step(action)
    qpos, qvel = calm.engine.qpos.double().numpy(), calm.engine.qvel.double().numpy()
    gravity = gravity_direction(qpos[:, 3:7])
    joints = qpos[:, 7:] - ROBOT.default_joint_pos
    expected = frame(calm.episode.command, qvel[:, 3:6], gravity, joints, qvel[:, 6:], action)
    np.testing.assert_allclose(step.observation.frame.numpy(), expected, atol=1e-5)
    velocity = to_body(calm.engine.qpos[:, 3:7], calm.engine.qvel[:, :3])
    torch.testing.assert_close(step.velocity, velocity)
    torch.testing.assert_close(step.observation.extra[:, :3], 2 * velocity)


def test_the_critic_scans_the_ground_around_the_robot(calm: LocomotionTask) -> None:
    begin(calm, 100)
    step = calm.step(still(calm))
    terrain, qpos = grid(SMALL), calm.engine.qpos
    x, y = observations.around(qpos[:, :3], facing(qpos[:, 3:7]), calm.senses.scan)
    ground = terrain.height(x.double().numpy(), y.double().numpy())
    assert np.ptp(ground) > 0.04, "the scan reaches beyond the platform"
    expected = 5 * np.clip(qpos[:, 2:3].numpy() - ROBOT.standing_height - ground, -1, 1)
    got = step.observation.extra[:, SCAN].numpy()
    close = np.isclose(got, expected, atol=1e-3)
    assert close.mean() > 0.98, "but for points at a riser's edge, where a rounding decides"


def test_noise_stays_in_its_width_and_fills_it() -> None:
    """The robots and the random numbers are the same with and without."""
    settings = quiet(noise=Noise())
    noisy, clean = make(32, settings), make(32, replace(settings, noise=Noise(scale=0.0)))
    widths = observations.noise_widths(Noise(), torch.device("cpu"))
    largest = torch.zeros(45)
    for _ in range(10):
        seed = int(torch.randint(2**31, ()))
        frames = []
        for task in (noisy, clean):
            torch.manual_seed(seed)
            frames.append(task.step(still(task)).observation.frame)
        largest = torch.maximum(largest, (frames[0] - frames[1]).abs().amax(0))
    assert (largest <= widths + 1e-5).all()
    assert (largest >= 0.9 * widths).all()


def test_the_clock_ends_an_episode_as_a_timeout(calm: LocomotionTask) -> None:
    begin(calm, 5)
    for t in range(1, 6):
        step = calm.step(still(calm))
        assert step.done.all() == (t == 5)
        assert torch.equal(step.done, step.timeout)
    assert (calm.episode.steps == 0).all()
    assert (calm.episode.limit == 500).all()


def test_a_fall_is_no_timeout_even_at_the_last_step(calm: LocomotionTask) -> None:
    begin(calm, 1)
    turned = calm.engine.qpos.clone()
    turned[:3, 2] += 1.0
    turned[:3, 3:7] = torch.tensor([0.0, 1.0, 0.0, 0.0])
    state = calm.state_dict()
    calm.load_state_dict(state | {"engine.qpos": turned.double()})
    step = calm.step(still(calm))
    assert step.done.all()
    assert step.timeout.tolist() == [False] * 3 + [True] * 5
    assert step.final.frame[0, 8] == pytest.approx(1.0, abs=0.05), "gravity as it lay there"
    assert step.observation.frame[0, 8] == pytest.approx(-1.0, abs=1e-5)


def test_a_trunk_on_the_ground_is_a_fall(calm: LocomotionTask) -> None:
    begin(calm, 100)
    lying = calm.engine.qpos.clone()
    lying[2, 2] -= ROBOT.standing_height
    calm.load_state_dict(calm.state_dict() | {"engine.qpos": lying.double()})
    step = calm.step(still(calm))
    assert step.done.nonzero().flatten().tolist() == [2]
    assert not step.timeout.any()


def test_leaving_the_terrain_is_a_timeout(calm: LocomotionTask) -> None:
    begin(calm, 100)
    gone = calm.engine.qpos.clone()
    gone[1, 0] = calm.constants.half[0] - 1.9
    gone[4, 1] = -(calm.constants.half[1] - 1.9)
    gone[[1, 4], 2] = 1.0
    calm.load_state_dict(calm.state_dict() | {"engine.qpos": gone.double()})
    step = calm.step(still(calm))
    assert step.timeout.nonzero().flatten().tolist() == [1, 4]
    assert torch.equal(step.done, step.timeout)


def test_a_new_command_is_told_apart_from_what_followed_the_old_one() -> None:
    """The successor still shows the old command, also where the episode ends with the interval; what the next action
    answers shows the new one."""
    task = make(6, quiet(commands=Commands(seconds=0.1), episode_seconds=0.2))
    begin(task, 10)
    for t in range(1, 11):
        told = task.episode.command.clone()
        step = task.step(still(task))
        scale = task.senses.scales[:3]
        torch.testing.assert_close(step.final.frame[:, :3], told * scale)
        torch.testing.assert_close(step.observation.frame[:, :3], task.episode.command * scale)
        assert step.renewed.all() == step.renewed.any() == (t == 5)
        assert step.timeout.all() == step.timeout.any() == (t == 10)
        assert (told != task.episode.command).any() == (t in (5, 10))


def test_commands_are_renewed_at_their_interval() -> None:
    task = make(8, quiet(commands=replace(quiet().commands, seconds=0.1)))
    begin(task, 100)
    last = task.episode.command.clone()
    for t in range(1, 16):
        step = task.step(still(task))
        assert not step.done.any()
        changed = (task.episode.command != last).any(-1)
        assert changed.all() == changed.any() == (t % 5 == 0)
        last = task.episode.command.clone()
        np.testing.assert_allclose(step.observation.frame[:, :3], last * torch.tensor([2.0, 2.0, 0.25]), rtol=1e-6)


def test_a_command_given_stays_and_a_new_episode_gets_its_own(calm: LocomotionTask) -> None:
    begin(calm, 3, command=(0.5, 0.0, 0.0))
    given = torch.tensor([1.0, 0.0, 0.0]).expand(8, 3)
    for t in range(3):
        step = calm.step(still(calm))
        torch.testing.assert_close(step.final.frame[:, :3], given)
        same = (step.observation.frame[:, :3] == given).all(-1)
        assert same.all() if t < 2 else not same.any()


def test_forces_reach_the_robot_and_the_critic() -> None:
    """All the time, each for 0.2 s; two identical worlds, but one is left alone."""
    always = replace(Randomisation.none(), force=30.0, force_share=1.0, force_seconds=(0.2, 0.2))
    pushed, alone = make(8, quiet(randomisation=always)), make(8, quiet())
    for task in (pushed, alone):
        torch.manual_seed(1)
        begin(task, 1000)
        task.step(still(task))
    forces = []
    for _ in range(40):
        force = pushed.episode.force.clone()
        assert (alone.episode.force == 0).all()
        before = [task.engine.qvel[:, :2].clone() for task in (pushed, alone)]
        step = pushed.step(still(pushed))
        alone.step(still(alone))
        assert torch.equal(pushed.engine.push, force)
        forces.append(force)
        seen = to_body(pushed.engine.qpos[:, 3:7], pushed.episode.force) / 30
        torch.testing.assert_close(step.observation.extra[:, FORCE], seen)
        if len(forces) == 1:
            gain = pushed.engine.qvel[:, :2] - before[0] - (alone.engine.qvel[:, :2] - before[1])
            along = (gain * force[:, :2]).sum(-1) / force[:, :2].norm(dim=-1)
            assert (along > 0).all(), "it pushes where it points"
    stacked = torch.stack(forces)
    assert stacked.abs().max() <= 30
    assert (stacked != 0).any(-1).all()
    changes = (stacked[1:] != stacked[:-1]).any(-1).all(-1)
    assert set(changes.nonzero().flatten().diff().tolist()) == {10}


def test_logged_rewards_sum_to_the_total_and_to_what_was_paid(busy: LocomotionTask) -> None:
    busy.metrics()
    paid = torch.stack([busy.step(torch.randn(16, 12)).reward for _ in range(10)])
    logged = {name: value.item() for name, value in busy.metrics().items()}
    total = logged["reward/total"]
    terms = [value for name, value in logged.items() if name.startswith("reward/") and name != "reward/total"]
    assert len(terms) == len(rewards.TERMS)
    assert sum(terms) == pytest.approx(total, rel=1e-4)
    assert paid.mean().item() == pytest.approx(total * CONTROL_PERIOD, rel=1e-4)
    assert busy.metrics()["reward/total"] == 0, "they are averages since the last call"


def test_metrics_name_the_terrain(busy: LocomotionTask) -> None:
    names = busy.metrics().keys()
    assert {"terrain/level", "terrain/level_rough_slope", "terrain/level_stairs", "commands/reach_x"} <= names
    assert not {"terrain/level_flat", "terrain/level_slope"} & names


def walked(task: LocomotionTask, asked: float, made: float, tracked: float) -> None:
    """Make it so that the episodes, which end with the next step, went like this."""
    n, steps = task.num_envs, 99.0
    numbers = (asked, made, tracked * steps, tracked * steps, 4.0)
    travel = Travel(*(torch.full((n,), value) for value in numbers))
    task.episode = task.episode._replace(travel=travel, steps=torch.full((n,), steps))


@pytest.mark.parametrize(
    ("made", "tracked", "rows", "reach"), [(9.5, 0.95, [1, 1], 0.8), (1.0, 0.1, [0, 0], 0.2), (7.0, 0.7, [0, 1], 0.5)]
)
def test_the_end_of_an_episode_moves_levels_and_ranges(
    calm: LocomotionTask, made: float, tracked: float, rows: list[int], reach: float
) -> None:
    """Half of the robots start on level 0, half on level 1, the last: who passes it draws any level."""
    row = torch.arange(8) % 2
    calm.reset_to(row, row, torch.full((8,), 100.0), torch.tensor([0.5, 0.9, 0.0]).repeat(8, 1))
    calm.episode.reach.fill_(0.5)
    played = calm.constants.place(row, row).unique()
    walked(calm, 10.0, made, tracked)
    step = calm.step(still(calm))
    assert step.timeout.all()
    assert (calm.episode.row[row == 0] == rows[0]).all()
    if made < 9:
        assert (calm.episode.row[row == 1] == rows[1]).all()
    assert calm.episode.row.max() <= 1
    expected = torch.full_like(calm.episode.reach, 0.5)
    expected[played, 1] = reach
    torch.testing.assert_close(calm.episode.reach, expected, msg="0.9 of 1 m/s sideways, 0.5 forward, and no turning")
    assert all((value == 0).all() for value in calm.episode.travel)
    centre = calm.constants.centre[calm.episode.column, calm.episode.row]
    assert (calm.engine.qpos[:, :2] - centre).abs().max() <= 1.0


def test_without_a_curriculum_nobody_moves() -> None:
    task = make(16, quiet(curriculum=False))
    rows = task.episode.row.clone()
    assert set(rows.tolist()) == {0, 1}, "and everyone starts anywhere"
    task.episode = task.episode._replace(limit=torch.full((16,), 100.0))
    walked(task, 10.0, 9.5, 0.95)
    assert task.step(still(task)).done.all()
    assert torch.equal(task.episode.row, rows)


def test_a_reset_spreads_columns_first_levels_and_clocks() -> None:
    terrain = grid(TerrainSettings(shares=Shares(), columns=5, levels=4, border=2.0))
    task = make(32, quiet(start_level=1), terrain)
    assert torch.bincount(task.episode.column).tolist() == [7, 7, 6, 6, 6]
    assert set(task.episode.row.tolist()) == {0, 1}
    assert task.episode.limit.min() >= 1
    assert task.episode.limit.max() <= 1000
    assert len(task.episode.limit.unique()) > 16


def test_on_a_grid_that_begins_higher_levels_are_told_as_they_are() -> None:
    terrain = grid(TerrainSettings(columns=5, levels=2, first_level=4, border=2.0))
    task = make(8, quiet(start_level=4), terrain)
    assert set(task.episode.row.tolist()) == {0}, "robots start on levels up to 4, which is the first"
    task.step(still(task))
    assert task.metrics()["terrain/level"] == 4


def test_ranges_of_commands_may_begin_wider(calm: LocomotionTask) -> None:
    calm.reset()
    assert calm.episode.reach.abs().max() == 0
    calm.widen([2.0, 1.0, 9.0])
    column = torch.arange(calm.constants.columns, device=calm.device)
    limits = calm.transition.ranges(column, torch.zeros_like(column), calm.episode.reach)
    full = calm.transition.limits.full[calm.constants.kind[column, 0]]
    torch.testing.assert_close(limits, torch.minimum(full, full.new_tensor([2.0, 1.0, 9.0])))
