"""One's own robot is one file; a wrong one is refused with file, key and remedy."""

from pathlib import Path

import pytest

from him import robots
from him.robots import RobotError

DONKEY = Path(__file__).parent / "donkey.toml"


def load_changed(tmp_path: Path, old: str, new: str) -> robots.Robot:
    text = DONKEY.read_text()
    assert old in text
    path = tmp_path / "changed.toml"
    path.write_text(text.replace(old, new, 1))
    return robots.load(path)


def test_a_made_up_robot_is_one_file() -> None:
    robot = robots.load(str(DONKEY))
    assert robot.title == "Made-up donkey"
    assert robot.mass == pytest.approx(15 + 4 * 2.6)
    assert robot.torque_limits[2] == 60.0
    assert 0.42 < robot.standing_height < 0.48


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[leg.FR.calf]", "[leg.FR.knee]", r"unknown key leg.FR.knee; known here: .*calf"),
        ("[leg.RL.thigh]", "[leg.RL.thihg]", r"unknown key leg.RL.thihg; did you mean thigh\?"),
        ("action_scale", "action_scal", r"unknown key action_scal; did you mean action_scale\?"),
        ("mass = 15.0\n", "", r"missing key trunk.mass; add it"),
        ("radius = 0.03", "", r"missing key leg.FL.foot.radius"),
        ("box = [0.6, 0.2, 0.14]", "box = [0.6, 0.2]", r"trunk.box must be a list of 3 finite numbers"),
        ("box = [0.6, 0.2, 0.14]", "box = [0.6, 0.2, nan]", r"trunk.box must be a list of 3 finite numbers"),
        ("default_pos = [0.05,", "default_pos = [0.0, 0.05,", r"leg.FL.default_pos must be a list of 3"),
        ("mass = 15.0", 'mass = "heavy"', r"trunk.mass must be a finite number, not 'heavy'"),
        ("mass = 15.0", "mass = true", r"trunk.mass must be a finite number"),
        ('name = "donkey"', "name = 3", r"name must be a text in quotes"),
        ("[trunk]", "[trunk", r"is not valid TOML"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(RobotError, match=rf"changed\.toml: {reason}"):
        load_changed(tmp_path, old, new)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(RobotError, match=r"choose one of a1, aliengo, go1, go2 or give a \.toml file"):
        robots.load("spot")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(RobotError, match=r"nowhere\.toml: cannot be read"):
        robots.load("nowhere.toml")
