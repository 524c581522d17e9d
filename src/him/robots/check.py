"""Is this robot possible? Each finding is a sentence that names the key and what to change."""

from collections.abc import Iterable, Iterator

import numpy as np

from him.robots.table import JOINTS, LEGS, Foot, Link, Look, Robot, Trunk

SHAPES = ("box", "ellipsoid", "cylinder", "capsule")
BODIES = ("trunk", *JOINTS)


def findings(robot: Robot) -> Iterator[str]:
    """Everything that is wrong with a robot; nothing when it is sound."""
    yield from _drives(robot)
    yield from _inertial(robot.trunk, "trunk")
    yield from _lengths(robot)
    for name, leg in zip(LEGS, robot.legs, strict=True):
        for joint, link, angle in zip(JOINTS, leg.links, leg.default_pos, strict=True):
            where = f"leg.{name}.{joint}"
            yield from _inertial(link, where)
            yield from _limits(link, float(angle), where, f"leg.{name}.default_pos")
        yield from _inertial(leg.foot, f"leg.{name}.foot")
    if robot.look is not None:
        yield from _look(robot.look)


def targets(robot: Robot) -> Iterator[str]:
    """What only makes sense once the legs are known to be possible: the heights that walking aims at."""
    height = robot.standing_height
    if not 0 < robot.base_height_target <= height:
        yield (
            f"base_height_target is {robot.base_height_target:g} m but the default pose stands "
            f"{height:.3f} m high; choose 2 to 3 cm less than that"
        )
    if not -height < robot.foot_clearance_target < 0:
        yield (
            f"foot_clearance_target is {robot.foot_clearance_target:g} m; it is the height of a swinging "
            f"foot in the trunk's frame, so choose a value between {-height:.2f} and 0"
        )


def _drives(robot: Robot) -> Iterator[str]:
    for joint in JOINTS:
        drive = getattr(robot.joint, joint)
        for key in ("torque_limit", "velocity_limit", "kp", "stand_kp"):
            yield from _positive(getattr(drive, key), f"joint.{joint}.{key}")
        for key in ("kd", "stand_kd", "armature", "frictionloss"):
            if getattr(drive, key) < 0:
                yield f"joint.{joint}.{key} is {getattr(drive, key):g}; give zero or more"
    yield from _positive(robot.action_scale, "action_scale")


def _lengths(robot: Robot) -> Iterator[str]:
    yield from _positive(float(robot.trunk.box.min()), "trunk.box")
    yield from _positive(float(robot.shape.thigh_box.min()), "shape.thigh_box")
    yield from _positive(robot.shape.calf_radius, "shape.calf_radius")
    for name, leg in zip(LEGS, robot.legs, strict=True):
        yield from _positive(leg.foot.radius, f"leg.{name}.foot.radius")
        for part, origin in (("calf", leg.calf.origin), ("foot", leg.foot.origin)):
            if origin[2] >= 0:
                yield f"leg.{name}.{part}.origin must lie below its parent (z < 0), not at z = {origin[2]:g}"


def _positive(value: float, where: str) -> Iterator[str]:
    if value <= 0:
        yield f"{where} is {value:g}; give a number above zero"


def _inertial(link: Trunk | Link | Foot, where: str) -> Iterator[str]:
    yield from _positive(link.mass, f"{where}.mass")
    moments = np.linalg.eigvalsh(link.inertia.matrix)
    impossible = f"{where}.inertia is not that of any body (principal moments {_list(moments)})"
    if moments[0] <= 0:
        yield f"{impossible}; all must be above zero"
    elif moments[0] + moments[1] < moments[2] * (1 - 1e-9):
        yield f"{impossible}; none may exceed the sum of the other two"


def _limits(link: Link, angle: float, where: str, pose: str) -> Iterator[str]:
    low, high = link.limits
    if low >= high:
        yield f"{where}.limits are crossed ([{low:g}, {high:g}]); give the lower one first"
    elif not low <= angle <= high:
        yield f"{pose} puts {where} at {angle:g} rad, outside its limits [{low:g}, {high:g}]; change one"


def _look(look: Look) -> Iterator[str]:
    if "foot" not in look.colours:
        yield "look.colours.foot is missing; add the colour of the feet"
    for name, colour in look.colours.items():
        if colour.min() < 0 or colour.max() > 1:
            yield f"look.colours.{name} must be red, green and blue between 0 and 1"
    for i, part in enumerate(look.parts):
        where = f"look.parts[{i}]"
        for key, allowed in (("on", BODIES), ("shape", SHAPES), ("colour", tuple(look.colours))):
            if getattr(part, key) not in allowed:
                yield f"{where}.{key} is {getattr(part, key)!r}; choose one of {', '.join(allowed)}"
        yield from _positive(float(part.size.min()), f"{where}.size")


def _list(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
