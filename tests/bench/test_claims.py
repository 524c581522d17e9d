"""Claims are judged by what was measured, and by nothing else."""

from pathlib import Path
from typing import Any

import pytest

from him.bench import claims, comparison
from him.bench.claims import CLAIMS, HARD, higher_score, judge, smaller_error
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
        ([1.0], [1.2], "held"),
    ],
)
def test_the_order_of_two_methods(tmp_path: Path, him: list[float], rma: list[float], verdict: str) -> None:
    """The worlds' intervals must exclude zero, and no seed may say otherwise."""
    evidence = Evidence(columns(tmp_path, him=him, rma=rma))
    finding = smaller_error("him", "rma", HARD)(evidence)
    assert finding.verdict == verdict
    assert "8 rows" in finding.why


def test_a_method_that_is_missing_is_named(tmp_path: Path) -> None:
    finding = smaller_error("him", "rma", HARD)(Evidence(columns(tmp_path, him=1.0)))
    assert (finding.verdict, finding.why) == ("not measured", "nothing was measured of RMA")


def test_shares_are_means_over_rows(tmp_path: Path) -> None:
    evidence = Evidence(columns(tmp_path, him=1.0, rma=1.3))
    share = claims.relative(evidence, "rma", "him")
    assert share.mean == pytest.approx(0.3, abs=0.02)
    assert 0 < share.interval < 0.1


def test_almost_everywhere_is_the_papers_nineteen_rows(tmp_path: Path) -> None:
    rivals = {"regression": 1.1, "rma": 1.5, "baseline": 1.6}
    assert claims.best_almost_everywhere(Evidence(columns(tmp_path, him=1.0, **rivals))).verdict == "not measured"
    first = claims.best_almost_everywhere(Evidence(columns(tmp_path, him=1.0, mob=3.0, **rivals)))
    assert first.verdict == "held"
    assert "24 of 24" in first.why
    second = claims.best_almost_everywhere(Evidence(columns(tmp_path, him=1.3, mob=3.0, **rivals)))
    assert second.verdict == "did not hold"


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


@pytest.mark.parametrize(("gap", "verdict"), [(0.05, "held"), (0.01, "open"), (-0.05, "did not hold")])
def test_curves_must_differ_by_more_than_seeds_do(gap: float, verdict: str) -> None:
    evidence = Evidence(methods=curves(him=(0.8, 0.01), regression=(0.8 - gap, 0.005)))
    assert higher_score("him", "regression")(evidence).verdict == verdict


def test_single_seeds_are_judged_by_the_spread_of_others() -> None:
    methods = curves(oracle=(0.9, None), rma=(0.89, None), him=(0.8, 0.02))
    assert higher_score("oracle", "rma")(Evidence(methods=methods)).verdict == "open"


def test_every_piece_must_count() -> None:
    worse = {name.replace("-", "_"): (0.7, None) for name in claims.PIECES}
    assert claims.every_piece_counts(Evidence(methods=curves(him=(0.8, 0.01), **worse))).verdict == "held"
    some = worse | {"no_latent_loss": (0.9, None)}
    assert claims.every_piece_counts(Evidence(methods=curves(him=(0.8, 0.01), **some))).verdict == "did not hold"
    close = worse | {"no_latent_loss": (0.79, None)}
    assert claims.every_piece_counts(Evidence(methods=curves(him=(0.8, 0.01), **close))).verdict == "open"


def test_who_is_closest_to_the_oracle() -> None:
    near = curves(oracle=(0.9, None), him=(0.85, 0.01), rma=(0.7, 0.01))
    assert claims.closest_to_oracle(Evidence(methods=near)).verdict == "held"
    far = curves(oracle=(0.9, None), him=(0.6, 0.01), rma=(0.7, 0.01))
    assert "RMA ends nearest" in claims.closest_to_oracle(Evidence(methods=far)).why


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
    def verdict(**ends: float) -> str:
        sweep = {name[1:]: {"linear_score": {"final": end}} for name, end in ends.items()}
        return claims.best_with_64_prototypes(Evidence(prototypes=sweep)).verdict

    assert verdict(p8=0.7, p64=0.8, p256=0.75) == "held"
    assert verdict(p8=0.9, p64=0.8, p256=0.75) == "did not hold"
    assert verdict(p8=0.9, p64=0.8) == "not measured"


@pytest.mark.parametrize(("without", "verdict"), [(1.0, "held"), (1.1, "did not hold")])
def test_whether_the_contrastive_loss_can_go(tmp_path: Path, without: float, verdict: str) -> None:
    evidence = Evidence(columns(tmp_path, him=1.0, no_latent_loss=without))
    assert claims.can_be_removed(evidence).verdict == verdict
