"""Claims are judged by what was measured, and by nothing else."""

from pathlib import Path
from typing import Any

import pytest

from him.bench import claims, comparison, ordering
from him.bench.claims import CLAIMS, HARD, judge, smaller_error
from him.bench.evidence import Evidence, gather
from him.bench.records import Record
from tests.bench.measured import record


def columns(folder: Path, **factors: float | list[float]) -> comparison.Columns:
    """Records of methods whose errors are these factors of the paper's, one a seed."""
    made: list[Record] = []
    for name, given in factors.items():
        each = given if isinstance(given, list) else [given]
        made += [record(folder, name.replace("_", "-"), factor, seed) for seed, factor in enumerate(each)]
    return comparison.columns(made)


def curves(**ends: tuple[float, float | None]) -> dict[str, Any]:
    """Methods by their final linear score and its deviation."""
    return {
        name.replace("_", "-"): {"linear_score": {"final": end, "final_deviation": spread}}
        for name, (end, spread) in ends.items()
    }


def test_nothing_measured_decides_nothing(tmp_path: Path) -> None:
    judged = judge(gather(tmp_path))
    assert len(judged) == len(CLAIMS)
    assert {finding.verdict for _, finding in judged} == {"not measured"}


@pytest.mark.parametrize(
    ("him", "rma", "verdict"),
    [
        ([1.0, 1.1], [1.5, 1.6], "held"),
        ([1.5, 1.6], [1.0, 1.1], "did not hold"),
        ([1.0, 1.7], [1.5, 1.6], "open"),
        ([1.0], [1.2], "open"),
        ([1.0, 1.02], [1.2], "held"),
        ([1.0, 1.3], [1.2], "open"),
        ([1.2], [1.0, 1.02], "did not hold"),
    ],
)
def test_the_order_of_two_methods(tmp_path: Path, him: list[float], rma: list[float], verdict: str) -> None:
    """The worlds' intervals must exclude zero, and no seed may say otherwise; one seed alone decides nothing."""
    evidence = Evidence(columns(tmp_path, him=him, rma=rma))
    finding = smaller_error("him", "rma", HARD)(evidence)
    assert finding.verdict == verdict
    assert "8 rows" in finding.why


def test_one_seed_each_is_said(tmp_path: Path) -> None:
    alone = smaller_error("him", "rma")(Evidence(columns(tmp_path, him=1.0, rma=1.5)))
    assert alone.verdict == "open"
    assert "no method has two seeds" in alone.why
    beside = smaller_error("him", "rma")(Evidence(columns(tmp_path, him=1.0, rma=1.5, baseline=[1.5, 1.6])))
    assert beside.verdict == "held"
    assert "seeds of one method deviate by up to" in beside.why
    wild = smaller_error("him", "rma")(Evidence(columns(tmp_path, him=1.0, rma=1.5, baseline=[1.0, 2.0])))
    assert wild.verdict == "open"


def test_the_chance_of_training_is_that_of_the_widest_seeds(tmp_path: Path) -> None:
    assert ordering.chance(Evidence(columns(tmp_path, him=1.0, rma=2.0))) is None
    found = ordering.chance(Evidence(columns(tmp_path, him=[1.0, 1.1], rma=[1.9, 2.1])))
    assert found == pytest.approx(2 * 0.1 / 2**0.5 / 1.05, abs=0.02)


def test_a_method_that_is_missing_is_named(tmp_path: Path) -> None:
    finding = smaller_error("him", "rma", HARD)(Evidence(columns(tmp_path, him=1.0)))
    assert (finding.verdict, finding.why) == ("not measured", "nothing was measured of RMA")


def test_shares_are_means_over_rows(tmp_path: Path) -> None:
    evidence = Evidence(columns(tmp_path, him=1.0, rma=1.3))
    share = ordering.relative(evidence, "rma", "him")
    assert share.mean == pytest.approx(0.3, abs=0.02)
    assert 0 < share.interval < 0.1


def test_almost_everywhere_is_the_papers_nineteen_rows(tmp_path: Path) -> None:
    rivals = {"regression": 1.1, "rma": 1.5, "baseline": 1.6}
    seeds = [1.0, 1.01]
    assert claims.best_almost_everywhere(Evidence(columns(tmp_path, him=seeds, **rivals))).verdict == "not measured"
    first = claims.best_almost_everywhere(Evidence(columns(tmp_path, him=seeds, mob=3.0, **rivals)))
    assert first.verdict == "held"
    assert "24 of 24" in first.why
    second = claims.best_almost_everywhere(Evidence(columns(tmp_path, him=[1.3, 1.31], mob=3.0, **rivals)))
    assert second.verdict == "did not hold"
    alone = claims.best_almost_everywhere(Evidence(columns(tmp_path / "one", him=1.3, mob=3.0, **rivals)))
    assert alone.verdict == "open"
    assert "no method has two seeds" in alone.why
    close = claims.best_almost_everywhere(Evidence(columns(tmp_path, him=[1.0, 1.4], mob=3.0, **rivals)))
    assert close.verdict == "open", "what is lost is lost by less than seeds differ"


def test_the_printed_figures_count_in_either_definition(tmp_path: Path) -> None:
    """The made-up half-second errors are 0.01, below every printed one."""
    evidence = Evidence(columns(tmp_path, him=1.3))
    assert claims.as_printed(evidence).verdict == "held"
    for one in evidence.columns["him"]:
        for block in one.blocks.values():
            for row in block.values():
                row["half_second"] = 9.0
    assert claims.as_printed(evidence).verdict == "did not hold"
    above = claims.rows_above(evidence)
    assert len(above) == 24
    assert {round(factor, 1) for _, _, _, factor in above} <= {1.2, 1.3, 1.4}


def test_every_piece_must_count(tmp_path: Path) -> None:
    def verdict(**without: float) -> str:
        pieces = {name.replace("-", "_"): 1.4 for name in claims.PIECES} | without
        return claims.every_piece_counts(Evidence(columns(tmp_path, him=[1.0, 1.02], **pieces))).verdict

    assert verdict() == "held"
    assert verdict(no_latent_loss=0.8) == "did not hold"
    assert verdict(no_latent_loss=1.03) == "open"


def test_who_is_closest_to_the_oracle(tmp_path: Path) -> None:
    def verdict(him: float, oracle: float) -> str:
        found = columns(tmp_path, him=[him, him + 0.05], oracle=oracle, rma=1.5)
        return claims.closest_to_oracle(Evidence(found)).verdict

    assert verdict(1.2, 0.8) == "held"
    assert verdict(0.7, 0.8) == "held", "to be ahead of the oracle is no fault"
    assert verdict(1.8, 0.8) == "did not hold"
    assert verdict(1.5, 0.8) == "open"


def test_latents_must_be_apart_in_both_figures() -> None:
    def latent(silhouette: float, accuracy: float) -> dict[str, Any]:
        score = {"score": accuracy, "low": accuracy - 0.02, "high": accuracy + 0.02}
        return {"silhouette": {"latent": silhouette}, "probes": {"terrain": {"latent": score}}}

    def verdict(him: tuple[float, float], other: tuple[float, float]) -> str:
        return claims.more_separable(Evidence(latents={"him": latent(*him), "regression": latent(*other)})).verdict

    assert verdict((0.2, 0.8), (0.1, 0.6)) == "held"
    assert verdict((0.2, 0.6), (0.1, 0.61)) == "open"
    assert verdict((0.0, 0.5), (0.1, 0.8)) == "did not hold"


def test_the_best_number_of_prototypes() -> None:
    def verdict(spread: float | None = 0.01, **ends: float) -> str:
        sweep = {name[1:]: {"linear_score": {"final": end}} for name, end in ends.items()}
        return claims.best_with_64_prototypes(Evidence(methods=curves(him=(0.8, spread)), prototypes=sweep)).verdict

    assert verdict(p8=0.7, p64=0.8, p256=0.75) == "held"
    assert verdict(p8=0.9, p64=0.8, p256=0.75) == "did not hold"
    assert verdict(p8=0.79, p64=0.8, p256=0.75) == "open"
    assert verdict(None, p8=0.7, p64=0.8, p256=0.75) == "open"
    assert verdict(p8=0.9, p64=0.8) == "not measured"


@pytest.mark.parametrize(
    ("him", "without", "verdict"),
    [([1.0, 1.01], 1.0, "held"), ([1.0, 1.01], 1.2, "did not hold"), ([1.0], 1.0, "open"), ([1.0], 1.2, "open")],
)
def test_whether_the_contrastive_loss_can_go(tmp_path: Path, him: list[float], without: float, verdict: str) -> None:
    evidence = Evidence(columns(tmp_path, him=him, no_latent_loss=without))
    assert claims.can_be_removed(evidence).verdict == verdict
