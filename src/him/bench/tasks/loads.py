"""Weights the robot has to move: a box tied to a hind leg, and a load on its back."""

import mujoco
import numpy as np

from him.bench.tasks.scene import IRON, WOOD, Reach, Scene, Site, Task
from him.bench.tasks.table import TABLE

ROPE_CONTACT = (0.01, 1.0)
"""`solref` of the rope's limit: it gives by millimetres."""


def dragging(site: Site) -> Scene:
    """A wooden box on a rope behind the robot."""
    t, spec = TABLE, site.spec
    side, half = site.rng.choice(["RL", "RR"]), t.drag_box / 2
    foot = getattr(site.robot.leg, str(side)).foot
    spec.body(f"{side}_calf").add_site(name="ankle", pos=t.drag_ankle * foot.origin)
    ankle = _at_home(spec, "ankle")
    low = 0.2 * t.drag_box
    reach = np.sqrt((t.drag_rope - t.drag_slack) ** 2 - (ankle[2] - low) ** 2)
    at = [ankle[0] - reach - half, ankle[1], half]
    box = spec.worldbody.add_body(name="box", pos=at)
    box.add_freejoint(name="box")
    wood = {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [half] * 3, "mass": site.weight, "rgba": [*WOOD, 1.0]}
    # robots touch it; with the floor it makes a pair of its own
    box.add_geom(name="box", contype=1, conaffinity=0, **wood)
    spec.add_pair(geomname1="box", geomname2="floor", condim=3, friction=[t.drag_friction] * 2 + [0.005, 1e-4, 1e-4])
    box.add_site(name="knot", pos=[half, 0.0, low - half])
    rope = spec.add_tendon(name="rope", limited=True, range=[0.0, t.drag_rope], width=0.004, rgba=[0.2, 0.2, 0.2, 1])
    rope.solref_limit = ROPE_CONTACT
    rope.wrap_site("ankle")
    rope.wrap_site("knot")
    home = spec.key("home")
    home.qpos = [*home.qpos, *at, 1.0, 0.0, 0.0, 0.0]
    return Scene(Reach(t.drag_distance, t.drag_speed), t.drag_speed)


def payload(site: Site) -> Scene:
    """A load fixed to the trunk's top."""
    t = TABLE
    edges = np.array(t.payload_box)
    site.spec.body("base").add_body(name="load", pos=[0.0, 0.0, (site.robot.trunk.box[2] + edges[2]) / 2]).add_geom(
        name="load",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=edges / 2,
        mass=site.weight,
        contype=0,
        conaffinity=0,
        rgba=[*IRON, 1.0],
    )
    return Scene(Reach(t.payload_distance, t.payload_speed), t.payload_speed)


def _at_home(spec: mujoco.MjSpec, site: str) -> np.ndarray:
    """Where a site is while the robot stands in its default pose."""
    model = spec.copy().compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    return data.site(site).xpos.copy()


TASKS = (
    Task("dragging", "Dragging an obstacle", "a1", "weight", dragging),
    Task("payload", "Payload", "a1", "weight", payload),
)
