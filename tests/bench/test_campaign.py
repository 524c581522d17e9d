"""The campaign skips what is done, goes on with what was interrupted, and keeps what should stay."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest

from him.bench.campaign import START_UP, Campaign, conclusions
from him.bench.jobs import Job, plain, stage, swept
from him.bench.launch import Clock, OutOfTimeError
from him.learn.run import PACKED
from tests.bench import policies, trained

HIM, RMA = plain("aliengo", "him", ships=True), plain("aliengo", "rma")


class Pretend:
    """Stands in for `launch`: training leaves a run folder, everything else only its words."""

    def __init__(self, out_of_time: Sequence[str] = (), broken: Sequence[str] = ()) -> None:
        self.words: list[list[str]] = []
        self.out_of_time, self.broken = list(out_of_time), list(broken)

    def __call__(self, words: Sequence[str], log: Path, clock: Clock) -> None:
        self.words.append(list(words))
        name = log.stem
        if name in self.broken:
            raise RuntimeError("him train ended with 1: out of memory")
        folder = Path(words[words.index("--out") + 1])
        if words[0] == "train" and not folder.exists():
            trained.run(folder, words[3])
        if name in self.out_of_time:
            self.out_of_time.remove(name)
            raise OutOfTimeError
        if words[0] == "train":
            policy(folder / "policy.onnx")

    def kinds(self) -> list[str]:
        return [words[0] if words[0] == "train" else words[1] for words in self.words]


def policy(path: Path) -> None:
    tensors = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [256]) for name in ("obs", "action")]
    weight = onnx.numpy_helper.from_array(np.ones(256, np.float32), "weight")
    node = onnx.helper.make_node("Mul", ["obs", "weight"], ["action"])
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "g", tensors[:1], tensors[1:], [weight])), path)


def campaign(folder: Path, pretend: Pretend, **more: object) -> tuple[Campaign, list[str]]:
    said: list[str] = []
    made = Campaign(
        folder / "runs",
        folder / "results",
        Clock(),
        launch=pretend,
        say=said.append,
        policies=folder / "policies",
        **more,
    )
    return made, said


def test_a_run_is_trained_kept_and_measured(tmp_path: Path) -> None:
    pretend = Pretend()
    made, _ = campaign(tmp_path, pretend, ship=True, tracking=("--trials", "8"))
    assert made.run([HIM, RMA])
    assert pretend.kinds() == ["train", "tracking", "train", "tracking"]
    kept = tmp_path / "results" / "aliengo-him-0"
    assert sorted(path.name for path in kept.iterdir()) == [PACKED, "policy.onnx", "run.json", "settings.json"]
    measured = ["bench", "tracking", str(kept / "policy.onnx"), "--out", str(tmp_path / "results" / "tracking")]
    assert pretend.words[1] == [*measured, "--trials", "8"]
    (shipped,) = (tmp_path / "policies").iterdir()
    assert shipped.name == "aliengo.onnx"
    assert shipped.read_bytes() == (kept / "policy.onnx").read_bytes(), "what is measured is what ships"
    assert shipped.stat().st_size < 0.8 * (tmp_path / "runs" / "aliengo-him-0" / "policy.onnx").stat().st_size
    entry = json.loads((tmp_path / "results" / "campaign.json").read_text())["runs"]["aliengo-him-0"]
    assert entry["done"] == ["train", "keep", "tracking"]
    assert (entry["samples"], entry["seconds"]) == (200_000_000, 300.0)
    assert entry["command"].startswith("him train aliengo --method him")


def test_what_is_only_trained_is_measured_by_another_call(tmp_path: Path) -> None:
    pretend = Pretend()
    made, said = campaign(tmp_path, pretend, measure=False)
    assert not made.run([HIM, swept("prototypes-8", prototypes=8)])
    assert pretend.kinds() == ["train", "train"]
    assert "aliengo-him-0: keep" in said
    assert made.todo(HIM) == ["tracking"]
    later = Pretend()
    assert campaign(tmp_path, later)[0].run([HIM])
    assert later.kinds() == ["tracking"]


@pytest.mark.parametrize("mine", [True, False])
def test_a_fresh_clone_measures_the_policies_that_ship(tmp_path: Path, mine: bool) -> None:
    """Kept policies are not under version control: those in `policies/` stand for them, others are trained again."""
    campaign(tmp_path, Pretend(), measure=False)[0].run([HIM])
    kept = tmp_path / "results" / "aliengo-him-0" / "policy.onnx"
    kept.unlink()
    seed = HIM.seed if mine else HIM.seed + 1
    command = f"him train aliengo --method him --seed {seed} --samples {HIM.samples}"
    (tmp_path / "policies").mkdir()
    shipped = policies.untrained(tmp_path / "policies" / "aliengo.onnx", robot="aliengo", command=command)
    pretend = Pretend()
    clone, _ = campaign(tmp_path, pretend)
    assert clone.todo(HIM) == (["tracking"] if mine else ["train", "keep", "tracking"])
    assert clone.run([HIM])
    assert pretend.kinds() == ["tracking"], "its run folder is still there, so nothing is trained in either case"
    assert (kept.read_bytes() == shipped.read_bytes()) == mine


def test_what_is_done_is_skipped_also_by_another_process(tmp_path: Path) -> None:
    campaign(tmp_path, Pretend())[0].run([HIM])
    pretend = Pretend()
    again, _ = campaign(tmp_path, pretend)
    assert again.todo(HIM) == []
    assert again.run([HIM])
    assert pretend.words == []


def test_an_interrupted_run_goes_on_the_next_time(tmp_path: Path) -> None:
    pretend = Pretend(out_of_time=["aliengo-him-0"])
    made, said = campaign(tmp_path, pretend)
    assert not made.run([HIM])
    assert said[-1] == "aliengo-him-0: no time for train; call again to go on"
    assert made.run([HIM])
    assert [words[-1] == "--resume" for words in pretend.words] == [False, True, False]


def test_a_broken_run_is_told_and_stops_nobody_else(tmp_path: Path) -> None:
    made, said = campaign(tmp_path, Pretend(broken=["aliengo-him-0"]))
    assert not made.run([HIM, RMA])
    assert "aliengo-him-0: train failed: him train ended with 1: out of memory" in said
    assert made.todo(HIM) == ["train", "keep", "tracking"]
    assert made.todo(RMA) == []


def test_runs_side_by_side_all_end_up_in_the_list(tmp_path: Path) -> None:
    jobs = [plain("aliengo", "him", seed) for seed in range(6)]
    pretend, meeting = Pretend(), threading.Barrier(3)

    def met(words: Sequence[str], log: Path, clock: Clock) -> None:
        meeting.wait(20)
        pretend(words, log, clock)

    made, _ = campaign(tmp_path, pretend, parallel=3)
    made.launch = met
    assert made.run(jobs)
    written = json.loads((tmp_path / "results" / "campaign.json").read_text())["runs"]
    assert {name: entry["done"] for name, entry in written.items()} == {
        job.name: ["train", "keep", "tracking"] for job in jobs
    }


def test_a_policy_that_was_chosen_is_not_replaced(tmp_path: Path) -> None:
    chosen = tmp_path / "policies" / "aliengo.onnx"
    chosen.parent.mkdir()
    chosen.write_bytes(b"chosen")
    made, said = campaign(tmp_path, Pretend(), ship=True)
    assert made.run([HIM])
    assert chosen.read_bytes() == b"chosen"
    assert any("is another policy and stays" in text for text in said)


def test_what_a_training_takes_is_known_from_those_with_as_much_company(tmp_path: Path) -> None:
    made, _ = campaign(tmp_path, Pretend(), parallel=4)
    assert made.expected(HIM) == pytest.approx(START_UP + 200e6 / 250e3)
    assert made.expected(RMA) == pytest.approx(START_UP + 280e6 / 250e3), "both phases"
    made.list["runs"] = {
        "a": {"samples": 100, "seconds": 0.001, "parallel": 4},
        "b": {"samples": 100, "seconds": 9.0, "parallel": 1},
    }
    assert made.expected(HIM) == pytest.approx(START_UP + 2000.0)


def test_a_swept_run_whose_folder_is_gone_begins_anew(tmp_path: Path) -> None:
    made, _ = campaign(tmp_path, Pretend())
    job = swept("prototypes-8", prototypes=8)
    made.list["runs"][job.name] = {"done": ["train", "keep", "tracking"]}
    assert made.todo(job) == ["train", "keep", "tracking", "contrastive"]
    assert made.run([job])
    assert made.todo(job) == []
    assert made.list["runs"][job.name]["done"] == ["train", "keep", "tracking", "contrastive"]


def test_a_swept_run_is_measured_apart_and_its_loss_looked_at(tmp_path: Path) -> None:
    pretend = Pretend()
    made, _ = campaign(tmp_path, pretend)
    job = swept("prototypes-8", prototypes=8)
    assert made.run([job])
    assert pretend.kinds() == ["train", "tracking", "contrastive"]
    assert pretend.words[1][-1] == str(tmp_path / "results" / "sweeps")
    assert pretend.words[2][2] == str(tmp_path / "runs" / job.name)


@pytest.mark.parametrize(("left", "begun"), [(450.0, False), (500.0, True)])
def test_a_whole_run_begins_only_if_it_fits(tmp_path: Path, left: float, begun: bool) -> None:
    """A finished run of 200 M samples took 300 s, RMA has 280 M, and a minute goes by before the first of them."""
    campaign(tmp_path, Pretend())[0].run([HIM])
    pretend = Pretend()
    made, _ = campaign(tmp_path, pretend, whole=True)
    made.clock = Clock(left)
    assert made.run([RMA]) == begun
    assert bool(pretend.words) == begun


def test_ending_the_campaign_ends_what_it_runs(tmp_path: Path) -> None:
    def interrupted(words: Sequence[str], log: Path, clock: Clock) -> None:
        raise KeyboardInterrupt

    made = Campaign(tmp_path / "runs", tmp_path / "results", Clock(), launch=interrupted, say=lambda text: None)
    with pytest.raises(KeyboardInterrupt):
        made.run([HIM])
    assert made.clock.left <= 0


def test_stages_end_with_a_report(tmp_path: Path) -> None:
    for number in (1, 2, 3, 4):
        jobs: list[Job] = stage(number)
        after = conclusions(number, jobs, tmp_path)
        assert after[-1][:2] == ["bench", "report"]
        latents = [words for words in after if words[1] == "latent"]
        assert bool(latents) == (number in (1, 3))
        for words in latents:
            assert {Path(word).parent.name for word in words if word.endswith(".onnx")} <= {job.name for job in jobs}
