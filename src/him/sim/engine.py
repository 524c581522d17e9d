"""What an engine is: many worlds of one robot on one terrain, stepped together.

An engine knows physics alone. It moves joints towards targets for one control period, tells what touched
with what force, and never hands out a number that is not finite. All tensors lie on the engine's device and
are live: read them after ``step``, do not keep them.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

SUBSTEP = 0.005
"""Physics step in seconds."""

DECIMATION = 4
"""Substeps in a control period: a policy at 50 Hz (paper, section 4.1)."""

CONTROL_PERIOD = SUBSTEP * DECIMATION

SUBSTEPS = (1, 2, 4)
"""How many physics steps a control period may have instead: fewer are faster and coarser."""

MAX_DELAY = 3
"""Longest actuator delay in substeps (paper, table of randomisations: up to 3 time steps)."""

MAX_SPEED = 20.0
"""A base faster than this, in m/s, is a fault of the simulation."""

MAX_RATE = 200.0
"""A joint or base rate above this, in rad/s, likewise."""


@dataclass
class Parameters:
    """What may differ from world to world, one row a world."""

    body: Tensor
    """Row of the bank of bodies (masses, inertias, centres of mass), int32 (N,)."""
    friction: Tensor
    """Coefficient of the contacts, already combined with the ground's (N,)."""
    solref: Tensor
    """Stiffness and damping of the contacts, from `him.sim.material` (N, 2)."""
    impedance: Tensor
    """Constraint impedance of the contacts (N,)."""
    kp: Tensor
    """Proportional gains with motor strength (N, 12)."""
    kd: Tensor
    """Derivative gains with motor strength (N, 12)."""
    delay: Tensor
    """Substeps before a new target acts, int32 (N,)."""

    def parts(self) -> tuple[Tensor, ...]:
        """All of them in order, as compiled functions hand them on."""
        return self.body, self.friction, self.solref, self.impedance, self.kp, self.kd, self.delay


class Engine(Protocol):
    """Physics of N worlds."""

    worlds: int
    device: torch.device
    colliders: tuple[str, ...]
    """Names of the colliding spheres, in the order of the contact tensors."""
    qpos: Tensor
    """Base position, quaternion (w, x, y, z) and joint angles (N, 19)."""
    qvel: Tensor
    """Base linear velocity in the world frame, angular velocity in the body frame, joint rates (N, 18)."""
    torque: Tensor
    """Joint torques of the last substep (N, 12)."""
    contact_force: Tensor
    """Force of the ground on each collider in the last substep, world frame (N, colliders, 3)."""
    touched: Tensor
    """Whether a collider touched the ground in any substep of the last control period, bool (N, colliders)."""
    push: Tensor
    """External force on the base, world frame (N, 3); write it, and it acts until written again."""
    fault: Tensor
    """Worlds caught in the last step with numbers that are not finite or too fast, and put home (N,)."""
    faults: Tensor
    """How many worlds were caught so far, a scalar."""
    top_speed: Tensor
    """Fastest speed of each base in any substep so far (N,)."""

    def step(self, target: Tensor) -> None:
        """Hold the joint targets (N, 12) for one control period."""

    def reset(self, mask: Tensor, qpos: Tensor, qvel: Tensor, parameters: Parameters) -> None:
        """Where the mask (N,) says so, start anew from this state with these parameters."""

    def state_dict(self) -> dict[str, Tensor]:
        """Everything the next step depends on."""

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on from such a state."""
