"""One iteration: collect a rollout, teach the internal model, freeze it, improve the policy (paper, section
3.1).

Nothing here reads a value back from the device: losses, learning rate, KL and skipped updates stay tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from copy import deepcopy
from typing import Any, NamedTuple

import torch
from torch import Tensor

from him.env.protocol import Sizes, Task
from him.errors import HimError
from him.learn import distributed, ppo
from him.learn.method import Logs, Method
from him.learn.optimiser import Optimiser
from him.learn.ppo import Minibatch
from him.learn.replay import Replay
from him.learn.rollout import Rollout, View
from him.learn.shown import Shown


class Reference(NamedTuple):
    """What the policy steps of an iteration refer to, of the whole batch."""

    features: Tensor | None
    """Frozen features, if there are any."""
    actions: Tensor
    """As `ratio_reference` takes them."""
    means: Tensor
    """Those that the KL refers to."""
    anchor: Tensor | None
    """Means of the policy that the run began with, if they count."""

    def clone(self) -> Reference:
        features, anchor = (None if part is None else part.clone() for part in (self.features, self.anchor))
        return Reference(features, self.actions.clone(), self.means.clone(), anchor)


class Averages:
    """Means of named tensors, kept on the device."""

    def __init__(self) -> None:
        self.sums: Logs = {}
        self.counts: dict[str, int] = {}

    def add(self, logs: Logs) -> None:
        """All of them at once, whether or not they came together before."""
        fresh = {name: torch.zeros_like(value) for name, value in logs.items() if name not in self.sums}
        self.sums |= fresh
        torch._foreach_add_([self.sums[name] for name in logs], list(logs.values()))
        for name in logs:
            self.counts[name] = self.counts.get(name, 0) + 1

    def means(self) -> Logs:
        return {name: value / self.counts[name] for name, value in self.sums.items()}


class Learner:
    """A task, a method and the optimisers between them."""

    def __init__(self, task: Task, method: Method, compiled: bool = False) -> None:
        settings = method.settings
        self.task, self.method, self.settings = task, method, settings
        size = (
            Sizes.of(task),
            task.num_envs,
            settings.rollout,
            method.history,
            method.privileged,
            task.device,
        )
        self.rollout = Rollout(*size)
        self.batch_size = settings.rollout * task.num_envs
        self.minibatch_size = self.batch_size // settings.ppo.minibatches
        distributed.share_weights(method.to(task.device))

        self.rate = torch.tensor(settings.ppo.learning_rate, device=task.device)
        self.policy_optimiser = Optimiser(method.policy_parameters(), self.rate, settings.ppo.max_gradient)
        self.auxiliary_rate = torch.tensor(settings.him.learning_rate, device=task.device)
        self.auxiliary_optimiser: Optimiser | None = None
        if method.auxiliary_parameters() and settings.him.learning_rate > 0:
            rate = self.rate if settings.him.follow_policy_rate else self.auxiliary_rate
            self.auxiliary_optimiser = Optimiser(method.auxiliary_parameters(), rate, settings.him.max_gradient)
        averaged = settings.him.shown < 1 and self.auxiliary_optimiser
        self.shown = Shown(method.auxiliary_parameters()) if averaged else None
        self.shown_share = settings.him.shown

        if settings.wait > 0:
            for optimiser in self._optimisers():
                optimiser.hold([*method.acting_parameters(), method.actor.log_std])

        # who explores: drawn, because neighbours share their terrain
        drawn = torch.rand(task.num_envs, generator=torch.Generator().manual_seed(0)).to(task.device)
        self.exploring = (drawn >= settings.ppo.composed)[:, None]
        self.explorers = self.exploring[:, 0].nonzero()[:, 0]
        if len(self.explorers) == 0:
            raise HimError(f"none of {task.num_envs} environments would explore: lower ppo.composed")

        self.origin = deepcopy(method).requires_grad_(False) if settings.ppo.anchor > 0 else None
        self.waiting = False
        self.pace = torch.ones((), device=task.device)
        self.entropy_weight = torch.full_like(self.pace, settings.ppo.entropy)
        self.old_log_std = method.actor.log_std.detach().clone()
        self.reference: Reference | None = None
        graphs = settings.graphs and compiled and task.device.type == "cuda"
        self._decide, self._witness = Replay(self.decide, graphs), Replay(self.witness, graphs)
        alone = graphs and not distributed.active()
        self._auxiliary_replay = Replay(self.auxiliary_step, alone)
        self._policy_replay = Replay(self._policy_step, alone)

        wrap: Callable[[Any], Any] = torch.compile if compiled else lambda function: function
        self._mean = wrap(lambda context: method.actor(method.features(context)))
        self._value = wrap(method.critic.forward)
        self._auxiliary_loss = wrap(method.auxiliary_loss)
        self._policy_loss = wrap(self.policy_loss)

    def start(self) -> None:
        """Begin every episode anew; not needed after `load_state_dict`."""
        self.rollout.start(*self.task.reset())

    def schedule(self, done: float) -> None:
        """Set what changes along the run, of which this share is done."""
        self.pace.fill_(self.settings.pace(done))
        self.auxiliary_rate.fill_(self.settings.him.learning_rate * self.settings.pace(done))
        self.shown_share = self.settings.him.shown * self.settings.pace(done)
        self.entropy_weight.fill_(self.settings.ppo.entropy_at(done))
        self.waiting = done < self.settings.wait
        for optimiser in self._optimisers():
            optimiser.wait(self.waiting)
        self.task.schedule(done)

    def iterate(self) -> Logs:
        self.collect()
        if not self.waiting:
            return self.update()
        self.rate.fill_(self.settings.ppo.max_learning_rate)  # the critic's alone, which does no harm
        logs = self.update()
        self.rate.fill_(self.settings.ppo.learning_rate)
        return logs

    @torch.no_grad()
    def collect(self) -> None:
        self.rollout.begin()
        for _ in range(self.rollout.steps):
            self._decide()
            self.task.simulate()
            self._witness()

    def decide(self) -> None:
        """Act on what is seen now."""
        rollout, method = self.rollout, self.method
        mean = self._mean(rollout.context(rollout.now))
        noise = method.actor.log_std.exp() * torch.randn_like(mean) * self.exploring if method.explores else 0.0
        rollout.act(mean + noise, mean)
        self.task.act(mean + noise)

    def witness(self) -> None:
        """Keep what followed."""
        step = self.task.outcome()
        self.rollout.record(step, self._value(step.final.critic()))

    def update(self) -> Logs:
        averages = Averages()
        averages.add({"rollout/reward": self.rollout.rewards.mean(), "rollout/done": self.rollout.dones.float().mean()})
        if self.method.improves_policy:
            self.evaluate()
        if self.settings.him.schedule == "interleaved":
            self._interleaved(averages)
        else:
            self._one_after_the_other(averages)
        logs = averages.means()
        logs |= {
            "policy/rate": self.rate.clone(),
            "auxiliary/rate": self.auxiliary_rate.clone(),
            "policy/std": self.method.actor.log_std.detach().exp().mean(),
        }
        return logs | {"update/skipped": self.skipped()}

    def skipped(self) -> Tensor:
        """Updates skipped since the run began."""
        return torch.stack([optimiser.skipped for optimiser in self._optimisers()]).sum()

    def _optimisers(self) -> list[Optimiser]:
        return [self.policy_optimiser, *([self.auxiliary_optimiser] if self.auxiliary_optimiser else [])]

    def _one_after_the_other(self, averages: Averages) -> None:
        if self.auxiliary_optimiser:
            with self.shown.learning(self.shown_share) if self.shown else nullcontext():
                for index in self.minibatches(self.settings.him.epochs):
                    averages.add(self._auxiliary_replay(index))
        if self.method.improves_policy:
            self._refer(self.references(averages))
            for index in self.minibatches(self.settings.ppo.epochs):
                averages.add(self._policy_replay(index))

    def _interleaved(self, averages: Averages) -> None:
        """A step of each per minibatch; the policy's comes first and sees the features as they were."""
        self._refer(Reference(None, self.rollout.actions, self.rollout.means, None))
        for index in self.minibatches(self.settings.ppo.epochs):
            if self.method.improves_policy:
                averages.add(self._policy_replay(index))
            if self.auxiliary_optimiser:
                averages.add(self._auxiliary_replay(index))

    def minibatches(self, epochs: int) -> Iterator[Tensor]:
        """Index sets of equal size; what does not fill the last one is left out of that epoch."""
        ppo_settings = self.settings.ppo
        order = torch.empty(0)
        for epoch in range(epochs):
            if epoch == 0 or ppo_settings.reshuffle:
                order = torch.randperm(self.batch_size, device=self.task.device)
            yield from order[: self.minibatch_size * ppo_settings.minibatches].split(self.minibatch_size)

    @torch.no_grad()
    def evaluate(self) -> None:
        """Values, log-probabilities, advantages and returns of the rollout."""
        rollout, settings = self.rollout, self.settings.ppo
        self.old_log_std.copy_(self.method.actor.log_std)
        stride = -(-(rollout.steps + 1) // settings.minibatches)
        for begin in range(0, rollout.steps + 1, stride):
            end = min(begin + stride, rollout.steps + 1)
            rollout.values[begin:end] = self.method.critic(rollout.critic(begin, end))
        rollout.log_probs.copy_(ppo.log_prob(rollout.actions, rollout.means, self.old_log_std))
        value = rollout.values[:-1]
        final = rollout.final_values if settings.timeout_value == "successor" else value
        cut, ends = rollout.timeouts, rollout.dones
        if settings.cut_at_commands:
            cut, ends = cut | rollout.renewed, ends | rollout.renewed
        following = ppo.successor_values(rollout.values, final, ends, cut)
        advantage = ppo.gae(rollout.rewards, value, following, ends, settings.discount, settings.gae)
        rollout.returns.copy_(advantage + value)
        # who does not explore has no advantage: what is multiplied by it leaves the policy alone
        learned = ppo.normalise(advantage.index_select(1, self.explorers))
        rollout.advantages.zero_().index_copy_(1, self.explorers, learned)

    @torch.no_grad()
    def references(self, averages: Averages) -> Reference:
        """What the policy was before PPO moves it, and what the run began with."""
        rollout, settings = self.rollout, self.settings.ppo
        anchor = None if self.origin is None else self._actor_means(self.origin, self._features(self.origin))
        if not self.method.frozen_features:
            return Reference(None, rollout.actions, rollout.means, anchor)
        features = self._features(self.method)
        means = self._actor_means(self.method, features)
        drift = ppo.divergence(rollout.means, self.old_log_std, means, self.old_log_std)
        averages.add({"policy/drift": drift.mean()})
        actions = rollout.actions
        if settings.ratio_reference == "embedding":
            actions = means + (actions - rollout.means)
        return Reference(features, actions, rollout.means if settings.kl_reference == "rollout" else means, anchor)

    def _features(self, method: Method) -> Tensor:
        """Of the whole batch, in parts."""
        everything = torch.arange(self.batch_size, device=self.task.device).split(self.minibatch_size)
        return torch.cat([method.features(View.flat(self.rollout, part).context()) for part in everything])

    def _actor_means(self, method: Method, features: Tensor) -> Tensor:
        means = torch.cat([method.actor(part) for part in features.split(self.minibatch_size)])
        return means.view_as(self.rollout.means)

    def _refer(self, reference: Reference) -> None:
        """Keep what the policy steps of this iteration refer to, in place: a recorded step reads it there."""
        if self.reference is None:
            self.reference = reference.clone()
            return
        for kept, new in zip(self.reference, reference, strict=True):
            if kept is not None and new is not None:
                kept.copy_(new)

    def _policy_step(self, index: Tensor) -> Logs:
        assert self.reference is not None
        return self.policy_step(index, self.reference)

    def auxiliary_step(self, index: Tensor) -> Logs:
        assert self.auxiliary_optimiser is not None
        loss, logs = self._auxiliary_loss(*self.method.auxiliary_inputs(View.flat(self.rollout, index)))
        norm = self.auxiliary_optimiser.step(loss)
        return logs | {"gradient/auxiliary": norm}

    def policy_step(self, index: Tensor, reference: Reference) -> Logs:
        view, rollout, method = View.flat(self.rollout, index), self.rollout, self.method
        if reference.features is not None:
            inputs = reference.features.index_select(0, index)
        elif method.frozen_features:
            with torch.no_grad():
                inputs = method.features(view.context())
        else:
            inputs = view.context()
        data = (
            reference.actions,
            rollout.log_probs,
            reference.means,
            rollout.values,
            rollout.advantages,
            rollout.returns,
            *([] if reference.anchor is None else [reference.anchor]),
        )
        batch = Minibatch(view.critic(), *(view.pick(rows) for rows in data))
        loss, logs = self._policy_loss(inputs, self.old_log_std, batch, self.entropy_weight)
        chosen = self.settings.ppo
        bounds = chosen.min_learning_rate * self.pace, chosen.max_learning_rate
        ppo.adapt_rate(self.rate, distributed.mean(logs["policy/kl"]), chosen.desired_kl * self.pace, *bounds)
        norm = self.policy_optimiser.step(loss)
        method.constrain()
        return logs | {"gradient/policy": norm}

    def policy_loss(
        self, inputs: Tensor, old_log_std: Tensor, batch: Minibatch, entropy: Tensor
    ) -> tuple[Tensor, Logs]:
        method = self.method
        features = inputs if method.frozen_features else method.features(inputs)
        mean, value = method.actor(features), method.critic(batch.critic)
        return ppo.loss(mean, method.actor.log_std, value, old_log_std, batch, self.settings.ppo, entropy)

    def state_dict(self) -> dict[str, Tensor]:
        """Everything the next iteration depends on, random generators included."""
        parts = {name: part.state_dict() for name, part in self._parts().items()}
        state = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
        state |= {"rate": self.rate, "random.cpu": torch.get_rng_state()}
        if self.task.device.type == "cuda":
            state["random.cuda"] = torch.cuda.get_rng_state(self.task.device)
        return state

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for name, part in self._parts().items():
            start = f"{name}."
            part.load_state_dict({k.removeprefix(start): v for k, v in state.items() if k.startswith(start)})
        self.rate.copy_(state["rate"])
        torch.set_rng_state(state["random.cpu"].cpu())
        if self.task.device.type == "cuda" and "random.cuda" in state:
            torch.cuda.set_rng_state(state["random.cuda"].cpu(), self.task.device)

    def _parts(self) -> dict[str, Any]:
        parts = {"method": self.method, "policy_optimiser": self.policy_optimiser}
        if self.auxiliary_optimiser:
            parts["auxiliary_optimiser"] = self.auxiliary_optimiser
        if self.shown:
            parts["shown"] = self.shown
        if self.origin is not None:
            parts["origin"] = self.origin
        return parts | {"rollout": self.rollout, "task": self.task}


def prepared(task: Task, method: Method) -> Learner:
    """A learner as training runs it: on a GPU compiled, unless told otherwise, and with the precision asked for."""
    settings, on_gpu = method.settings, task.device.type == "cuda"
    if on_gpu:
        torch.set_float32_matmul_precision(settings.precision)
    return Learner(task, method, on_gpu if settings.compile is None else settings.compile)
