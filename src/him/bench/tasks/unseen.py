"""Terrains no policy has met: gravel between stairs, and a slope of soft beds."""

import mujoco
import numpy as np

from him.bench.tasks.scene import CLOTH, STONE, WOOD, Colour, Reach, Scene, Site, Task
from him.bench.tasks.table import TABLE

LANDING = 3.0
"""Length of the ground behind the last staircase."""


def compositional(site: Site) -> Scene:
    """Three times a field of gravel and a few steps, up, down and up again."""
    t = TABLE
    x, ground = t.start_distance, 0.0
    for i in range(t.alternations):
        gravel(site, x, ground)
        rise = t.mixed_rise if i % 2 == 0 else -t.mixed_rise
        behind = LANDING if i == t.alternations - 1 else t.gravel_length
        end = site.staircase(x + t.gravel_length, ground, rise, t.mixed_tread, t.mixed_steps, behind)
        x, ground = end - behind, ground + t.mixed_steps * rise
    return Scene(Reach(x + t.beyond, t.terrain_speed), t.terrain_speed)


def gravel(site: Site, x: float, ground: float) -> None:
    """Stones of all sizes, turned at random and sunk in by up to half: boxes whose corners lie on a sphere."""
    t, rng = TABLE, site.rng
    for _ in range(round(t.gravel_density * t.gravel_length * t.gravel_width)):
        radius = rng.uniform(t.gravel_smallest, t.gravel_stone) / 2
        shape = rng.uniform(0.5, 1.0, 3)
        turn = rng.normal(size=4)
        along, across = rng.uniform(radius, t.gravel_length - radius), rng.uniform(-0.5, 0.5) * t.gravel_width
        site.solid(
            pos=[x + along, across, ground + rng.uniform(0.0, radius)],
            size=radius * shape / np.linalg.norm(shape),
            quat=turn / np.linalg.norm(turn),
            colour=(*(np.array(STONE) * rng.uniform(0.6, 1.0)),),
        )


def deformable_slope(site: Site) -> Scene:
    """Up one bed and along another."""
    t = TABLE
    site.spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    site.spec.option.impratio = t.bed_impratio
    soften(_beds(site, "beds", 0.0, CLOTH), float(site.spec.geom("trunk").friction[0]))
    _beds(site, "frame", t.bed_thickness, WOOD)
    ridge = t.start_distance + t.bed_length * np.cos(np.radians(t.slope_degrees))
    return Scene(Reach(ridge + t.bed_finish, t.terrain_speed), t.terrain_speed)


def _beds(site: Site, name: str, inset: float, colour: Colour) -> mujoco.MjsGeom:
    """Slope and top in one convex solid, its faces set back by `inset`.

    Two boxes would not do: near their seam the face closest to a foot that has sunk in is a side, not the top.
    """
    t, angle = TABLE, np.radians(TABLE.slope_degrees)
    run, rise = t.bed_length * np.cos(angle), t.bed_length * np.sin(angle)
    # on the slope the setback is measured along its normal: it moves the line sideways
    toe, top = inset / np.sin(angle), rise - inset
    ridge = toe + top / np.tan(angle)
    end, half = run + t.bed_length - inset, t.width / 2 - inset
    profile = [(toe - 2 * run, -2 * rise), (ridge, top), (end, top), (end, -2 * rise)]
    points = [(t.start_distance + x, side * half, z) for x, z in profile for side in (-1, 1)]
    mesh = site.spec.add_mesh(name=name, uservert=np.array(points).ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    geom = site.spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=[*colour, 1.0])
    geom.contype, geom.conaffinity = 1, 0
    return geom


def soften(geom: mujoco.MjsGeom, friction: float) -> None:
    """Make the contacts of a geom those of a bed; its own say counts, not the robot's."""
    t = TABLE
    geom.priority, geom.condim, geom.friction[0] = 2, 3, friction
    geom.solref = [-t.bed_stiffness, -t.bed_damping]
    geom.solimp = [t.bed_impedance, t.bed_impedance, 0.001, 0.5, 2.0]


TASKS = (
    Task("compositional", "Compositional terrain", "aliengo", "success", compositional),
    Task("deformable-slope", "Deformable slope", "a1", "success", deformable_slope),
)
