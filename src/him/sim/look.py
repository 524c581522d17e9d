"""Visible shapes of a robot, for people: no contacts, no weight.

A robot's table may list its parts; one that lists none is drawn from its dimensions alone.
"""

import mujoco
import numpy as np

from him.robots import LEGS, Robot
from him.robots.table import Array, Look, Part

GROUP = 2
"""MuJoCo's customary group for visual geometry."""

SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}


def add(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Dress the bodies of a robot."""
    look = robot.look or plain(robot)
    for name, colour in look.colours.items():
        spec.add_material(name=f"robot_{name}", rgba=[*colour, 1.0], specular=0.4, shininess=0.5)
    for part in look.parts:
        if part.on == "trunk":
            for side in (1, -1) if part.mirror else (1,):
                _add_part(spec.body("base"), part, side)
        else:
            for leg in LEGS:
                _add_part(spec.body(f"{leg}_{part.on}"), part, 1 if leg[1] == "L" else -1)
    for name, table in zip(LEGS, robot.legs, strict=True):
        foot = table.foot
        ball = Part("calf", "ellipsoid", "foot", np.full(3, 2 * foot.radius), foot.origin + foot.sphere)
        _add_part(spec.body(f"{name}_calf"), ball, 1)


def plain(robot: Robot) -> Look:
    """Trunk, hips, thighs and shanks of the right sizes, for a robot whose table says nothing of its look."""
    leg, (length, width, thick) = robot.leg.FL, robot.shape.thigh_box
    shank = 2 * robot.shape.calf_radius
    hip = max(2.2 * thick, 0.06)
    lying = np.array([np.pi / 2, 0, 0])
    hip_size = np.array([hip, hip, max(abs(leg.thigh.origin[1]), 0.02)])
    shank_size = np.array([shank, shank, abs(leg.foot.origin[2])])
    parts = (
        Part("trunk", "box", "body", robot.trunk.box),
        Part("hip", "cylinder", "dark", hip_size, leg.thigh.origin / 2, lying),
        Part("thigh", "box", "body", np.array([thick, width, length]), leg.calf.origin / 2),
        Part("calf", "cylinder", "dark", shank_size, leg.foot.origin / 2),
    )
    colours = {"body": [0.6, 0.62, 0.66], "dark": [0.15, 0.15, 0.17], "foot": [0.08, 0.08, 0.08]}
    return Look({name: np.array(rgb) for name, rgb in colours.items()}, parts)


def _add_part(body: mujoco.MjsBody, part: Part, side: int) -> None:
    """On the right (side -1), y and the turns about x and z change sign."""
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, part.turn * [side, 1, side], "XYZ")
    body.add_geom(
        type=SHAPES[part.shape],
        pos=part.at * [1, side, 1],
        quat=quat,
        size=_half_size(part),
        material=f"robot_{part.colour}",
        contype=0,
        conaffinity=0,
        group=GROUP,
        mass=0,
    )


def _half_size(part: Part) -> Array:
    half = part.size / 2
    if part.shape == "cylinder":
        return np.array([half[0], half[2], 0.0])
    if part.shape == "capsule":
        return np.array([half[0], max(half[2] - half[0], 1e-4), 0.0])
    return half
