from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from him.cli import probes
from him.errors import HimError
from him.policy import Policy
from him.view import video
from him.view.play_course import Driver, course
from him.view.play_sim import Simulation
from him.view.play_stage import Frame

SMALL = Frame(160, 120)


@pytest.fixture(scope="module")
def simulation(still: Path) -> Simulation:
    if not probes.attempt("rendering").works:
        pytest.skip("this machine cannot render; `him doctor` says what to install")
    there = course("stairs", 4)
    return Simulation(Policy(still), there.terrain, there.start)


def film(simulation: Simulation, path: Path, seconds: float = 0.4) -> int:
    counted = []
    clip = video.Clip(path, seconds, SMALL)
    steady = Driver((), (0.3, 0.0, 0.0))
    video.record(simulation, steady, clip, lambda state: "A1", lambda: counted.append(1))
    return len(counted)


def test_a_video_has_its_length_and_size(simulation, tmp_path):
    path = tmp_path / "new" / "a1.mp4"
    assert film(simulation, path) == 10
    reader = imageio_ffmpeg.read_frames(str(path))
    about = next(reader)
    assert about["size"] == (SMALL.width, SMALL.height)
    assert about["fps"] == 25
    assert len(list(reader)) == 10


def test_a_gif_is_animated(simulation, tmp_path):
    film(simulation, tmp_path / "a1.gif", seconds=0.2)
    with Image.open(tmp_path / "a1.gif") as image:
        assert image.size == (SMALL.width, SMALL.height)
        assert image.n_frames > 1


def test_robot_and_stairs_are_to_be_seen(simulation):
    clip = video.Clip(Path("a.mp4"), 0.04, Frame(320, 240))
    picture = next(video.frames(simulation, Driver((), (0.0, 0.0, 0.0)), clip, lambda state: "")).astype(int)
    middle = picture[80:180, 110:210]
    assert (middle.max(axis=-1) < 70).mean() > 0.05, "no dark robot in the middle"
    assert picture[:20, 220:].mean() > 170, "no bright sky"


@pytest.mark.parametrize(
    ("path", "frame", "seconds", "words"),
    [("a.avi", SMALL, 1.0, "mp4 or .gif"), ("a.mp4", Frame(161, 120), 1.0, "even"), ("a.mp4", SMALL, 0.0, "above 0")],
)
def test_impossible_videos_are_refused(path, frame, seconds, words):
    with pytest.raises(HimError, match=words):
        video.Clip(Path(path), seconds, frame)


def test_an_unwritable_place_is_explained(simulation, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(HimError, match="cannot write"):
        film(simulation, tmp_path / "file" / "a.mp4")


def test_a_machine_that_cannot_render_is_sent_to_the_doctor(simulation, monkeypatch):
    def broken(*_: object) -> None:
        raise AttributeError("no EGL")

    monkeypatch.setattr(video.mujoco, "Renderer", broken)
    with pytest.raises(HimError, match="him doctor"):
        video.open_renderer(video.stage(simulation.robot, simulation.terrain, SMALL), SMALL)


def test_captions_do_not_change_the_picture_s_size(simulation):
    state = simulation.step(np.zeros(3))
    picture = np.full((SMALL.height, SMALL.width, 3), 200, np.uint8)
    written = video.caption(picture, "A1: stairs", state)
    assert written.shape == picture.shape
    assert (written != picture).any()
