"""Histories gathered from rows that are stored once, against copies kept frame by frame."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from him.env.protocol import Observation, Sizes, Step
from him.learn.rollout import Rollout, View

SIZES = Sizes(frame=4, extra=5, action=2)
CPU = torch.device("cpu")


def observe(envs: int) -> Observation:
    return Observation(torch.randn(envs, SIZES.frame), torch.randn(envs, SIZES.extra))


def pushed(window: Tensor, newest: Tensor, done: Tensor) -> Tensor:
    """The naive history: shift by one, or fill with the first frame of a new episode."""
    filled = newest[:, None].expand_as(window)
    return torch.where(done[:, None, None], filled, torch.cat([newest[:, None], window[:, :-1]], 1))


def full(observation: Observation, privileged: bool) -> Tensor:
    return observation.critic() if privileged else observation.frame


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.integers(1, 9),
    st.integers(1, 7),
    st.booleans(),
    st.floats(0, 0.6),
)
def test_histories_equal_naive_ones(
    seed: int, envs: int, steps: int, history: int, privileged: bool, ending: float
) -> None:
    """Over three rollouts, so that histories reach across their borders, and over resumption in the
    middle."""
    torch.manual_seed(seed)
    rollout = Rollout(SIZES, envs, steps, history, privileged, CPU)
    observation = observe(envs)
    velocity = torch.randn(envs, 3)
    rollout.start(observation, velocity)
    newest = full(observation, privileged)
    window = newest[:, None].repeat(1, history, 1)
    for turn in range(3):
        if turn == 2:
            state = {name: value.clone() for name, value in rollout.state_dict().items()}
            rollout = Rollout(SIZES, envs, steps, history, privileged, CPU)
            rollout.load_state_dict(state)
        rollout.begin()
        windows, finals, instants, velocities = [], [], [], []
        for t in range(steps):
            torch.testing.assert_close(rollout.context(t), window, rtol=0, atol=0)
            done = torch.rand(envs) < ending
            fresh, final = observe(envs), observe(envs)
            after = Observation(*(torch.where(done[:, None], a, b) for a, b in zip(fresh, final, strict=True)))
            reward = torch.randn(envs)
            windows.append(window)
            finals.append(final)
            instants.append(observation)
            velocities.append(velocity)
            velocity = torch.randn(envs, 3)
            step = Step(after, final, reward, done, done, ~done, velocity)
            rollout.act(torch.randn(envs, 2), torch.randn(envs, 2))
            rollout.record(step, reward)
            observation = after
            window = pushed(window, full(after, privileged), done)
        order = torch.randperm(steps * envs)
        view = View.flat(rollout, order)
        same = [
            (view.context(), torch.cat(windows)),
            (view.history(), torch.cat(windows)[..., : SIZES.frame]),
            (view.successor(), torch.cat([x.frame for x in finals])),
            (view.successor_velocity(), torch.cat([x.extra[:, :3] for x in finals])),
            (view.velocity(), torch.cat(velocities)),
            (view.critic(), torch.cat([x.critic() for x in instants])),
        ]
        for ours, expected in same:
            assert torch.equal(ours, expected[order])


def test_successor_is_the_next_frame_within_an_episode() -> None:
    torch.manual_seed(0)
    rollout = Rollout(SIZES, 3, 4, 6, False, CPU)
    rollout.start(observe(3), torch.zeros(3, 3))
    rollout.begin()
    nobody = torch.zeros(3, dtype=torch.bool)
    for t in range(4):
        after = observe(3)
        step = Step(after, after, torch.zeros(3), nobody, nobody, nobody, torch.full((3, 3), float(t + 1)))
        rollout.act(torch.zeros(3, 2), torch.zeros(3, 2))
        rollout.record(step, torch.zeros(3))
    view = View.flat(rollout, torch.arange(12))
    assert torch.equal(view.successor()[:9], view.history()[3:, 0])
    assert torch.equal(view.velocity()[:, 0], torch.arange(4.0).repeat_interleave(3))


def test_a_full_rollout_fits_its_budget() -> None:
    """4096 environments x 100 steps at the sizes of the quadruped in at most 0.55 GB."""
    rollout = Rollout(Sizes(frame=45, extra=193, action=12), 4096, 100, 6, False, torch.device("meta"))
    assert 0.4e9 < rollout.nbytes() <= 0.55e9
