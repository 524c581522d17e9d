"""Everything that follows physics in a step: rewards, the end of episodes, new beginnings and observations.

One pure function of tensors, which CUDA compiles into a few kernels. All chance comes from one row of uniform
numbers an environment.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from him.env import behaviour, commands, curriculum, force, gait_rewards, randomisation, rewards
from him.env import start as starting
from him.env.episode import Constants, Episode, flatten, restore
from him.env.factors import Factors
from him.env.protocol import Observation
from him.env.report import Report
from him.env.senses import Senses
from him.env.settings import TaskSettings
from him.env.stride import Gait
from him.robots import Robot
from him.sim.engine import CONTROL_PERIOD

UPSIDE = -0.1
"""A base whose own vertical leans further than this (cosine) has fallen, touching or not."""

BEARS = 1.0
"""Vertical force in newtons from which a foot bears."""

MARGIN = 2.0
"""Distance in metres from the end of the terrain's border at which an episode is cut short."""


class Physics(NamedTuple):
    """What the engine says after a control period."""

    qpos: Tensor
    qvel: Tensor
    torque: Tensor
    touched: Tensor
    fault: Tensor
    contact_force: Tensor


class After(NamedTuple):
    """What follows physics."""

    episode: Episode
    observation: Observation
    final: Observation
    reward: Tensor
    done: Tensor
    timeout: Tensor
    renewed: Tensor
    velocity: Tensor
    qpos: Tensor
    qvel: Tensor
    parameters: tuple[Tensor, ...]
    report: Tensor
    """Means over the environments, in the order of `Report.names`."""


class Draws:
    """Where in a row of uniform numbers each chance stands."""

    def __init__(self, joints: int, worlds: int, gait: bool) -> None:
        self.count = 0
        self.command = self._next(commands.DRAWS)
        self.world = self._next(worlds)
        self.start = self._next(starting.DRAWS + joints)
        self.force = self._next(force.DRAWS)
        self.level = self._next(2)
        self.behaviour = self._next(behaviour.DRAWS if gait else 0)

    def _next(self, count: int) -> slice:
        self.count += count
        return slice(self.count - count, self.count)


class Transition:
    """The rules of the task."""

    def __init__(
        self,
        robot: Robot,
        settings: TaskSettings,
        constants: Constants,
        senses: Senses,
        trunk: Tensor,
        feet: Tensor,
        factors: Factors | None,
        gait: Gait | None,
        ahead: bool,
    ) -> None:
        """`trunk` and `feet` are colliders; `ahead` says that the device runs ahead and must not be waited for."""
        self.settings, self.constants, self.senses, self.trunk = settings, constants, senses, trunk
        self.feet = feet
        self.factors, self.gait, self.ahead = factors, gait, ahead
        device = constants.pose.device
        self.limits = commands.Limits(settings.commands, device)
        self.randomise = randomisation.Randomiser(robot, settings.randomisation, device)
        self.draws = Draws(len(robot.joint_names), randomisation.draws(settings.randomisation), gait is not None)
        weights = (settings.gait.rewards, gait_rewards.TERMS) if gait else (settings.rewards, tuple(rewards.TERMS))
        self.report = Report(constants, *weights)

    def flat(
        self, episode: dict[str, Tensor], action: Tensor, physics: tuple[Tensor, ...], uniform: Tensor, stage: Tensor
    ) -> Any:
        """`__call__` with plain dicts and tuples at the border, which every compiler hands back unharmed. The episode
        goes on in place."""
        after = self(restore(episode), action, Physics(*physics), uniform, stage)
        for name, value in flatten(after.episode).items():
            episode[name].copy_(value)
        return (tuple(after.observation), tuple(after.final), *after[3:])

    def unflat(self, function: Callable[..., Any]) -> Callable[..., After]:
        """`flat`, or a compiled one, with the types of `__call__`."""

        def call(episode: Episode, action: Tensor, physics: Physics, uniform: Tensor, stage: Tensor) -> After:
            flat = function(flatten(episode), action, tuple(physics), uniform, stage)
            return After(episode, Observation(*flat[0]), Observation(*flat[1]), *flat[2:])

        return call

    def __call__(self, before: Episode, action: Tensor, physics: Physics, uniform: Tensor, stage: Tensor) -> After:
        """`stage` holds the numbers of a `rewards.Stage`."""
        c, s, senses, draws = self.constants, self.settings, self.senses, self.draws
        noise, uniform = 2 * uniform[:, : senses.frame_size] - 1, uniform[:, senses.frame_size :]
        qpos, qvel = physics.qpos, physics.qvel
        bearing = physics.contact_force[:, self.feet, 2] > BEARS
        motion = senses.motion(before, action, qpos, qvel, physics.torque, bearing)
        more, terms, reward = self._judge(before, motion, physics, bearing, rewards.Stage(*stage.unbind()))

        # the end of an episode
        steps = before.steps + 1
        fell = physics.touched[:, self.trunk].any(-1) | (motion.gravity[:, 2] > UPSIDE) | physics.fault
        outside = (qpos[:, :2].abs() > c.half - MARGIN).any(-1)
        timeout = ((steps >= before.limit) | outside) & ~fell
        done = fell | timeout

        travel, row = self._progress(before, motion, qpos, steps, fell, done, uniform)

        # a new command every so often, and at every start
        renewed = (steps % c.command_steps == 0) & ~done
        asked = before.command.abs() / self.ranges(before.column, before.row, before.reach)
        place, tracked = c.place(before.column, before.row), (travel.tracking / steps, travel.turning / steps)
        reach = commands.grow(before.reach, place, asked, *tracked, fell, done, s.commands)
        limits = self.ranges(before.column, row, reach)
        fresh_command = commands.sample(uniform[:, draws.command], limits, s.commands)
        fresh_more = self.begin(uniform)
        push, push_steps = force.external(
            before.force, before.force_steps, uniform[:, draws.force], s.randomisation, c.mass, CONTROL_PERIOD
        )
        going = Episode(
            command=before.command,
            action=action,
            before_last=before.action,
            joint_vel=qvel[:, 6:],
            column=before.column,
            row=row,
            reach=reach,
            steps=steps,
            limit=before.limit,
            travel=travel,
            force=push,
            force_steps=push_steps,
            more=more,
        )

        # new beginnings
        new_qpos, new_qvel, parameters = self.restart(going, uniform)
        d, zero = done[:, None], torch.zeros_like(action)
        episode = Episode(
            command=torch.where((done | renewed)[:, None], fresh_command, before.command),
            action=torch.where(d, zero, action),
            before_last=torch.where(d, zero, before.action),
            joint_vel=torch.where(d, zero, qvel[:, 6:]),
            column=before.column,
            row=row,
            reach=reach,
            steps=torch.where(done, 0.0, steps),
            limit=torch.where(done, float(c.max_steps), before.limit),
            travel=curriculum.Travel(*(torch.where(done, 0.0, x) for x in travel)),
            force=torch.where(d, 0.0, push),
            force_steps=torch.where(done, 0.0, push_steps),
            more={name: _where(_anew(name, done, renewed), value, more[name]) for name, value in fresh_more.items()},
        )
        now_qpos, now_qvel = torch.where(d, new_qpos, qpos), torch.where(d, new_qvel, qvel)
        ground = senses.ground(qpos)
        new_ground = senses.ground(now_qpos) if self.ahead else senses.ground_again(ground, now_qpos, done)
        observation, velocity = senses.observe(now_qpos, now_qvel, episode, new_ground, noise)
        final, _ = senses.observe(qpos, qvel, going, ground, noise)
        report = self.report(terms, reward, motion, before, fell, physics.fault)
        return After(
            episode,
            observation,
            final,
            reward,
            done,
            timeout,
            renewed,
            velocity,
            new_qpos,
            new_qvel,
            parameters,
            report,
        )

    def restart(self, e: Episode, uniform: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """State and parameters of new episodes on the tiles of `e`."""
        qpos, qvel = starting.start(
            uniform[:, self.draws.start],
            e.column,
            e.row,
            self.constants,
            self.senses.feet,
            self.senses.heights,
            self.settings,
        )
        return qpos, qvel, self.randomise(uniform[:, self.draws.world]).parts()

    def ranges(self, column: Tensor, row: Tensor, reach: Tensor) -> Tensor:
        """Largest commands (N, 3) on these tiles."""
        return self.limits(self.constants.kind[column, row], reach[self.constants.place(column, row)])

    def begin(self, uniform: Tensor) -> dict[str, Tensor]:
        """What new episodes have of what only some methods ask for."""
        more = {} if self.gait is None else self.gait.begin(uniform[:, self.draws.behaviour])
        return more if self.factors is None else more | {"factors": self.factors(uniform[:, self.draws.world])}

    def _judge(
        self, before: Episode, motion: rewards.Motion, physics: Physics, bearing: Tensor, stage: rewards.Stage
    ) -> tuple[dict[str, Tensor], dict[str, Tensor], Tensor]:
        """What of `more` moved on, the reward's terms, and the reward."""
        if self.gait is None:
            weights = self.settings.rewards
            terms = rewards.compute(motion, weights)
            return before.more, terms, rewards.total(terms, weights, stage) * CONTROL_PERIOD
        asked = self.settings.gait.rewards
        more = self.gait.advance(before.more, bearing)
        stride = self.gait.stride(motion, before.more, more, physics.qpos, physics.qvel, physics.contact_force)
        terms = gait_rewards.compute(stride, asked)
        return more, terms, gait_rewards.total(terms, asked, stage) * CONTROL_PERIOD

    def _progress(
        self,
        before: Episode,
        motion: rewards.Motion,
        qpos: Tensor,
        steps: Tensor,
        fell: Tensor,
        done: Tensor,
        uniform: Tensor,
    ) -> tuple[curriculum.Travel, Tensor]:
        """How far the robots have come, and the level they go on with."""
        c, s = self.constants, self.settings
        away = qpos[:, :2] - c.centre[before.column, before.row]
        travel = curriculum.advance(
            before.travel,
            before.command,
            motion.velocity,
            rewards.lin_vel_tracking(motion, s.rewards.sigma),
            rewards.ang_vel_tracking(motion, s.rewards.sigma),
            away,
            CONTROL_PERIOD,
        )
        if not s.curriculum:
            return travel, before.row
        speed = torch.linalg.vector_norm(before.command[:, :2], dim=-1)
        left_out = speed * (before.limit - steps).clamp(min=0) * CONTROL_PERIOD
        up, down = curriculum.judge(travel, steps, fell, left_out, c.platform, s)
        level, chance = uniform[:, self.draws.level].unbind(-1)
        again = done & self.limits.smooth[c.kind[before.column, before.row]] & (chance < s.revisit)
        return travel, curriculum.move(before.row, up & done, down & done, again, c.rows, level)


def _anew(name: str, done: Tensor, renewed: Tensor) -> Tensor:
    """Who gets a new one: a behaviour comes with each new command, all else with a new episode."""
    return done | renewed if name == "behaviour" else done


def _where(chosen: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    return torch.where(chosen.view(-1, *[1] * (yes.dim() - 1)), yes, no)
