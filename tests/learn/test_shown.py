"""What the policy is shown follows what is learned, and neither disturbs the other."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from him.env.protocol import Sizes
from him.errors import HimError
from him.learn.learner import Learner
from him.learn.method import Him
from him.learn.presets import preset
from him.learn.settings import HimSettings
from him.learn.shown import Shown
from tests.learn.conftest import one_thread as one_thread
from tests.learn.conftest import small
from tests.learn.toy import Toy


def test_the_average_follows_and_learning_goes_on_where_it_was() -> None:
    parameter = nn.Parameter(torch.zeros(3))
    shown = Shown([parameter])
    expected, learned = 0.0, 0.0
    for k in range(5):
        with shown.learning(0.25):
            assert parameter[0].item() == pytest.approx(learned)
            with torch.no_grad():
                parameter += 1.0 + k
        learned += 1.0 + k
        expected += 0.25 * (learned - expected)
        assert parameter[0].item() == pytest.approx(expected)


def learner(shown: float) -> Learner:
    torch.manual_seed(0)
    task, settings = Toy(16), small()
    made = Learner(task, Him(Sizes.of(task), replace(settings, him=replace(settings.him, shown=shown))))
    made.start()
    return made


def test_the_policy_drifts_less() -> None:
    drift = {share: learner(share).iterate()["policy/drift"].item() for share in (1.0, 0.2)}
    assert 0 < drift[0.2] < 0.2 * drift[1.0], "about the square of the share"


def test_resumed_goes_on_alike() -> None:
    first = learner(0.2)
    first.iterate()
    kept = {name: value.clone() for name, value in first.state_dict().items()}
    second = learner(0.2)
    second.load_state_dict(kept)
    torch.set_rng_state(kept["random.cpu"])
    second.iterate()
    torch.set_rng_state(kept["random.cpu"])
    first.iterate()
    ours, theirs = first.state_dict(), second.state_dict()
    assert any(name.startswith("shown.") for name in ours)
    assert all(torch.equal(value, theirs[name]) for name, value in ours.items())


def test_impossible_shares_are_refused() -> None:
    with pytest.raises(HimError, match="shown"):
        HimSettings(shown=0.0)
    release = preset("release")
    with pytest.raises(HimError, match="interleaved"):
        replace(release, him=replace(release.him, shown=0.5))
