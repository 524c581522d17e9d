"""The gait of each robot: what it is asked for, where its clock stands, and how it does."""

import torch
from torch import Tensor

from him.env import gait
from him.env.behaviour import Behaviours
from him.env.episode import Constants
from him.env.gait_rewards import TOUCH, Stride
from him.env.gait_settings import GaitSettings
from him.env.geometry import Feet, facing, to_world
from him.env.rewards import Motion
from him.robots import LEGS, Robot
from him.sim.engine import CONTROL_PERIOD
from him.sim.heights import Heights

SOFT = 0.9
"""Share of a joint's range that costs nothing."""

State = dict[str, Tensor]
"""Of an episode: `behaviour` (N, 11), `turn` of the clock (N,), and which feet `stood` at its last step (N, 4)."""


class Gait:
    """What the task adds for methods that are told how to walk."""

    def __init__(
        self,
        robot: Robot,
        settings: GaitSettings,
        constants: Constants,
        feet: Feet,
        heights: Heights,
        colliders: tuple[str, ...],
        device: torch.device,
    ) -> None:
        def places(part: str) -> Tensor:
            return torch.tensor([colliders.index(f"{leg}_{part}") for leg in LEGS], device=device)

        self.robot, self.settings, self.constants, self.heights, self.feet = robot, settings, constants, heights, feet
        self.behaviours = Behaviours(robot, settings, device)
        self.foot, self.knee = places("foot"), places("knee")
        self.shanks = places("shank0"), places("shank1")
        middle, reach = (constants.highest + constants.lowest) / 2, (constants.highest - constants.lowest) / 2
        self.low, self.high = middle - SOFT * reach, middle + SOFT * reach

    def begin(self, uniform: Tensor) -> State:
        """State of new episodes, from (N, behaviour.DRAWS) uniform numbers."""
        behaviour = self.behaviours(uniform)
        turn = torch.zeros_like(behaviour[:, 0])
        return {"behaviour": behaviour, "turn": turn, "stood": torch.zeros_like(behaviour[:, :4], dtype=torch.bool)}

    def advance(self, state: State, bearing: Tensor) -> State:
        """One control period later, after which these feet bear (N, 4)."""
        turn = state["turn"] + CONTROL_PERIOD * gait.part(state["behaviour"], "frequency")
        return {**state, "turn": turn - turn.floor(), "stood": bearing}

    def stride(self, motion: Motion, before: State, now: State, qpos: Tensor, qvel: Tensor, force: Tensor) -> Stride:
        """What the rewards look at, at the end of a control period."""
        behaviour = before["behaviour"]
        phases = gait.foot_phases(now["turn"], behaviour)
        foot, foot_vel = self.feet(qpos[:, 7:], qvel[:, 6:])
        quat = qpos[:, None, 3:7]
        away = to_world(quat, foot)
        spin = torch.linalg.cross(qvel[:, None, 3:6].expand_as(foot), foot, dim=-1)
        ground = self.heights(qpos[:, :1] + away[..., 0], qpos[:, 1:2] + away[..., 1])
        joints = qpos[:, 7:]
        return Stride(
            motion=motion,
            behaviour=behaviour,
            phases=phases,
            contact=gait.desired_contact(gait.warp(phases, behaviour)),
            foot=_level(away, facing(qpos[:, 3:7])),
            lift=qpos[:, 2:3] + away[..., 2] - self.constants.foot_radius - ground,
            foot_velocity=qvel[:, None, :3] + to_world(quat, foot_vel + spin),
            force=force[:, self.foot],
            loaded=now["stood"] | before["stood"],
            collisions=self._collisions(force),
            overshoot=((self.low - joints).clamp(min=0) + (joints - self.high).clamp(min=0)).sum(-1),
            action_scale=self.robot.action_scale,
        )

    def _collisions(self, force: Tensor) -> Tensor:
        """Thighs touch with their knees, calves with two spheres along the shank."""
        thigh, calf = force[:, self.knee], force[:, self.shanks[0]] + force[:, self.shanks[1]]
        touch = torch.linalg.vector_norm(torch.cat([thigh, calf], 1), dim=-1) > TOUCH
        return touch.float().sum(-1)


def _level(away: Tensor, facing: Tensor) -> Tensor:
    """World vectors (N, 4, 3) in the heading frame, x and y alone."""
    cos, sin = facing[:, :1], facing[:, 1:]
    x, y = away[..., 0], away[..., 1]
    return torch.stack([cos * x + sin * y, cos * y - sin * x], -1)
