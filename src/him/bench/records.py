"""What was measured of one policy, in a file written block by block: what was interrupted goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from him.bench.player import Player
from him.bench.tracking import RANGES, Block, TrackingSettings, lay, measure
from him.bench.trial import VERSION
from him.errors import HimError
from him.fields import build


@dataclass(frozen=True)
class Subject:
    """The policy that was measured."""

    name: str
    robot: str
    method: str
    column: str
    """Policies of one column differ in their seeds alone."""
    seed: int
    samples: int
    command: str
    """The line that trained it."""
    commit: str
    digest: str
    """SHA-256 of the file."""

    @classmethod
    def of(cls, player: Player) -> Subject:
        said, path = player.contract, player.path
        name = path.parent.name if path.stem == "policy" else path.stem
        inner = name.removeprefix(f"{said.robot}-").removesuffix(f"-{said.seed}")
        return cls(
            name=name,
            robot=said.robot,
            method=said.method,
            column=inner if inner != name else said.method,
            seed=said.seed,
            samples=said.samples,
            command=said.command,
            commit=said.commit,
            digest=hashlib.sha256(path.read_bytes()).hexdigest(),
        )


@dataclass
class Record:
    """One file."""

    path: Path
    subject: Subject
    settings: TrackingSettings
    blocks: dict[str, Block]

    @classmethod
    def open(cls, folder: Path, subject: Subject, settings: TrackingSettings) -> Record:
        """What is there of this policy under these settings; what was measured of another file or otherwise is not."""
        path = folder / f"{subject.name}.json"
        if path.exists():
            found = cls.read(path)
            if (found.subject.digest, found.settings) == (subject.digest, settings):
                return cls(path, subject, settings, found.blocks)
        return cls(path, subject, settings, {})

    @classmethod
    def read(cls, path: Path) -> Record:
        try:
            data = json.loads(path.read_text())
            subject, settings = build(Subject, data["policy"]), build(TrackingSettings, data["settings"])
            return cls(path, subject, settings, data["blocks"] if data.get("version") == VERSION else {})
        except (ValueError, KeyError, TypeError, HimError) as error:
            raise HimError(f"{path} is no record of tracking errors ({error}); move it away") from None

    def missing(self) -> list[tuple[str, int]]:
        """Range and number of the blocks that are still to be measured."""
        wanted = [(width, number) for width in RANGES for number in range(self.settings.blocks)]
        return [(width, number) for width, number in wanted if f"{width} {number}" not in self.blocks]

    def add(self, width: str, number: int, block: Block) -> None:
        self.blocks[f"{width} {number}"] = block
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(f"{self.path.name}.part")
        about = {"version": VERSION, "policy": asdict(self.subject), "settings": asdict(self.settings)}
        part.write_text(json.dumps(about | {"blocks": self.blocks}) + "\n")
        part.replace(self.path)

    def groups(self, row: str) -> list[float]:
        """Means of a row's groups of trials, in the same order for every policy."""
        parts = (self.blocks[name] for name in sorted(self.blocks))
        return [value for part in parts if row in part for value in part[row]["groups"]]


def complete(folder: Path) -> list[Record]:
    """All finished records of a folder."""
    found = (Record.read(path) for path in sorted(folder.glob("*.json")))
    return [record for record in found if not record.missing()]


def fill(pairs: Sequence[tuple[Player, Record]], device: str | None = None) -> Iterator[Record]:
    """Measure what is missing, and say after each block whose it was. Policies of one robot share their ground."""
    for robot in dict.fromkeys(record.subject.robot for _, record in pairs):
        mine = [pair for pair in pairs if pair[1].subject.robot == robot]
        for width in RANGES:
            work = [(*pair, number) for pair in mine for where, number in pair[1].missing() if where == width]
            if work:
                ground = lay(work[0][0].robot, width, work[0][1].settings, device)
            for player, record, number in work:
                record.add(width, number, measure(ground, player, width, number, record.settings))
                yield record
