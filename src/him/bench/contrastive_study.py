"""The contrastive study: settings of the loss against its pull on the encoder, what the latent knows, and tracking."""

from pathlib import Path
from typing import Any

import numpy as np

from him.bench.latent import LABELS
from him.bench.markdown import grid
from him.bench.paper import ROWS
from him.bench.records import Record

METHOD = """# Does the contrastive loss teach?

Users of the authors' release report that its swapped-prediction loss never falls and can be removed. Both
losses of the internal model, the velocity's and the contrastive one, pull at the same hidden layers of the source
encoder. **Share** is the length of the contrastive gradient there, divided by the sum of both lengths, each with its
weight, on one rollout of the trained policy over all terrains: at fresh weights (start) and at the trained ones (end).
**Loss** is the contrastive loss at the end, between what it is when no prototype is preferred (1) and the least any
cosine could make it (0): with a high temperature the two lie close together, and a loss that hardly falls in numbers
may be all the way down. **Agreement** is how often the encoder of the history and that of the successor choose the same
prototype, **chosen** how many prototypes are in use (the exponential of the entropy of their shares). Probes read the
terrain (accuracy, chance 0.25) and level, friction and payload (R²) from the latent of held-out trajectories, as in
`him bench latent`. Tracking errors are means over the rows of `him bench tracking`."""


RELEARNED = """# Internal models taught anew

A trained policy walked over all terrains with the noise that training ends with, and every variant of the loss learned
from the same instants of it. **Share** is the length of the contrastive gradient at the hidden layers of the source
encoder, divided by the sum of both losses' lengths, each with its weight, at fresh weights (start) and at the taught
ones (end). **Loss** is the contrastive loss between what it is when no prototype is preferred (1) and the least any
cosine could make it (0). **Agreement** is how often both encoders choose the same prototype, **chosen** how many
prototypes are in use (the exponential of the entropy of their shares), **velocity loss** the mean squared error in
(m/s)² on robots that were put aside. Probes read the terrain (accuracy, chance 0.25) and level, friction and payload
(R²) from the latent of other walks, as in `him bench latent`. *Response*: the target encoder sees the successor frame
without its command, and the true velocity."""


def label(measured: dict[str, Any]) -> str:
    """A variant in a few signs: temperature, over prototypes, weight, number of prototypes and what the target sees."""
    parts = [f"τ {measured['temperature']:g}", measured["over_prototypes"], f"×{measured['contrastive_weight']:g}"]
    parts += [] if measured["prototypes"] == 16 else [f"K {measured['prototypes']}"]
    return ", ".join([*parts, "response"] if measured["target_input"] == "response" else parts)


def row(measured: dict[str, Any], records: Path | None) -> dict[str, Any]:
    """One variant with everything that is known of it."""
    span = measured["uniform"] - measured["floor"]
    path = records / f"{measured['run']}.json" if records else None
    tracking = errors(Record.read(path)) if path and path.exists() else {"linear_error": None, "angular_error": None}
    return {
        "run": measured["run"],
        "label": label(measured),
        "share_start": round(measured["start"]["share"], 4),
        "share_end": round(measured["end"]["share"], 4),
        "loss": round((measured["end"]["contrastive_loss"] - measured["floor"]) / span, 4),
        "agreement": round(measured["end"]["agreement"], 4),
        "chosen": round(measured["end"]["chosen"], 2),
        "velocity_loss": round(measured["end"]["velocity_loss"], 5),
        **{name: measured["probes"][name]["latent"]["score"] if measured["probes"] else None for name in LABELS},
        **tracking,
    }


def errors(record: Record) -> dict[str, float]:
    """Means over the table's rows of each error."""
    found = {}
    for error in ("linear", "angular"):
        rows = [record.groups(one.key) for one in ROWS if one.error == error]
        found[f"{error}_error"] = round(float(np.mean([np.mean(groups) for groups in rows if groups])), 4)
    return found


def study(measured: list[dict[str, Any]], records: Path | None = None) -> dict[str, Any]:
    """All variants, those with the largest share first; `records` are their tracking errors, where there are any."""
    rows = [row(one, records) for one in measured]
    return {"rows": sorted(rows, key=lambda one: -one["share_end"])}


def markdown(result: dict[str, Any], commands: list[str], about: str = METHOD) -> str:
    """The page, which begins with `about`; what was measured of nobody has no column."""
    head = {
        "label": "variant",
        "share_start": "share, start",
        "share_end": "share, end",
        "loss": "loss",
        "agreement": "agreement",
        "chosen": "chosen",
        "velocity_loss": "velocity loss",
        **{name: name for name in LABELS},
        "linear_error": "linear error, m/s",
        "angular_error": "angular error, rad/s",
    }
    known = [key for key in head if any(one[key] is not None for one in result["rows"])]
    body = [["" if one[key] is None else one[key] for key in known] for one in result["rows"]]
    table = grid([head[key] for key in known], body)
    shown = "\n".join(f"    {command}" for command in commands)
    return "\n\n".join([about, table, "## How it was made", shown]) + "\n"
