"""Blind locomotion over the paper's terrain: many environments, stepped together, reset by mask.

A step never waits for the device. All chance comes from one draw of uniform numbers a step, and everything after
physics is one pure function of tensors, which CUDA compiles into a few kernels.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from him.env import commands, curriculum, observations, randomisation, rewards
from him.env import start as starting
from him.env.episode import Constants, Episode, flatten, fresh, restore
from him.env.geometry import Feet, gravity_direction, to_body
from him.env.protocol import Observation, Step
from him.env.settings import TaskSettings
from him.robots import Robot
from him.sim.engine import CONTROL_PERIOD, Engine, Parameters
from him.sim.heights import Heights
from him.terrain import KINDS, Terrain

UPSIDE = -0.1
"""A base whose own vertical leans further than this (cosine) has fallen, touching or not."""

MARGIN = 2.0
"""Distance in metres from the end of the terrain's border at which an episode is cut short."""


class After(NamedTuple):
    """What follows physics."""

    episode: Episode
    observation: Observation
    final: Observation
    reward: Tensor
    done: Tensor
    timeout: Tensor
    velocity: Tensor
    qpos: Tensor
    qvel: Tensor
    parameters: tuple[Tensor, ...]
    report: Tensor
    """Means over the environments, in the order of `LocomotionTask.report_names`."""


class LocomotionTask:
    """Implements `him.env.protocol.Task`."""

    def __init__(
        self, robot: Robot, terrain: Terrain, engine: Engine, settings: TaskSettings, compiled: bool = False
    ) -> None:
        self.robot, self.settings, self.engine = robot, settings, engine
        self.num_envs, self.device = engine.worlds, engine.device
        self.constants = Constants(robot, terrain, settings, self.device)
        self.heights = Heights(terrain, self.device)
        self.feet = Feet(robot, self.device)
        self.randomise = randomisation.Randomiser(robot, settings.randomisation, self.device)
        self.scales = observations.scales(self.device)
        self.noise = observations.noise_widths(settings.noise, self.device)
        self.scan = observations.points(observations.SCAN_X, observations.SCAN_Y, self.device)
        self.under = observations.points(observations.UNDER_X, observations.UNDER_Y, self.device)
        trunk = [i for i, name in enumerate(engine.colliders) if name.startswith("trunk")]
        self.trunk = torch.tensor(trunk, device=self.device)
        self.limits = commands.Limits(settings.commands, self.device)
        self.action_size = len(robot.joint_names)
        self.frame_size, self.extra_size = len(self.scales), 6 + len(self.scan)
        self.episode = fresh(self.num_envs, self.action_size, self.device)
        kinds = self.constants.kind[:, 0].unique().tolist()
        self.kinds = {tuple(KINDS)[k]: k for k in kinds}
        self.report_names = (
            *(f"reward/{name}" for name in rewards.TERMS),
            *("reward/total", "tracking/linear_error", "tracking/angular_error"),
            *("terrain/level", *(f"terrain/level_{name}" for name in self.kinds)),
            *("commands/reach", "episode/falls_per_second", "episode/faults"),
        )
        self._sums = torch.zeros(len(self.report_names), device=self.device)
        self._count = 0
        self._after = torch.compile(self._flat_advance) if compiled else self._flat_advance

    def reset(self) -> tuple[Observation, Tensor]:
        """Start every environment on one of the first levels, clocks apart from each other."""
        c, n = self.constants, self.num_envs
        column = torch.arange(n, device=self.device) % c.columns
        rows = c.rows if not self.settings.curriculum else min(self.settings.start_level + 1, c.rows)
        uniform = torch.rand(n, 2, device=self.device)
        limit = (uniform[:, 1] * c.max_steps).floor() + 1
        return self.reset_to(column, (uniform[:, 0] * rows).long(), limit)

    def reset_to(
        self, column: Tensor, row: Tensor, limit: Tensor, command: Tensor | None = None
    ) -> tuple[Observation, Tensor]:
        """Start every environment on a given tile, for so many control periods, with a given command or any."""
        c, n = self.constants, self.num_envs
        uniform = torch.rand(n, self.draws, device=self.device)
        blank = fresh(n, self.action_size, self.device)
        self.episode = blank._replace(column=column, row=row, limit=limit)
        everyone = torch.ones(n, dtype=torch.bool, device=self.device)
        qpos, qvel, parameters = self._restart(self.episode, uniform)
        self.engine.reset(everyone, qpos, qvel, Parameters(*parameters))
        if command is None:
            limits = self.limits(c.kind[column, row], self.episode.reach)
            command = commands.sample(uniform[:, : commands.DRAWS], limits, self.settings.commands)
        self.episode = self.episode._replace(command=command, joint_vel=qvel[:, 6:])
        noise = 2 * torch.rand(n, self.frame_size, device=self.device) - 1
        return self._observe(qpos, qvel, self.episode, noise)

    def step(self, action: Tensor) -> Step:
        clip = self.settings.action_clip
        action = action.clamp(-clip, clip)
        self.engine.push.copy_(self.episode.force)
        self.engine.step(self.constants.pose + self.robot.action_scale * action)
        uniform = torch.rand(self.num_envs, self.frame_size + self.draws, device=self.device)
        e = self.engine
        flat = self._after(
            flatten(self.episode), action, e.qpos, e.qvel, e.torque, e.touched, e.fault, uniform
        )
        after = After(restore(flat[0]), Observation(*flat[1]), Observation(*flat[2]), *flat[3:])
        e.reset(after.done, after.qpos, after.qvel, Parameters(*after.parameters))
        self.episode = after.episode
        self._sums += after.report
        self._count += 1
        return Step(after.observation, after.final, after.reward, after.done, after.timeout, after.velocity)

    @property
    def draws(self) -> int:
        """Uniform numbers a step needs besides the noise."""
        return commands.DRAWS + randomisation.DRAWS + starting.DRAWS + self.action_size + 1 + 6

    def metrics(self) -> dict[str, Tensor]:
        means = self._sums / max(self._count, 1)
        self._sums, self._count = torch.zeros_like(self._sums), 0
        return dict(zip(self.report_names, means.unbind(), strict=True))

    def state_dict(self) -> dict[str, Tensor]:
        state = {f"episode.{k}": v.clone() for k, v in flatten(self.episode).items()}
        return state | {f"engine.{k}": v for k, v in self.engine.state_dict().items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        def part(prefix: str) -> dict[str, Tensor]:
            return {k.removeprefix(prefix): v.to(self.device) for k, v in state.items() if k.startswith(prefix)}

        self.episode = restore(part("episode."))
        self.engine.load_state_dict(part("engine."))
        self._sums, self._count = torch.zeros_like(self._sums), 0

    def _flat_advance(self, before: dict[str, Tensor], *inputs: Tensor) -> tuple[Any, ...]:
        """`_advance` with plain dicts and tuples at the border, which every compiler hands back unharmed."""
        after = self._advance(restore(before), *inputs)
        return (flatten(after.episode), tuple(after.observation), tuple(after.final), *after[3:])

    def _advance(
        self,
        before: Episode,
        action: Tensor,
        qpos: Tensor,
        qvel: Tensor,
        torque: Tensor,
        touched: Tensor,
        fault: Tensor,
        uniform: Tensor,
    ) -> After:
        """Rewards, the end of episodes, new beginnings and observations. Pure."""
        c, s = self.constants, self.settings
        noise, uniform = 2 * uniform[:, : self.frame_size] - 1, uniform[:, self.frame_size :]
        motion = self._motion(before, action, qpos, qvel, torque)
        terms = rewards.compute(motion, s.rewards)
        reward = rewards.total(terms, s.rewards) * CONTROL_PERIOD

        # the end of an episode
        steps = before.steps + 1
        fell = touched[:, self.trunk].any(-1) | (motion.gravity[:, 2] > UPSIDE) | fault
        outside = (qpos[:, :2].abs() > c.half - MARGIN).any(-1)
        timeout = ((steps >= before.limit) | outside) & ~fell
        done = fell | timeout

        # the curriculum
        away = qpos[:, :2] - c.centre[before.column, before.row]
        travel = curriculum.advance(
            before.travel,
            before.command,
            motion.velocity,
            terms["lin_vel_tracking"],
            terms["ang_vel_tracking"],
            away,
            CONTROL_PERIOD,
        )
        speed = torch.linalg.vector_norm(before.command[:, :2], dim=-1)
        left_out = speed * (before.limit - steps).clamp(min=0) * CONTROL_PERIOD
        up, down = curriculum.judge(travel, steps, fell, left_out, c.platform, s)
        if s.curriculum:
            row = curriculum.move(before.row, up & done, down & done, c.rows, uniform[:, -1])
        else:
            row = before.row

        # a new command every so often, and at every start
        renew = (steps % c.command_steps == 0)[:, None]
        grown = commands.grow(before.reach, travel.tracking / steps, travel.turning / steps, fell, s.commands)
        reach = torch.where(done, grown, before.reach)
        limits = self.limits(c.kind[before.column, row], reach)
        fresh_command = commands.sample(uniform[:, : commands.DRAWS], limits, s.commands)
        d = done[:, None]
        force, force_steps = self._force(before, uniform[:, -7:-1])
        command = torch.where(renew, fresh_command, before.command)
        going = Episode(
            command=command,
            action=action,
            before_last=before.action,
            joint_vel=qvel[:, 6:],
            column=before.column,
            row=row,
            reach=reach,
            steps=steps,
            limit=before.limit,
            travel=travel,
            force=force,
            force_steps=force_steps,
        )

        # new beginnings
        new_qpos, new_qvel, parameters = self._restart(going, uniform)
        zero = torch.zeros_like(action)
        episode = Episode(
            command=torch.where(d, fresh_command, command),
            action=torch.where(d, zero, action),
            before_last=torch.where(d, zero, before.action),
            joint_vel=torch.where(d, zero, qvel[:, 6:]),
            column=before.column,
            row=row,
            reach=reach,
            steps=torch.where(done, 0.0, steps),
            limit=torch.where(done, float(c.max_steps), before.limit),
            travel=curriculum.Travel(*(torch.where(done, 0.0, x) for x in travel)),
            force=torch.where(d, 0.0, force),
            force_steps=torch.where(done, 0.0, force_steps),
        )
        now_qpos, now_qvel = torch.where(d, new_qpos, qpos), torch.where(d, new_qvel, qvel)
        observation, velocity = self._observe(now_qpos, now_qvel, episode, noise)
        final, _ = self._observe(qpos, qvel, going, noise)
        report = self._report(terms, reward, motion, before, fell, fault)
        return After(
            episode, observation, final, reward, done, timeout, velocity, new_qpos, new_qvel, parameters, report
        )

    def _motion(self, e: Episode, action: Tensor, qpos: Tensor, qvel: Tensor, torque: Tensor) -> rewards.Motion:
        quat = qpos[:, 3:7]
        foot, foot_vel = self.feet(qpos[:, 7:], qvel[:, 6:])
        ground = self.heights(*observations.around(qpos[:, :3], quat, self.under)).mean(-1)
        return rewards.Motion(
            command=e.command,
            velocity=to_body(quat, qvel[:, :3]),
            rates=qvel[:, 3:6],
            gravity=gravity_direction(quat),
            height=qpos[:, 2] - ground - self.robot.base_height_target,
            joint_vel=qvel[:, 6:],
            joint_acc=(qvel[:, 6:] - e.joint_vel) / CONTROL_PERIOD,
            torque=torque,
            foot_z=foot[..., 2] - self.robot.foot_clearance_target,
            foot_speed=torch.linalg.vector_norm(foot_vel[..., :2], dim=-1),
            action=action,
            last_action=e.action,
            before_last=e.before_last,
        )

    def _observe(self, qpos: Tensor, qvel: Tensor, e: Episode, noise: Tensor) -> tuple[Observation, Tensor]:
        quat = qpos[:, 3:7]
        velocity = to_body(quat, qvel[:, :3])
        frame = observations.frame(
            e.command, qvel[:, 3:6], gravity_direction(quat), qpos[:, 7:] - self.constants.pose, qvel[:, 6:], e.action,
            self.scales,
        )  # fmt: skip
        ground = self.heights(*observations.around(qpos[:, :3], quat, self.scan))
        clearance = qpos[:, 2:3] - self.constants.standing - ground
        extra = observations.extra(velocity, to_body(quat, e.force), clearance)
        return Observation(frame + noise * self.noise, extra), velocity

    def _restart(self, e: Episode, uniform: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """State and parameters of new episodes on the tiles of `e`."""
        at = commands.DRAWS
        parameters = self.randomise(uniform[:, at : at + randomisation.DRAWS])
        at += randomisation.DRAWS
        placed = uniform[:, at : at + starting.DRAWS + self.action_size]
        qpos, qvel = starting.start(
            placed, e.column, e.row, self.constants, self.feet, self.heights, self.settings
        )
        p: Any = parameters
        return qpos, qvel, (p.body, p.friction, p.solref, p.kp, p.kd, p.delay)

    def _force(self, e: Episode, uniform: Tensor) -> tuple[Tensor, Tensor]:
        """External force: comes, acts for a while, goes. A push is a jolt of one control period."""
        r = self.settings.randomisation
        begin = randomisation.force_rate(r, CONTROL_PERIOD)
        left = (e.force_steps - 1).clamp(min=0)
        begins = (left == 0) & (uniform[:, 3] < begin)
        low, high = r.force_seconds
        lasting = ((low + (high - low) * uniform[:, 4]) / CONTROL_PERIOD).round()
        force = torch.where((left > 0)[:, None], e.force, 0.0)
        force = torch.where(begins[:, None], (2 * uniform[:, :3] - 1) * r.force, force)
        left = torch.where(begins, lasting, left)
        if r.push > 0:
            jolt = (2 * uniform[:, :3] - 1) * (r.push * self.constants.mass / CONTROL_PERIOD)
            pushed = uniform[:, 5] < CONTROL_PERIOD / r.push_seconds
            flat = torch.nn.functional.pad(jolt[:, :2], (0, 1))
            force = torch.where(pushed[:, None], flat, force)
            left = torch.where(pushed, 1.0, left)
        return force, left

    def _report(
        self, terms: dict[str, Tensor], reward: Tensor, m: rewards.Motion, e: Episode, fell: Tensor, fault: Tensor
    ) -> Tensor:
        weights = self.settings.rewards
        linear = torch.linalg.vector_norm(m.command[:, :2] - m.velocity[:, :2], dim=-1)
        angular = (m.command[:, 2] - m.rates[:, 2]).abs()
        row = e.row.float()
        kind = self.constants.kind[e.column, e.row]
        per_kind = [(row * (kind == k)).sum() / (kind == k).sum().clamp(min=1) for k in self.kinds.values()]
        values = [
            *(getattr(weights, name) * value.mean() for name, value in terms.items()),
            *(reward.mean() / CONTROL_PERIOD, linear.mean(), angular.mean(), row.mean(), *per_kind),
            *(e.reach.mean(), fell.float().mean() / CONTROL_PERIOD, fault.float().sum()),
        ]
        return torch.stack(values)

