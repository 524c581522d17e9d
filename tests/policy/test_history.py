import numpy as np

from him.policy import History


def test_first_frame_fills_the_history():
    assert np.all(History().push(np.full(45, 3.0)) == 3.0)


def test_newest_frame_comes_first_and_the_oldest_goes():
    history = History(length=3, size=1)
    for value in range(5):
        stack = history.push([value])
    assert stack[:, 0].tolist() == [4, 3, 2]


def test_reset_leaks_nothing():
    history = History()
    history.push(np.full(45, 7.0))
    history.reset()
    assert np.all(history.push(np.full(45, 1.0)) == 1.0)


def test_returned_stack_is_a_copy():
    history = History()
    history.push(np.zeros(45))[:] = 9.0
    assert history.push(np.zeros(45)).max() == 0.0
