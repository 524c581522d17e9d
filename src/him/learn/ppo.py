"""Proximal policy optimisation as pure functions of tensors; none of them waits for the device."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from him.learn import distributed
from him.learn.settings import PpoSettings

HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


def log_prob(action: Tensor, mean: Tensor, log_std: Tensor) -> Tensor:
    deviation = (action - mean) * torch.exp(-log_std)
    return (-0.5 * deviation.square() - log_std - HALF_LOG_TAU).sum(-1)


def entropy(log_std: Tensor) -> Tensor:
    return (log_std + 0.5 + HALF_LOG_TAU).sum(-1)


def divergence(old_mean: Tensor, old_log_std: Tensor, mean: Tensor, log_std: Tensor) -> Tensor:
    """KL(old || new) of two diagonal Gaussians."""
    variance = torch.exp(2 * (old_log_std - log_std))
    distance = ((old_mean - mean) * torch.exp(-log_std)).square()
    return (log_std - old_log_std + 0.5 * (variance + distance - 1.0)).sum(-1)


def successor_values(values: Tensor, final: Tensor, done: Tensor, cut: Tensor) -> Tensor:
    """Value of what followed each step: of the next state within an episode, of the true successor (before
    the reset) where it was cut short, and nothing after a fall. `values` has one row more than the others."""
    return torch.where(cut, final, torch.where(done, 0.0, values[1:]))


def gae(reward: Tensor, value: Tensor, following: Tensor, done: Tensor, discount: float, decay: float) -> Tensor:
    """Generalised advantage estimates (steps, envs); the sum over the future ends where `done` says so."""
    delta = reward + discount * following - value
    keep = (~done).to(delta.dtype) * (discount * decay)
    advantage = torch.empty_like(delta)
    running = torch.zeros_like(delta[0])
    for t in reversed(range(delta.shape[0])):
        running = torch.addcmul(delta[t], keep[t], running)
        advantage[t] = running
    return advantage


def normalise(advantage: Tensor) -> Tensor:
    """Zero mean and unit deviation over the batch of all processes."""
    count = advantage.numel() * distributed.world()
    centred = advantage - distributed.total(advantage.sum()) / count
    variance = distributed.total(centred.square().sum()) / max(count - 1, 1)
    return centred / (variance.sqrt() + 1e-8)


def adapt_rate(rate: Tensor, kl: Tensor, desired: float | Tensor, lowest: float | Tensor, highest: float) -> None:
    """Move the rate, in place, towards the desired KL; a KL that is zero or not a number moves nothing."""
    down = torch.where(kl > 2.0 * desired, rate / 1.5, rate)
    up = torch.where((kl < 0.5 * desired) & (kl > 0.0), rate * 1.5, down)
    rate.copy_(up.clamp(max=highest).clamp(min=lowest))


class Minibatch(NamedTuple):
    """What one policy step reads."""

    critic: Tensor
    action: Tensor
    log_prob: Tensor
    """Of the action, under the policy that the ratio refers to."""
    mean: Tensor
    """Of the policy that the KL refers to; its deviation is the rollout's."""
    value: Tensor
    advantage: Tensor
    target: Tensor
    """The return that the critic learns."""
    anchor: Tensor | None = None
    """Mean of the policy that the run began with."""


def loss(
    mean: Tensor,
    log_std: Tensor,
    value: Tensor,
    old_log_std: Tensor,
    batch: Minibatch,
    settings: PpoSettings,
    entropy_weight: float | Tensor,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Clipped surrogate, clipped value loss, entropy bonus and anchor, and the KL that governs the rate."""
    ratio = torch.exp(log_prob(batch.action, mean, log_std) - batch.log_prob)
    clipped = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
    surrogate = torch.max(-batch.advantage * ratio, -batch.advantage * clipped).mean()

    near = batch.value + (value - batch.value).clamp(-settings.clip, settings.clip)
    squared = torch.max((value - batch.target).square(), (near - batch.target).square()).mean()

    bonus = entropy(log_std)
    with torch.no_grad():
        kl = divergence(batch.mean, old_log_std, mean, log_std).mean()
    logs = {"loss/surrogate": surrogate, "loss/value": squared, "policy/entropy": bonus, "policy/kl": kl}
    total = surrogate + settings.value_weight * squared - entropy_weight * bonus
    if batch.anchor is not None:
        fixed = log_std.detach()  # noise is no way to be near
        logs["policy/away"] = divergence(batch.anchor, fixed, mean, fixed).mean()
        total = total + settings.anchor * logs["policy/away"]
    return total, {name: part.detach() for name, part in logs.items()}
