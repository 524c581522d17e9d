"""What of a robot touches the ground.

"spheres": a foot, a knee and two shank spheres a leg and eight on the trunk. Sphere against terrain is exact
and cheap, and the two engines share it. "solid": the boxes and capsules of the public models, for checks
with MuJoCo's own collision detection.
"""

import mujoco
import numpy as np

from him.errors import HimError
from him.robots import LEGS, Robot
from him.robots.table import Array

KINDS = ("spheres", "solid")

GROUP = 3
"""MuJoCo's customary group for collision geometry, hidden by default in viewers."""

TRUNK_RADIUS = 0.06
"""Largest sphere of the trunk (m); larger ones would bulge out of the box they stand for."""

CONTACT = {
    "contype": 0,
    "conaffinity": 1,
    "condim": 3,
    "priority": 1,
    "group": GROUP,
    "friction": [1.0, 0.005, 0.0001],
    "rgba": [0.8, 0.3, 0.2, 0.5],
}
"""Only ground with contype 1 meets these; two robot parts never do."""


def add(spec: mujoco.MjSpec, robot: Robot, kind: str) -> None:
    """Put collision geometry on the bodies of a robot."""
    if kind not in KINDS:
        raise HimError(f"unknown colliders {kind!r}; choose one of {', '.join(KINDS)}")
    for name, leg in zip(LEGS, robot.legs, strict=True):
        _sphere(spec, f"{name}_calf", f"{name}_foot", leg.foot.origin + leg.foot.sphere, leg.foot.radius)
    (_add_spheres if kind == "spheres" else _add_solids)(spec, robot)


def trunk_spheres(box: Array) -> tuple[Array, float]:
    """Centres (8, 3) and radius of two rows of four spheres that fill a box to its faces and ends.

    The rows lie side by side in a flat box and one above the other in a narrow one.
    """
    radius = min(TRUNK_RADIUS, box[1] / 2, box[2] / 2)
    reach = np.maximum(box / 2 - radius, 0.0)
    across = 1 if box[1] >= box[2] else 2
    centres = np.zeros((4, 2, 3))
    centres[:, :, 0] = np.linspace(reach[0], -reach[0], 4)[:, None]
    centres[:, :, across] = [reach[across], -reach[across]]
    return centres.reshape(8, 3), float(radius)


def _add_spheres(spec: mujoco.MjSpec, robot: Robot) -> None:
    centres, radius = trunk_spheres(robot.trunk.box)
    for i, centre in enumerate(centres):
        _sphere(spec, "base", f"trunk{i}", centre, radius)
    for name, leg in zip(LEGS, robot.legs, strict=True):
        _sphere(spec, f"{name}_thigh", f"{name}_knee", leg.calf.origin, robot.shape.thigh_box[2] / 2)
        for i in range(2):
            centre = leg.foot.origin * (i + 1) / 3
            _sphere(spec, f"{name}_calf", f"{name}_shank{i}", centre, robot.shape.calf_radius)


def _add_solids(spec: mujoco.MjSpec, robot: Robot) -> None:
    box = mujoco.mjtGeom.mjGEOM_BOX
    spec.body("base").add_geom(name="trunk", type=box, size=robot.trunk.box / 2, **CONTACT)
    for name, leg in zip(LEGS, robot.legs, strict=True):
        length, width, thickness = robot.shape.thigh_box / 2
        spec.body(f"{name}_thigh").add_geom(
            name=f"{name}_thigh",
            type=box,
            size=[thickness, width, length],
            pos=leg.calf.origin / 2,
            **CONTACT,
        )
        spec.body(f"{name}_calf").add_geom(
            name=f"{name}_shank",
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[0, 0, 0, *leg.foot.origin],
            size=[robot.shape.calf_radius, 0, 0],
            **CONTACT,
        )


def _sphere(spec: mujoco.MjSpec, body: str, name: str, centre: Array, radius: float) -> None:
    sphere = mujoco.mjtGeom.mjGEOM_SPHERE
    spec.body(body).add_geom(name=name, type=sphere, pos=centre, size=[radius, 0, 0], **CONTACT)
