"""A robot as a table of numbers: the dataclasses that a robot's TOML file fills.

Joints are numbered FL, FR, RL, RR x hip, thigh, calf everywhere. Hips turn about x, thighs and calves about
y, and every joint reads zero with the leg stretched straight down, as in Unitree's own models.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from him.robots import kinematics

Array = NDArray[np.float64]

LEGS = ("FL", "FR", "RL", "RR")
JOINTS = ("hip", "thigh", "calf")


@dataclass(frozen=True)
class Inertia:
    """Rotational inertia about the centre of mass, in the axes of the link (kg m^2)."""

    ixx: float
    iyy: float
    izz: float
    ixy: float
    ixz: float
    iyz: float

    @property
    def matrix(self) -> Array:
        return np.array(
            [[self.ixx, self.ixy, self.ixz], [self.ixy, self.iyy, self.iyz], [self.ixz, self.iyz, self.izz]]
        )


@dataclass(frozen=True, eq=False)
class Trunk:
    """The floating base, with everything bolted to it."""

    mass: float
    com: Array = field(metadata={"shape": (3,)})
    """Centre of mass in the trunk's frame (m)."""
    inertia: Inertia
    box: Array = field(metadata={"shape": (3,)})
    """Full edge lengths of the box that stands for the trunk in contacts (m)."""


@dataclass(frozen=True, eq=False)
class Link:
    """A moving link together with the joint that carries it."""

    origin: Array = field(metadata={"shape": (3,)})
    """Where the joint sits in the parent's frame (m)."""
    mass: float
    com: Array = field(metadata={"shape": (3,)})
    inertia: Inertia
    limits: Array = field(metadata={"shape": (2,)})
    """Lowest and highest joint angle (rad)."""


@dataclass(frozen=True, eq=False)
class Foot:
    """The ball at the end of the calf; it does not move against the calf."""

    origin: Array = field(metadata={"shape": (3,)})
    """The foot's frame, which is also its centre of mass, in the calf (m)."""
    mass: float
    inertia: Inertia
    radius: float
    sphere: Array = field(default_factory=lambda: np.zeros(3), metadata={"shape": (3,)})
    """Centre of the contact sphere in the foot's frame (m)."""


@dataclass(frozen=True, eq=False)
class Leg:
    default_pos: Array = field(metadata={"shape": (3,)})
    """Angles of hip, thigh and calf that actions are added to (rad)."""
    hip: Link
    thigh: Link
    calf: Link
    foot: Foot

    @property
    def links(self) -> tuple[Link, Link, Link]:
        return self.hip, self.thigh, self.calf


@dataclass(frozen=True, eq=False)
class Legs:
    FL: Leg
    FR: Leg
    RL: Leg
    RR: Leg


@dataclass(frozen=True)
class Drive:
    """What moves one kind of joint; the same on all four legs."""

    torque_limit: float
    velocity_limit: float
    kp: float
    """Stiffness while a policy walks (N m / rad)."""
    kd: float
    stand_kp: float
    """Stiffness that holds the default pose without a policy."""
    stand_kd: float
    armature: float
    """Rotor inertia as felt at the joint (kg m^2)."""
    frictionloss: float
    """Dry friction of the joint (N m)."""


@dataclass(frozen=True)
class Drives:
    hip: Drive
    thigh: Drive
    calf: Drive


@dataclass(frozen=True, eq=False)
class Shape:
    """Sizes of the legs in contacts."""

    thigh_box: Array = field(metadata={"shape": (3,)})
    """Full length, width and thickness of the thigh (m); half its thickness is the knee's radius."""
    calf_radius: float


@dataclass(frozen=True, eq=False)
class Part:
    """One visible solid. On a leg it is written for the left side and mirrored to the right."""

    on: str
    """trunk, hip, thigh or calf."""
    shape: str
    """box, ellipsoid, cylinder or capsule."""
    colour: str
    """A key of look.colours."""
    size: Array = field(metadata={"shape": (3,)})
    """Full extents along x, y, z before turning; a cylinder or capsule stands along z with diameter x."""
    at: Array = field(default_factory=lambda: np.zeros(3), metadata={"shape": (3,)})
    turn: Array = field(default_factory=lambda: np.zeros(3), metadata={"shape": (3,)})
    """Roll, pitch and yaw about the link's fixed axes (rad)."""
    mirror: bool = False
    """On the trunk: draw it a second time on the other side. Legs are mirrored anyway."""


@dataclass(frozen=True, eq=False)
class Look:
    """How the robot is drawn; contacts and inertia take no notice of it."""

    colours: dict[str, Array] = field(metadata={"shape": (3,)})
    """Red, green and blue from 0 to 1 by name; `foot` colours the feet."""
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Robot:
    """One quadruped. Arrays of twelve follow `joint_names`."""

    name: str
    title: str
    action_scale: float
    """Radians of joint target per unit of action."""
    base_height_target: float
    """Height of the trunk's origin above the ground that walking aims at (m)."""
    foot_clearance_target: float
    """Height of a swinging foot's centre in the trunk's frame (m, negative)."""
    trunk: Trunk
    joint: Drives
    leg: Legs
    shape: Shape
    look: Look | None = None

    @property
    def legs(self) -> tuple[Leg, ...]:
        return tuple(getattr(self.leg, name) for name in LEGS)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(f"{leg}_{joint}" for leg in LEGS for joint in JOINTS)

    @cached_property
    def default_joint_pos(self) -> Array:
        return _constant([angle for leg in self.legs for angle in leg.default_pos])

    @cached_property
    def joint_limits(self) -> Array:
        return _constant([link.limits for leg in self.legs for link in leg.links])

    @cached_property
    def torque_limits(self) -> Array:
        return self._drives("torque_limit")

    @cached_property
    def velocity_limits(self) -> Array:
        return self._drives("velocity_limit")

    @cached_property
    def kp(self) -> Array:
        return self._drives("kp")

    @cached_property
    def kd(self) -> Array:
        return self._drives("kd")

    @cached_property
    def stand_kp(self) -> Array:
        return self._drives("stand_kp")

    @cached_property
    def stand_kd(self) -> Array:
        return self._drives("stand_kd")

    @cached_property
    def armature(self) -> Array:
        return self._drives("armature")

    @cached_property
    def frictionloss(self) -> Array:
        return self._drives("frictionloss")

    @cached_property
    def mass(self) -> float:
        links = sum(link.mass for leg in self.legs for link in (*leg.links, leg.foot))
        return self.trunk.mass + links

    @cached_property
    def standing_height(self) -> float:
        """Height of a level trunk in the default pose when its lowest foot touches the ground."""
        return float(kinematics.base_height(self, self.default_joint_pos))

    def _drives(self, name: str) -> Array:
        return _constant([getattr(getattr(self.joint, joint), name) for joint in JOINTS] * len(LEGS))


def _constant(values: list[float] | list[Array]) -> Array:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
