"""What a method is: how it sees, and what it learns besides the policy. HIM is the first of them.

All methods share rollout, PPO, critic, schedule and trainer. A compared method is a subclass that changes one
of the hooks below; what it does not mention it has in common with HIM.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from him.env.protocol import COMMAND, Sizes
from him.env.symmetry import Space
from him.learn.him import internal_loss
from him.learn.networks import Actor, Critic, InternalModel
from him.learn.rollout import View
from him.learn.settings import TrainSettings

Logs = dict[str, Tensor]


class Method(nn.Module, ABC):
    """Actor, critic and whatever stands between the observations and the actor."""

    privileged: bool = False
    """Whether `features` sees the history of whole observations instead of that of frames."""
    frozen_features: bool = True
    """Whether PPO leaves the features alone. They are then computed once for a whole batch; otherwise in
    every minibatch, with gradient."""
    explores: bool = True
    """Whether the rollout adds noise to the mean action."""
    improves_policy: bool = True
    """Whether PPO runs. Imitation phases keep the policy as it is."""
    phase: str = "policy"
    """What is learned in this phase of a method that has several."""
    factors: bool = False
    """Whether the task must tell what makes its worlds differ."""
    gait: bool = False
    """Whether the task must tell robots how to walk."""

    def __init__(self, sizes: Sizes, settings: TrainSettings, features: Space) -> None:
        """`features` is what the actor reads."""
        super().__init__()
        ppo, spaces = settings.ppo, sizes.spaces(settings.symmetry)
        self.sizes, self.settings = sizes, settings
        self.actor = Actor(features, ppo.actor, spaces.action, ppo.initial_std, (ppo.min_std, ppo.max_std))
        self.critic = Critic(spaces.frame + spaces.extra, ppo.critic)

    @property
    def history(self) -> int:
        """Instants that `features` looks back on, the newest included."""
        return self.settings.him.history

    @abstractmethod
    def features(self, context: Tensor) -> Tensor:
        """The actor's input, of a context (batch, history, width) with the newest first."""

    def inputs(self) -> dict[str, Tensor]:
        """Examples, by name, of what the exported policy reads; `obs` comes first."""
        width = self.sizes.frame + self.sizes.extra if self.privileged else self.sizes.frame
        return {"obs": torch.zeros(1, self.history, width)}

    @abstractmethod
    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        """What the exported policy answers; `action` among them."""

    def policy_parameters(self) -> list[nn.Parameter]:
        """What PPO moves."""
        return [*self.actor.parameters(), *self.critic.parameters()]

    def acting_parameters(self) -> list[nn.Parameter]:
        """What the answers of the exported policy depend on."""
        first, everything = next(self.parameters()), list(self.parameters())
        with torch.enable_grad():
            answers = self.outputs(*(value.to(first) for value in self.inputs().values()))
            summed = torch.stack([value.sum() for value in answers.values()]).sum()
        found = torch.autograd.grad(summed, everything, allow_unused=True)
        return [parameter for parameter, gradient in zip(everything, found, strict=True) if gradient is not None]

    def velocity_label(self, view: View) -> Tensor:
        """What an estimate of the velocity is taught."""
        if self.settings.him.velocity_label == "successor":
            return view.successor_velocity()
        return view.velocity() * self.settings.him.velocity_scale

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        """What the method's own loss moves, with an optimiser of its own; nothing for a method without."""
        return []

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        """What `auxiliary_loss` reads of the samples; apart from it, so that the loss can be compiled."""
        raise NotImplementedError(f"{type(self).__name__} has auxiliary parameters but no inputs for their loss")

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        """The method's own loss on a minibatch, and its parts for the log."""
        raise NotImplementedError(f"{type(self).__name__} has auxiliary parameters but no loss for them")

    def following(self) -> Method | None:
        """The method of the phase after this one, with the same networks; nothing if this is the last."""
        return None

    def constrain(self) -> None:
        """Put parameters back into their bounds after a policy step."""
        self.actor.constrain()


def phases(first: Method) -> list[Method]:
    """A method and those that follow it; they share their networks."""
    found = [first]
    while (following := found[-1].following()) is not None:
        found.append(following)
    return found


class Him(Method):
    """The hybrid internal model (paper, section 3)."""

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        him, spaces = settings.him, sizes.spaces(settings.symmetry)
        super().__init__(sizes, settings, spaces.frame + spaces.velocity + spaces.velocity.pairs(him.latent))
        response = spaces.frame.only(range(COMMAND.stop, sizes.frame)) + spaces.velocity
        target = spaces.frame if him.target_input == "frame" else response
        self.model = InternalModel(spaces.frame, target, spaces.velocity, him)

    def features(self, context: Tensor) -> Tensor:
        return self.join(context, *self.model(context))

    def join(self, context: Tensor, velocity: Tensor, latent: Tensor) -> Tensor:
        """What the actor is shown of frame and embedding; the place to hide one of them."""
        return torch.cat([context[:, 0], velocity, latent], -1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        velocity, latent = self.model(context)
        action = self.actor(self.join(context, velocity, latent))
        return {"action": action, "velocity": velocity / self.settings.him.velocity_scale, "latent": latent}

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return list(self.model.parameters())

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        return view.history(), self.target_input(view), self.velocity_label(view)

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        history, successor, velocity = inputs
        return internal_loss(self.model, history, successor, velocity, self.settings.him)

    def target_input(self, view: View) -> Tensor:
        if self.settings.him.target_input == "frame":
            return view.successor()
        return torch.cat([view.successor()[:, COMMAND.stop :], view.successor_velocity()], -1)
