"""`him bench campaign`: trains and measures everything the report needs, stage by stage."""

import signal
from pathlib import Path
from typing import Annotated, Literal

import tyro

from him.bench.campaign import Campaign, conclusions
from him.bench.jobs import Job, stage
from him.bench.launch import Clock, OutOfTimeError

Options = Annotated[tuple[str, ...], tyro.conf.UseAppendAction]


def run_campaign(
    number: Annotated[Literal[1, 2, 3, 4], tyro.conf.arg(name="stage")] = 1,
    dry_run: bool = False,
    seconds: float | None = None,
    whole: bool = False,
    parallel: int = 1,
    measure: bool = True,
    runs: Path = Path("runs"),
    results: Path = Path("results"),
    ship: bool = False,
    only: tuple[str, ...] = (),
    train: Options = (),
    tracking: Options = (),
) -> int:
    """Train, export, keep and measure the runs of a stage; what is done is skipped, what was interrupted goes on.

    Stage 1: one seed of every method on Aliengo. 2: further seeds of him, regression, rma and baseline. 3: A1.
    4: number of prototypes and the contrastive loss, at 100 M samples. Each ends with a report.

    Args:
        number: which of them.
        dry_run: only say what would be done.
        seconds: end in good time before so many seconds have passed; the next call goes on.
        whole: begin a training only if it is expected to end in that time, for machines that forget their disks.
        parallel: runs at once on the same device.
        measure: whether to measure what is trained; --no-measure leaves that for another call, or another machine.
        runs: folder of the run folders.
        results: folder of what is kept.
        ship: copy the policies that come with the project to policies/, where there is none of that name.
        only: names of runs to do; others of the stage are left for later.
        train: a further option of every training, as in --train=--log-every=50; may be repeated.
        tracking: a further option of every tracking table; may be repeated.
    """
    jobs = [job for job in stage(number) if not only or job.name in only]
    campaign = Campaign(
        runs, results, Clock(seconds), train, tracking, ship=ship, whole=whole, parallel=parallel, measure=measure
    )
    after = conclusions(number, jobs, results)
    if dry_run:
        _tell(campaign, jobs, after)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    finished = campaign.run(jobs)
    try:
        for words in after if finished and not only else after[-1:]:
            print(f"him {' '.join(words)}")
            campaign.launch(words, runs / f"stage-{number}.log", campaign.clock)
    except OutOfTimeError:
        print("no time left for what concludes the stage; call again to go on")
        return 1
    print(
        f"stage {number} is done" if finished and not only else f"stage {number} is not done yet: call again to go on"
    )
    return 0 if finished else 1


def _tell(campaign: Campaign, jobs: list[Job], after: list[list[str]]) -> None:
    for job in jobs:
        todo = campaign.todo(job)
        print(f"{job.name}: {', '.join(todo) or 'done'}")
        if "train" in todo:
            print(f"    him {' '.join(job.train(campaign.runs / job.name, campaign.train))}")
    print("\n".join(f"then: him {' '.join(words)}" for words in after))
