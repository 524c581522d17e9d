"""Pictures of robots: drawn, labelled, small, and not all the same."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from him import robots
from him.cli import probes
from him.errors import HimError
from him.view import picture


@pytest.fixture(scope="module")
def portraits() -> dict[str, np.ndarray]:
    if not probes.attempt("rendering").works:
        pytest.skip("this machine cannot render; `him doctor` says what to install")
    return {name: picture.portrait(robots.load(name)).astype(int) for name in ("a1", "go2")}


def test_a_robot_stands_in_the_middle_of_its_portrait(portraits: dict[str, np.ndarray]) -> None:
    height, width, _ = portraits["a1"].shape
    middle = portraits["a1"][height // 3 : 2 * height // 3, width // 3 : 2 * width // 3]
    assert middle.std() > 2 * portraits["a1"][: height // 8].std()


def test_go2_is_white_and_a1_black(portraits: dict[str, np.ndarray]) -> None:
    height, width, _ = portraits["a1"].shape
    trunk = np.s_[height // 4 : height // 2, width // 3 : 2 * width // 3]
    white = {name: (pixels[trunk].min(axis=-1) > 215).mean() for name, pixels in portraits.items()}
    black = {name: (pixels[trunk].max(axis=-1) < 60).mean() for name, pixels in portraits.items()}
    assert white["go2"] > white["a1"] + 0.03
    assert black["a1"] > black["go2"] + 0.03


def test_a_gallery_is_one_small_file(portraits: dict[str, np.ndarray], tmp_path: Path) -> None:
    path = tmp_path / "new" / "robots.png"
    picture.save(picture.gallery([robots.load(name) for name in portraits]), path)
    with Image.open(path) as image:
        assert image.size == (2 * picture.WIDTH, picture.HEIGHT)
    assert path.stat().st_size < 300_000


def test_a_file_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HimError, match=r"give a file that ends in \.png"):
        picture.save(Image.new("RGB", (4, 4)), tmp_path / "robots.xyz")


def test_the_picture_of_the_documentation_is_small() -> None:
    assert (Path(__file__).parents[2] / "docs/pictures/robots.png").stat().st_size < 300_000
