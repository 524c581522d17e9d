"""PPO against NumPy and against rsl-rl-lib on the same weights and batch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributions import Normal, kl_divergence

from him.env.symmetry import Space
from him.learn import ppo
from him.learn.networks import Actor, Critic
from him.learn.ppo import Minibatch
from him.learn.settings import PpoSettings


def adapt(rate: torch.Tensor, kl: torch.Tensor, chosen: PpoSettings) -> None:
    ppo.adapt_rate(rate, kl, chosen.desired_kl, chosen.min_learning_rate, chosen.max_learning_rate)


def naive_advantages(
    reward: np.ndarray,
    value: np.ndarray,
    final: np.ndarray,
    done: np.ndarray,
    timeout: np.ndarray,
    g: float,
    lam: float,
) -> np.ndarray:
    """Sum over the future of each sample, one by one."""
    steps, envs = reward.shape
    out = np.zeros((steps, envs))
    for n in range(envs):
        for t in range(steps):
            weight = 1.0
            for k in range(t, steps):
                after = final[k, n] if timeout[k, n] else 0.0 if done[k, n] else value[k + 1, n]
                out[t, n] += weight * (reward[k, n] + g * after - value[k, n])
                weight *= g * lam
                if done[k, n]:
                    break
    return out


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 5), st.floats(0, 0.99), st.floats(0, 1))
def test_gae_is_the_discounted_sum_over_the_episode(seed: int, steps: int, envs: int, g: float, lam: float) -> None:
    rng = np.random.default_rng(seed)
    reward, final = rng.normal(size=(2, steps, envs))
    value = rng.normal(size=(steps + 1, envs))
    done = rng.random((steps, envs)) < 0.3
    timeout = done & (rng.random((steps, envs)) < 0.5)
    r, v, f, d, t = map(torch.tensor, (reward, value, final, done, timeout))
    ours = ppo.gae(r, v[:-1], ppo.successor_values(v, f, d, t), d, g, lam)
    expected = naive_advantages(reward, value, final, done, timeout, g, lam)
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-9, atol=1e-9)


def test_a_constant_reward_is_worth_the_same_through_a_timeout() -> None:
    """With the true value of an endless reward of 1, a time-out is no surprise and a fall is."""
    worth = 1 / (1 - 0.9)
    value, final = torch.full((5, 2), worth), torch.full((4, 2), worth)
    done = torch.tensor([[False, False], [True, True], [False, False], [False, False]])
    timeout = done & torch.tensor([True, False])
    following = ppo.successor_values(value, final, done, timeout)
    advantage = ppo.gae(torch.ones(4, 2), value[:-1], following, done, 0.9, 0.95)
    torch.testing.assert_close(advantage[:, 0], torch.zeros(4), atol=1e-5, rtol=0)
    assert advantage[1, 1].item() == pytest.approx(-0.9 * worth)


def test_gaussian_formulas_against_torch_distributions() -> None:
    torch.manual_seed(0)
    action, mean, old = torch.randn(3, 20, 4, dtype=torch.double)
    log_std, old_log_std = torch.randn(2, 4, dtype=torch.double)
    new, before = Normal(mean, log_std.exp()), Normal(old, old_log_std.exp())
    torch.testing.assert_close(ppo.log_prob(action, mean, log_std), new.log_prob(action).sum(-1))
    torch.testing.assert_close(ppo.entropy(log_std), new.entropy().sum(-1)[0])
    torch.testing.assert_close(ppo.divergence(old, old_log_std, mean, log_std), kl_divergence(before, new).sum(-1))


def test_advantages_are_normalised() -> None:
    advantage = torch.randn(7, 5, dtype=torch.double) * 3 + 2
    expected = (advantage.numpy() - advantage.numpy().mean()) / (advantage.numpy().std(ddof=1) + 1e-8)
    np.testing.assert_allclose(ppo.normalise(advantage).numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("kl", "expected"),
    [(0.03, 6e-4 / 1.5), (0.004, 9e-4), (0.01, 6e-4), (0.0, 6e-4), (float("nan"), 6e-4), (1e9, 6e-4 / 1.5)],
)
def test_learning_rate_follows_the_divergence(kl: float, expected: float) -> None:
    rate = torch.tensor(6e-4)
    adapt(rate, torch.tensor(kl), PpoSettings(desired_kl=0.01))
    assert rate.item() == pytest.approx(expected)


def test_learning_rate_stays_within_its_bounds() -> None:
    chosen, rate = PpoSettings(), torch.tensor(6e-4)
    for kl, bound in [(1.0, chosen.min_learning_rate), (1e-5, chosen.max_learning_rate)]:
        for _ in range(10):
            adapt(rate, torch.tensor(kl), chosen)
        assert rate.item() == pytest.approx(bound)


def test_an_anchor_adds_its_distance_and_leaves_the_noise_alone() -> None:
    torch.manual_seed(0)
    mean, anchor, action = torch.randn(3, 20, 4, dtype=torch.double)
    log_std = torch.randn(4, dtype=torch.double)
    values = torch.randn(4, 20, dtype=torch.double)
    batch = Minibatch(torch.empty(0), action, values[0], mean + 0.1, *values[1:])

    def loss_and_gradients(batch: Minibatch) -> tuple[torch.Tensor, ...]:
        leaves = mean.clone().requires_grad_(), log_std.clone().requires_grad_()
        loss, _ = ppo.loss(*leaves, values[1] + 0.1, log_std, batch, PpoSettings(anchor=0.3), 0.0)
        return loss.detach(), *torch.autograd.grad(loss, leaves)

    free, held = loss_and_gradients(batch), loss_and_gradients(batch._replace(anchor=anchor))
    distance = kl_divergence(Normal(anchor, log_std.exp()), Normal(mean, log_std.exp())).sum(-1).mean()
    torch.testing.assert_close(held[0] - free[0], 0.3 * distance)
    torch.testing.assert_close(held[1] - free[1], 0.3 * (mean - anchor) / log_std.exp().square() / 20)
    torch.testing.assert_close(held[2], free[2])


class _Captured(Exception):
    """Raised in place of the optimiser step, when the gradients stand."""


def rsl_gradients(
    actor: Actor, critic: Critic, batch: Minibatch, inputs: torch.Tensor, old_log_std: torch.Tensor
) -> Any:
    """Run rsl-rl's own `PPO.update` on the batch up to its gradients."""
    tensordict = pytest.importorskip("tensordict")
    algorithms = pytest.importorskip("rsl_rl.algorithms")
    models = pytest.importorskip("rsl_rl.models")
    size = inputs.shape[0]
    obs = tensordict.TensorDict({"policy": inputs, "critic": batch.critic}, batch_size=[size])
    groups = {"actor": ["policy"], "critic": ["critic"]}
    gaussian = {"class_name": "GaussianDistribution", "std_type": "log", "init_std": 1.0}
    widths = {"hidden_dims": [16, 8], "activation": "elu"}
    theirs = models.MLPModel(obs, groups, "actor", batch.action.shape[1], **widths, distribution_cfg=gaussian)
    judge = models.MLPModel(obs, groups, "critic", 1, **widths)
    load(theirs.mlp, actor.mean)
    load(judge.mlp, critic.value)
    theirs.distribution.log_std_param.data.copy_(actor.log_std.data)
    data = SimpleNamespace(
        observations=obs,
        actions=batch.action,
        values=batch.value[:, None],
        advantages=batch.advantage[:, None],
        returns=batch.target[:, None],
        old_actions_log_prob=batch.log_prob[:, None],
        old_distribution_params=(batch.mean, old_log_std.exp().expand_as(batch.mean)),
        hidden_states=(None, None),
        masks=None,
    )
    storage = SimpleNamespace(mini_batch_generator=lambda *_: iter([data]))
    algorithm = algorithms.PPO(theirs, judge, storage, entropy_coef=0.005, learning_rate=6e-4)

    def capture(*_: Any, **__: Any) -> None:
        raise _Captured

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.utils, "clip_grad_norm_", capture)
        with pytest.raises(_Captured):
            algorithm.update()
    return theirs, judge, algorithm.learning_rate


def load(theirs: torch.nn.Module, ours: torch.nn.Module) -> None:
    for a, b in zip(theirs.parameters(), ours.parameters(), strict=True):
        a.data.copy_(b.data)


@pytest.mark.parametrize("spread", [0.02, 0.5])
def test_losses_and_gradients_equal_those_of_rsl_rl(spread: float) -> None:
    """Same weights, same batch: same gradients of every parameter, and the same next learning rate."""
    torch.manual_seed(1)
    actor, critic = Actor(Space(10), (16, 8), Space(4), 1.0, (0.05, 2.0)), Critic(Space(12), (16, 8))
    actor.log_std.data.uniform_(-0.7, 0.2)
    inputs, chosen = (
        torch.randn(256, 10),
        PpoSettings(entropy=0.005, learning_rate=6e-4, min_learning_rate=1e-5),
    )
    mean = actor(inputs).detach() + spread * torch.randn(256, 4)
    old_log_std = actor.log_std.detach() + 0.1 * torch.randn(4)
    action = mean + old_log_std.exp() * torch.randn(256, 4)
    observation = torch.randn(256, 12)
    value = critic(observation).detach() + 0.3 * torch.randn(256)
    old = ppo.log_prob(action, mean, old_log_std)
    batch = Minibatch(observation, action, old, mean, value, torch.randn(256), value + torch.randn(256))

    loss, logs = ppo.loss(actor(inputs), actor.log_std, critic(observation), old_log_std, batch, chosen, chosen.entropy)
    loss.backward()
    rate = torch.tensor(chosen.learning_rate)
    adapt(rate, logs["policy/kl"], chosen)

    theirs, judge, their_rate = rsl_gradients(actor, critic, batch, inputs, old_log_std)
    pairs = [*zip(actor.mean.parameters(), theirs.mlp.parameters(), strict=True)]
    pairs += [*zip(critic.value.parameters(), judge.mlp.parameters(), strict=True)]
    pairs += [(actor.log_std, theirs.distribution.log_std_param)]
    for ours, expected in pairs:
        torch.testing.assert_close(ours.grad, expected.grad, atol=1e-5, rtol=1e-5)
    assert rate.item() == pytest.approx(their_rate, rel=1e-5)
