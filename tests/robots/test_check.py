"""Robots that cannot exist are refused with the reason."""

from pathlib import Path

import pytest

from him import robots
from him.robots import RobotError
from tests.robots.test_read import DONKEY, load_changed

LOOK = """
[look]
parts = [{ on = "trunk", shape = "box", colour = "red", size = [0.1, 0.1, 0.1] }]
[look.colours]
red = [1.0, 0.0, 0.0]
foot = [0.0, 0.0, 0.0]
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("mass = 15.0", "mass = -15.0", r"trunk.mass is -15; give a number above zero"),
        ("mass = 0.1\n", "mass = 0.0\n", r"leg.FL.foot.mass is 0"),
        ("limits = [-2.7, -0.7]", "limits = [-0.7, -2.7]", r"leg.FL.calf.limits are crossed"),
        (
            "limits = [-0.9, 0.9]",
            "limits = [0.2, 0.9]",
            r"leg.FL.default_pos puts leg.FL.hip at 0.05 rad, outside",
        ),
        ("ixx = 0.1,", "ixx = -0.1,", r"trunk.inertia .* all must be above zero"),
        ("ixx = 0.1,", "ixx = 0.9,", r"trunk.inertia .* none may exceed the sum of the other two"),
        ("ixy = 0.0", "ixy = 0.2", r"trunk.inertia is not that of any body"),
        ("torque_limit = 40.0", "torque_limit = 0.0", r"joint.hip.torque_limit is 0"),
        ("kd = 1.5", "kd = -1.5", r"joint.hip.kd is -1.5; give zero or more"),
        ("origin = [0.0, 0.0, -0.28]", "origin = [0.0, 0.0, 0.28]", r"leg.FL.calf.origin must lie below"),
        ("base_height_target = 0.40", "base_height_target = 0.60", r"base_height_target .* 2 to 3 cm less"),
        ("foot_clearance_target = -0.30", "foot_clearance_target = 0.1", r"foot_clearance_target is 0.1 m"),
        ("[shape]", LOOK.replace('"box"', '"cone"') + "[shape]", r"look.parts\[0\].shape is 'cone'; choose"),
        ("[shape]", LOOK.replace("red =", "blue =") + "[shape]", r"look.parts\[0\].colour is 'red'; choose"),
        ("[shape]", LOOK.replace("foot =", "feet =") + "[shape]", r"look.colours.foot is missing"),
    ],
)
def test_an_impossible_robot_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(RobotError, match=rf"changed\.toml: .*{reason}"):
        load_changed(tmp_path, old, new)


def test_a_look_is_accepted(tmp_path: Path) -> None:
    robot = load_changed(tmp_path, "[shape]", LOOK + "[shape]")
    assert robot.look is not None
    assert robot.look.parts[0].colour == "red"


def test_every_finding_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.toml"
    text = DONKEY.read_text().replace("mass = 15.0", "mass = -1.0")
    path.write_text(text.replace("torque_limit = 60.0", "torque_limit = -1.0"))
    with pytest.raises(RobotError, match=r"joint\.calf\.torque_limit is -1.*trunk\.mass is -1"):
        robots.load(path)
