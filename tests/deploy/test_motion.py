import numpy as np

from him.deploy.motion import Glide


def test_glide_passes_its_poses_and_rests_at_the_ends():
    glide = Glide([np.zeros(2), np.ones(2), np.array([1.0, 3.0])], start=10.0, duration=2.0)
    assert glide.at(0.0).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(glide.at(11.0), [1.0, 1.0])
    assert glide.at(99.0).tolist() == [1.0, 3.0]
    assert not glide.finished(11.999)
    assert glide.finished(12.0)
    speed = np.abs(np.diff([glide.at(t)[1] for t in np.linspace(10.0, 12.0, 2001)])) / 0.001
    assert speed[0] < 0.02
    assert speed[-1] < 0.02
    assert speed.max() < np.pi * 1.01
