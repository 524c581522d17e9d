"""From the engine's state to what networks and rewards see."""

import torch
from torch import Tensor

from him.env import factors, gait, observations, rewards
from him.env.episode import Constants, Episode
from him.env.geometry import Feet, corners, facing, gravity_direction, to_body, to_world
from him.env.protocol import Observation
from him.env.settings import TaskSettings
from him.policy.terms import OBS_TERMS
from him.robots import Robot
from him.sim.engine import CONTROL_PERIOD
from him.sim.heights import Heights


class Senses:
    """Frames, the critic's extras and motions, for whole batches. Pure."""

    def __init__(
        self, robot: Robot, constants: Constants, heights: Heights, settings: TaskSettings, device: torch.device
    ) -> None:
        self.robot, self.constants, self.heights = robot, constants, heights
        self.feet = Feet(robot, device)
        self.top_speeds = torch.tensor(robot.velocity_limits.tolist(), device=device)
        self.told, self.factors = settings.gait.active, settings.factors
        self.terms = gait.TERMS if self.told else OBS_TERMS
        self.scales = observations.scales(device, self.terms)
        self.noise = observations.noise_widths(settings.noise, device, self.terms)
        self.scan = observations.points(observations.SCAN_X, observations.SCAN_Y, device)
        self.under = observations.points(observations.UNDER_X, observations.UNDER_Y, device)
        self.trunk = corners(robot.trunk.box, device)
        self.frame_size = len(self.scales)
        self.extra_size = 6 + len(self.scan) + (len(factors.NAMES) if self.factors else 0)

    def ground(self, qpos: Tensor) -> Tensor:
        """Heights (N, 187) of the terrain around each robot."""
        return self.heights(*observations.around(qpos[:, :3], facing(qpos[:, 3:7]), self.scan))

    def ground_again(self, ground: Tensor, qpos: Tensor, moved: Tensor) -> Tensor:
        """`ground` looked up anew for those who moved (N,), whose number is read: not for a device that runs ahead.

        Headings are computed for all, so that no row depends on how many there are: the results are the same numbers.
        """
        rows = moved.nonzero()[:, 0]
        facing_all = facing(qpos[:, 3:7])
        return ground.index_copy(
            0, rows, self.heights(*observations.around(qpos[rows, :3], facing_all[rows], self.scan))
        )

    def observe(
        self, qpos: Tensor, qvel: Tensor, e: Episode, ground: Tensor, noise: Tensor
    ) -> tuple[Observation, Tensor]:
        """What is seen, and the true velocity in the body frame."""
        quat = qpos[:, 3:7]
        velocity = to_body(quat, qvel[:, :3])
        parts = {
            "command": e.command,
            "angular_velocity": qvel[:, 3:6],
            "gravity": gravity_direction(quat),
            "joint_pos": qpos[:, 7:] - self.constants.pose,
            "joint_vel": qvel[:, 6:],
            "last_action": e.action,
            "before_last_action": e.before_last,
        }
        if self.told:
            behaviour = e.more["behaviour"]
            parts |= {"behaviour": behaviour, "clock": gait.clocks(e.more["turn"], behaviour)}
        frame = observations.frame(parts, self.terms, self.scales)
        clearance = qpos[:, 2:3] - self.constants.standing - ground
        extra = observations.extra(velocity, to_body(quat, e.force), clearance)
        if self.factors:
            extra = torch.cat([extra, e.more["factors"], self._local_ground(qpos)], -1)
        return Observation(frame + noise * self.noise, extra), velocity

    def motion(
        self, e: Episode, action: Tensor, qpos: Tensor, qvel: Tensor, torque: Tensor, bearing: Tensor
    ) -> rewards.Motion:
        """What the rewards look at; `bearing` (N, 4) says which feet bear."""
        quat = qpos[:, 3:7]
        foot, foot_vel = self.feet(qpos[:, 7:], qvel[:, 6:])
        ground = self.heights(*observations.around(qpos[:, :3], facing(quat), self.under)).mean(-1)
        velocity, rates = to_body(quat, qvel[:, :3]), qvel[:, 3:6]
        over_ground = velocity[:, None] + torch.linalg.cross(rates[:, None].expand_as(foot), foot, dim=-1) + foot_vel
        return rewards.Motion(
            command=e.command,
            velocity=velocity,
            rates=rates,
            gravity=gravity_direction(quat),
            height=qpos[:, 2] - ground - self.robot.base_height_target,
            corners=self._corners(qpos) - self.robot.base_height_target,
            joint_offset=qpos[:, 7:] - self.constants.pose,
            joint_vel=qvel[:, 6:],
            joint_acc=(qvel[:, 6:] - e.joint_vel) / CONTROL_PERIOD,
            torque=torque,
            overspeed=(qvel[:, 6:].abs() - self.top_speeds).clamp(min=0.0),
            foot_z=foot[..., 2] - self.robot.foot_clearance_target,
            foot_speed=torch.linalg.vector_norm(foot_vel[..., :2], dim=-1),
            slip=torch.linalg.vector_norm(over_ground, dim=-1) * bearing,
            action=action,
            last_action=e.action,
            before_last=e.before_last,
        )

    def _corners(self, qpos: Tensor) -> Tensor:
        """Heights of the trunk's corners above the ground under them (N, 4)."""
        at = qpos[:, None, :3] + to_world(qpos[:, None, 3:7], self.trunk.expand(len(qpos), -1, -1))
        return at[..., 2] - self.heights(at[..., 0], at[..., 1])

    def _local_ground(self, qpos: Tensor) -> Tensor:
        foot, _ = self.feet(qpos[:, 7:], torch.zeros_like(qpos[:, 7:]))
        away = to_world(qpos[:, None, 3:7], foot)
        heights = self.heights(qpos[:, :1] + away[..., 0], qpos[:, 1:2] + away[..., 1])
        return factors.ground(qpos[:, 2:3], self.constants.standing, heights)
