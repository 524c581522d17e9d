"""`him bench report`: everything measured, on one page."""

from pathlib import Path

from him.bench import html, report, runs
from him.cli.bench_ablation import run_ablation
from him.cli.bench_tracking import tables


def run_report(results: Path = Path("results"), robot: str = "aliengo") -> int:
    """Gather everything under results/ into report.md and report.html, and say which claims of the paper held here.

    Tables and curves are drawn anew from what was measured; nothing is measured.

    Args:
        results: folder of the results.
        robot: whose figures the claims are judged by.
    """
    if any((results / "tracking" / "policies").glob("*.json")):
        tables(results / "tracking", quiet=True)
    for name in sorted({run.robot for run in map(runs.read, runs.find(results))}):
        run_ablation((), runs=results, robot=name, out=results / "ablation")
    text = report.markdown(results, robot)
    (results / "report.md").write_text(text)
    (results / "report.html").write_text(html.page(text, results, "Results"))
    print(f"wrote {results / 'report.md'} and {results / 'report.html'}")
    return 0
