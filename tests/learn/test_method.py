"""The seam for compared methods: each of these differs from HIM in one hook, and learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from him.env.protocol import Sizes
from him.env.symmetry import Space
from him.learn.learner import Learner
from him.learn.method import Him, Logs, Method
from him.learn.rollout import View
from him.learn.settings import TrainSettings
from tests.learn.conftest import small
from tests.learn.toy import Toy


class EndToEnd(Him):
    """The encoder learns from PPO alone."""

    frozen_features = False

    def policy_parameters(self) -> list[nn.Parameter]:
        return [*super().policy_parameters(), *self.model.encoder.parameters()]

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return []


class Blind(Him):
    """The actor is not shown the estimated velocity."""

    def join(self, context: Tensor, velocity: Tensor, latent: Tensor) -> Tensor:
        return super().join(context, torch.zeros_like(velocity), latent)


class Privileged(Method):
    """The actor is shown whole observations."""

    privileged = True

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        super().__init__(sizes, settings, Space(settings.him.history * (sizes.frame + sizes.extra)))

    def features(self, context: Tensor) -> Tensor:
        return context.flatten(1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        return {"action": self.actor(self.features(context))}


class Imitation(Him):
    """The policy stays; a module over a longer history learns from its noiseless rollouts."""

    explores = False
    improves_policy = False
    history = 12

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        super().__init__(sizes, settings)
        self.student = nn.Linear(self.history * sizes.frame, sizes.extra)

    def features(self, context: Tensor) -> Tensor:
        return super().features(context[:, :6])

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return list(self.student.parameters())

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        return view.history(), view.extra()

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        history, extra = inputs
        loss = (self.student(history.flatten(1)) - extra).square().mean()
        return loss, {"loss/imitation": loss.detach()}


def learned(kind: type[Method], iterations: int = 2) -> tuple[Learner, set[str], list[dict[str, float]]]:
    """The learner afterwards, which of its parts moved, and the logs."""
    torch.manual_seed(0)
    task = Toy(16)
    learner = Learner(task, kind(Sizes.of(task), small()))
    learner.start()
    before = {name: value.clone() for name, value in learner.method.state_dict().items()}
    logs = [{name: value.item() for name, value in learner.iterate().items()} for _ in range(iterations)]
    now = learner.method.state_dict()
    moved = {name for name, value in before.items() if not torch.equal(value, now[name])}
    return learner, {name.rsplit(".", 2)[0] for name in moved}, logs


def test_end_to_end_moves_the_encoder_by_ppo_alone() -> None:
    learner, moved, logs = learned(EndToEnd)
    assert learner.auxiliary_optimiser is None
    assert moved == {"actor", "actor.mean", "critic.value", "model.encoder"}
    assert "loss/contrastive" not in logs[0]


def test_a_hidden_input_gets_no_gradient() -> None:
    learner, _, _ = learned(Blind)
    first = learner.method.actor.mean[0]
    assert isinstance(first, nn.Linear)
    frame = Toy.frame_size
    assert first.weight.grad is not None
    assert first.weight.grad[:, frame : frame + 3].abs().sum() == 0
    assert first.weight.grad[:, frame + 3 :].abs().sum() > 0


def test_a_privileged_method_sees_whole_observations() -> None:
    learner, moved, _ = learned(Privileged)
    assert learner.rollout.context(3).shape == (16, 6, Toy.frame_size + Toy.extra_size)
    assert moved == {"actor", "actor.mean", "critic.value"}


def test_imitation_keeps_the_policy_and_follows_it_without_noise() -> None:
    learner, moved, logs = learned(Imitation, iterations=8)
    assert moved == {"student"}
    assert torch.equal(learner.rollout.actions, learner.rollout.means)
    assert logs[-1]["loss/imitation"] < logs[0]["loss/imitation"]
