from him.deploy import RealClock, SimClock


def test_simulated_time_moves_the_world_by_what_is_slept():
    moved = []
    clock = SimClock(moved.append)
    clock.sleep_until(0.5)
    clock.sleep_until(0.25)
    clock.sleep_until(0.75)
    assert moved == [0.5, 0.25]
    assert clock.now() == 0.75


def test_real_time_passes():
    clock = RealClock()
    start = clock.now()
    clock.sleep_until(start + 0.01)
    assert 0.01 <= clock.now() - start < 1.0
    clock.sleep_until(start)
