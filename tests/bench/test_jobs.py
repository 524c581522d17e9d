"""The stages of the campaign are those that were planned, and their commands are understood."""

from collections import Counter
from pathlib import Path

import pytest

from him.bench import jobs, runs
from him.bench.jobs import Job, stage
from him.cli.train import _read
from him.env.presets import WORLDS
from him.errors import HimError
from him.learn.presets import preset
from him.methods import METHODS

EVERY = [job for number in (1, 2, 3, 4) for job in stage(number)]


def test_every_method_has_one_seed_on_aliengo_and_mob_flat_ground_too() -> None:
    found = stage(1)
    assert Counter(job.method for job in found) == Counter([*METHODS, "mob"]) - Counter(["rma-original"])
    assert {(job.robot, job.seed, job.samples) for job in found} == {("aliengo", 0, 200_000_000)}


def test_four_methods_have_three_seeds() -> None:
    assert {(job.method, job.seed) for job in stage(2)} == {
        (method, seed) for method in ("him", "regression", "rma", "baseline") for seed in (1, 2)
    }


def test_a1_has_five_methods() -> None:
    assert [job.method for job in stage(3)] == ["him", "regression", "rma", "mob", "baseline"]
    assert {job.robot for job in stage(3)} == {"a1"}


def test_sweeps_are_half_as_long() -> None:
    found = stage(4)
    assert {(job.method, job.samples, job.sweep) for job in found} == {("him", 100_000_000, True)}
    counts = [runs.options(["him", *job.train(Path("a"))]).get("him.prototypes") for job in found]
    assert [count for count in counts if count] == ["8", "32", "64", "128", "256"], "16 is the default"
    assert sum(not job.options for job in found) == 1


def test_no_two_runs_share_a_name() -> None:
    assert len({job.name for job in EVERY}) == len(EVERY)


@pytest.mark.parametrize("job", EVERY, ids=lambda job: job.name)
def test_him_train_understands_the_command(job: Job, tmp_path: Path) -> None:
    words = job.train(tmp_path, ("--log-every", "50"))
    read = _read(words[1:], preset("default"), WORLDS["default"]())
    assert (read.robot, read.method, read.resume) == (job.robot, job.method, False)
    assert (read.train.seed, read.train.samples, read.train.log_every) == (job.seed, job.samples, 50)
    if job.name == "aliengo-mob-flat-0":
        assert read.preset == "flat"
    if job.name == "aliengo-him-100M-temperature-3-mean-0":
        assert (read.train.him.temperature, read.train.him.over_prototypes) == (3.0, "mean")


def test_a_run_that_was_begun_goes_on(tmp_path: Path) -> None:
    job = stage(1)[0]
    assert "--resume" not in job.train(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    assert job.train(tmp_path)[-1] == "--resume"


def test_shipped_policies_are_named_by_robot_and_method() -> None:
    names = {job.name: job.policy for job in EVERY if job.ships}
    assert names["aliengo-him-0"] == "aliengo"
    assert names["aliengo-mob-flat-0"] == "aliengo-mob-flat"
    assert names["a1-rma-0"] == "a1-rma"
    assert len(set(names.values())) == len(names)


def test_there_is_no_fifth_stage() -> None:
    with pytest.raises(HimError, match="stages 1 to 4"):
        jobs.stage(5)
