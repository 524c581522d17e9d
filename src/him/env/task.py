"""Blind locomotion over the paper's terrain: many environments, stepped together, reset by mask.

A step never waits for the device. It is physics, and then one function of tensors (`him.env.transition`). What an
episode is made of stays where it is in memory, so that everything around physics can be recorded once and replayed.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from him.env import commands, observations, rewards, symmetry
from him.env.episode import Constants, flatten, fresh, restore
from him.env.factors import MIRROR, Factors
from him.env.protocol import Observation, Step
from him.env.report import Means
from him.env.senses import Senses
from him.env.settings import TaskSettings
from him.env.stride import Gait
from him.env.transition import Physics, Transition
from him.errors import HimError
from him.robots import LEGS, Robot
from him.sim.bodies import Bodies
from him.sim.engine import Engine, Parameters
from him.sim.heights import Heights
from him.terrain import Terrain


class LocomotionTask:
    """Implements `him.env.protocol.Task`."""

    def __init__(
        self,
        robot: Robot,
        terrain: Terrain,
        engine: Engine,
        settings: TaskSettings,
        compiled: bool = False,
        bodies: Bodies | None = None,
    ) -> None:
        """`bodies` is the engine's bank, needed where the settings ask for the worlds' factors."""
        self.robot, self.settings, self.engine = robot, settings, engine
        self.num_envs, self.device = engine.worlds, engine.device
        self.constants = Constants(robot, terrain, settings, self.device)
        self.heights = Heights(terrain, self.device)
        self.senses = Senses(robot, self.constants, self.heights, settings, self.device)
        self.transition = self._rules(compiled, bodies)
        self.action_size = len(robot.joint_names)
        self.frame_size, self.extra_size = self.senses.frame_size, self.senses.extra_size
        scan = observations.SCAN_X[2], observations.SCAN_Y[2]
        signs = MIRROR if settings.factors else ()
        self.mirror = symmetry.standard(scan, self.senses.terms, signs)
        self.episode = fresh(self.num_envs, self.action_size, self.constants.places, self.device)
        self._stage = torch.tensor(rewards.stage(settings.rewards, 1.0), device=self.device)
        self._means = Means(self.transition.report.names, self.device)
        self._action = torch.zeros(self.num_envs, self.action_size, device=self.device)
        self._target = torch.zeros_like(self._action)
        rules = self.transition
        self._after = rules.unflat(torch.compile(rules.flat) if compiled else rules.flat)

    def _rules(self, compiled: bool, bodies: Bodies | None) -> Transition:
        s, engine, device = self.settings, self.engine, self.device
        if s.factors and bodies is None:
            raise HimError("a task that tells the factors of its worlds needs the bank of bodies they are made from")
        factors = Factors(self.robot, bodies, s.randomisation, device) if s.factors and bodies else None
        shared = (self.constants, self.senses.feet, self.heights, engine.colliders, device)
        gait = Gait(self.robot, s.gait, *shared) if s.gait.active else None
        trunk = torch.tensor([i for i, name in enumerate(engine.colliders) if name.startswith("trunk")], device=device)
        feet = torch.tensor([engine.colliders.index(f"{leg}_foot") for leg in LEGS], device=device)
        ahead = compiled or device.type != "cpu"
        return Transition(self.robot, s, self.constants, self.senses, trunk, feet, factors, gait, ahead)

    def reset(self) -> tuple[Observation, Tensor]:
        """Start every environment on one of the first levels, clocks apart from each other."""
        c, n = self.constants, self.num_envs
        column = torch.arange(n, device=self.device) % c.columns
        first = max(int((c.level[0] <= self.settings.start_level).sum()), 1)
        rows = first if self.settings.curriculum else c.rows
        uniform = torch.rand(n, 2, device=self.device)
        limit = (uniform[:, 1] * c.max_steps).floor() + 1
        return self.reset_to(column, (uniform[:, 0] * rows).long(), limit)

    def reset_to(
        self, column: Tensor, row: Tensor, limit: Tensor, command: Tensor | None = None
    ) -> tuple[Observation, Tensor]:
        """Start every environment on a given tile, for so many control periods, with a given command or any."""
        n, rules = self.num_envs, self.transition
        uniform = torch.rand(n, rules.draws.count, device=self.device)
        blank = fresh(n, self.action_size, self.constants.places, self.device)
        episode = blank._replace(column=column, row=row, limit=limit, more=rules.begin(uniform))
        everyone = torch.ones(n, dtype=torch.bool, device=self.device)
        qpos, qvel, parameters = rules.restart(episode, uniform)
        self.engine.reset(everyone, qpos, qvel, Parameters(*parameters))
        if command is None:
            limits = rules.ranges(column, row, episode.reach)
            command = commands.sample(uniform[:, rules.draws.command], limits, self.settings.commands)
        started = flatten(episode._replace(command=command, joint_vel=qvel[:, 6:]))
        self.episode = restore({name: value.clone() for name, value in started.items()})
        noise = 2 * torch.rand(n, self.frame_size, device=self.device) - 1
        return self.senses.observe(qpos, qvel, self.episode, self.senses.ground(qpos), noise)

    def widen(self, velocity: Sequence[float]) -> None:
        """Let the ranges of commands begin where they hold these velocities (forward, sideways, yaw)."""
        reach = self.transition.limits.reach(torch.tensor(velocity, device=self.device))
        self.episode.reach.copy_(reach.repeat_interleave(self.constants.rows, 0))

    def step(self, action: Tensor) -> Step:
        self.act(action)
        self.simulate()
        return self.outcome()

    def act(self, action: Tensor) -> None:
        clip = self.settings.action_clip
        self._action.copy_(action.clamp(-clip, clip))
        self._target.copy_(self.constants.pose + self.robot.action_scale * self._action)
        self.engine.push.copy_(self.episode.force)

    def simulate(self) -> None:
        self.engine.step(self._target)

    def outcome(self) -> Step:
        e = self.engine
        uniform = torch.rand(self.num_envs, self.frame_size + self.transition.draws.count, device=self.device)
        physics = Physics(e.qpos, e.qvel, e.torque, e.touched, e.fault, e.contact_force)
        after = self._after(self.episode, self._action, physics, uniform, self._stage)
        e.reset(after.done, after.qpos, after.qvel, Parameters(*after.parameters))
        self._means.add(after.report)
        ends = after.done, after.timeout, after.renewed
        return Step(after.observation, after.final, after.reward, *ends, after.velocity)

    def schedule(self, done: float) -> None:
        for number, value in zip(self._stage, rewards.stage(self.settings.rewards, done), strict=True):
            number.fill_(value)

    def metrics(self) -> dict[str, Tensor]:
        return self._means.take()

    def state_dict(self) -> dict[str, Tensor]:
        state = {f"episode.{k}": v.clone() for k, v in flatten(self.episode).items()}
        return state | {f"engine.{k}": v for k, v in self.engine.state_dict().items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        def part(prefix: str) -> dict[str, Tensor]:
            return {k.removeprefix(prefix): v.to(self.device) for k, v in state.items() if k.startswith(prefix)}

        self.episode = restore(part("episode."))
        self.engine.load_state_dict(part("engine."))
        self._means.clear()
