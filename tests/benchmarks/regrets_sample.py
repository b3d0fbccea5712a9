"""Draws regrets to be judged by a reader, shows each with what it takes to judge it, and adds the verdicts up.

    python -m tests.benchmarks.regrets_sample draw FOLDER… --seed 1 --without earlier.json > sheet.json
    python -m tests.benchmarks.regrets_sample show sheet.json FOLDER…
    python -m tests.benchmarks.regrets_sample count sheet.json

A sheet holds no text of a recording: hashes of files and facts, numbers of sessions and turns, and the verdicts.
`docs/numbers.md` says what a verdict goes by.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from inspector.analysis.replay import NONE, Rate, Replay
from inspector.analysis.replay.run import replay, window_at
from inspector.core.conversation import Message, Session
from inspector.engine.compression import PRESETS, RECORDED, Preset
from inspector.engine.facts import FactIndex, Regret
from inspector.formats import UnreadableError, find, load
from inspector.llm.models import price_of
from inspector.llm.tokens import Sizes
from inspector.llm.tokens.sizes import estimate_sizes

QUOTA = {"dialogue": 4, "request": 4, "coding": 56, "service": 84}
"""How many are drawn of each kind of recording at the most, in this order, until there are enough."""
ENOUGH = 84
FEWEST_TURNS = 8
MOST_OF_ONE = {"coding": 8}
"""Regrets that are drawn of one session at the most, where it is not two."""
SHARES = (0.2, 0.35, 0.6, 0.8)
"""Where thresholds stand between the first window of a session and its largest."""
STRATEGIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mask_observations", {"keep": 10}),
    ("trim_outputs", {"longest": 1_000}),
    ("sliding_window", {"keep_recent": 12}),
    ("sliding_window", {"keep_recent": 30, "ratio": 0.5}),
    ("token_window", {}),
    ("deletion", {"keep_recent": 20}),
    ("clear_tool_uses", {}),
    ("selective", {}),
    ("summarize_half", {}),
    ("importance", {}),
    ("fifo", {}),
    ("head_tail", {}),
    ("amortized", {}),
    ("auto", {}),
    ("mask_observations", {"keep": 4}),
)


@dataclass(frozen=True)
class Place:
    """A session of a file."""

    sha256: str
    number: int
    kind: str
    session: Session


def kind_of(session: Session) -> str:
    if session.format == "locomo":
        return "dialogue"
    if session.format == "claude-code":
        return "coding"
    return "service" if session.messages[0].role == "system" and len(session.messages) < 100 else "request"


def places(folders: Sequence[Path]) -> Iterator[Place]:
    """Every session that is long enough, once."""
    files = set[str]()
    for path in (path for folder in folders for path in find(folder)):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        try:
            sessions = [] if sha256 in files else load(path)
        except UnreadableError:
            continue
        files.add(sha256)
        for number, session in enumerate(sessions):
            if len(session.turns()) >= FEWEST_TURNS:
                yield Place(sha256, number, kind_of(session), session)


@dataclass(frozen=True)
class Material:
    """A session that is looked at."""

    place: Place
    sizes: Sizes
    index: FactIndex
    first: int
    peak: int

    @classmethod
    def of(cls, place: Place) -> Material:
        sizes = estimate_sizes(place.session)
        plain = replay(place.session, sizes, NONE, price_of(place.session.model))
        return cls(place, sizes, FactIndex(place.session), plain.frames[0].total, plain.peak)

    def policies(self) -> list[Preset]:
        own = [RECORDED] if self.place.session.compactions else []
        presets = [preset for preset in PRESETS.values() if preset.due(self.peak)]
        return [*own, *presets, *presets, *(self.preset(*row, share) for row in STRATEGIES for share in SHARES)]

    def preset(self, strategy: str, settings: dict[str, Any], share: float) -> Preset:
        threshold = round(self.first + share * (self.peak - self.first))
        return Preset(f"{strategy} {settings} {share}", max(threshold, 1), strategy=strategy, settings=settings)

    def replay(self, preset: Preset) -> Replay:
        session = self.place.session
        return replay(session, self.sizes, preset, price_of(session.model), facts=self.index)


def draw(folders: Sequence[Path], seed: int, earlier: Sequence[dict[str, Any]] = ()) -> Iterator[dict[str, Any]]:
    """The rows of a sheet: sessions in random order, some regrets of each, and none that an earlier sheet has.

    Sessions that no earlier sheet has come first.
    """
    turns = Counter((row["file"], row["session"], row["turn"]) for row in earlier)
    seen = {session[:2] for session in turns}
    chance = random.Random(seed)
    by_kind: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places(folders):
        by_kind[place.kind].append(place)
    count = 0
    for kind, quota in QUOTA.items():
        chance.shuffle(order := sorted(by_kind[kind], key=lambda place: (place.sha256, place.number)))
        order.sort(key=lambda place: (place.sha256, place.number) in seen)
        left = min(quota, ENOUGH - count)
        for place in order:
            known = {turn for file, number, turn in turns if (file, number) == (place.sha256, place.number)}
            rows = list(drawn_of(place, chance, min(MOST_OF_ONE.get(kind, 2), left), known))
            left, count = left - len(rows), count + len(rows)
            yield from rows
            if not left:
                break


def drawn_of(place: Place, chance: random.Random, most: int, known: Collection[int]) -> Iterator[dict[str, Any]]:
    """Some regrets of a session, of any policies; of one reply no more than one."""
    material = Material.of(place)
    found = [(preset, regret) for preset in material.policies() for regret in material.replay(preset).regrets]
    chance.shuffle(found)
    fresh = {regret.turn: (preset, regret) for preset, regret in found if regret.turn not in known}
    for preset, regret in list(fresh.values())[:most]:
        yield row_of(place, preset, regret)


def row_of(place: Place, preset: Preset, regret: Regret) -> dict[str, Any]:
    return {
        "file": place.sha256,
        "session": place.number,
        "kind": place.kind,
        "policy": preset.name,
        "threshold": preset.threshold,
        "turn": regret.turn,
        "needs": [
            [need.cls, hashlib.sha256(need.fact.encode()).hexdigest()[:16], need.lost_at] for need in regret.needs
        ],
        "verdict": "",
    }


# showing

_WORDS = re.compile(r"\w+")


def around(text: str, fact: str, room: int = 110, most: int = 3) -> Iterator[str]:
    """Where a fact, or its longest words, stand in a text."""
    words = sorted({word for word in _WORDS.findall(fact) if len(word) > 2}, key=len)[-3:] or _WORDS.findall(fact)
    pattern = re.compile(r"\W{0,4}".join(map(re.escape, _WORDS.findall(fact))), re.IGNORECASE)
    hits = [match.start() for match in pattern.finditer(text)]
    mark = "="
    if not hits and words:
        mark = "~"
        hits = [match.start() for match in re.finditer(re.escape(words[-1]), text, re.IGNORECASE)]
    for start in hits[:most]:
        piece = text[max(0, start - room) : start + len(fact) + room]
        yield f"{mark} …{piece!r}… ({len(hits)})"


def show(rows: Sequence[dict[str, Any]], folders: Sequence[Path]) -> Iterator[str]:
    by_name = {(place.sha256, place.number): place for place in places(folders)}

    @cache
    def material(sha256: str, number: int) -> Material:
        return Material.of(by_name[sha256, number])

    @cache
    def run(sha256: str, number: int, policy: str, threshold: int) -> Replay | None:
        it = material(sha256, number)
        rows = (each for each in it.policies() if (each.name, each.threshold) == (policy, threshold))
        preset = next(rows, None)
        return it.replay(preset) if preset else None

    for number, row in enumerate(rows):
        it = material(row["file"], row["session"])
        outcome = run(row["file"], row["session"], row["policy"], row["threshold"])
        regrets = outcome.regrets if outcome else ()
        regret = next((each for each in regrets if each.turn == row["turn"]), None)
        yield f"\n######## {number} {row['kind']} {row['file'][:6]}#{row['session']} turn {row['turn']} {row['policy']}"
        if outcome is None or regret is None:
            yield "(no regret any more)"
            continue
        yield from shown(it, outcome, regret)


def shown(it: Material, outcome: Replay, regret: Regret) -> Iterator[str]:
    session = it.place.session
    window = window_at(session, it.sizes, outcome, regret.turn).messages
    by_id = {message.id: message for message in session.messages}
    position = {message.id: place for place, message in enumerate(session.messages)}
    reply = by_id[regret.message]
    yield f"window of {len(window)} messages, reply at {position[reply.id]}"
    for message in window[-2:]:
        yield f"  before [{message.role} {message.kind}] {shorten(text_of(message), 350)}"
    yield f"  REPLY {shorten(text_of(reply), 600)}"
    for need in regret.needs[:4]:
        source = by_id[need.source]
        teller = f"{position[source.id]} [{source.role} {source.kind}]"
        yield f"* {need.cls}: {need.fact!r} lost at {need.lost_at}, told by {teller}"
        yield from (f"    told {piece}" for piece in around(text_of(source), need.fact, most=1))
        yield from (f"    said {piece}" for piece in around(text_of(reply), need.fact, 80, 1))
        count = 0
        for message in window:
            for piece in around(text_of(message), need.fact, 60, 1):
                count += 1
                if count <= 3:
                    yield f"    window[{position.get(message.id, 'new')} {message.role}] {piece}"
    if len(regret.needs) > 4:
        yield f"* and {len(regret.needs) - 4} more: {[(need.cls, need.fact) for need in regret.needs[4:20]]}"


def text_of(message: Message) -> str:
    return message.placeholder if message.placeholder is not None else message.text


def shorten(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room * 2 // 3]} […] {text[-room // 3 :]}"


def figures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The share of needs among the rows, in all and of each kind, with its interval; and what the others are."""
    for kind in ("", *sorted({row["kind"] for row in rows})):
        verdicts = [row["verdict"] for row in rows if kind in ("", row["kind"])]
        low, high = Rate(needs := verdicts.count("need"), len(verdicts)).interval
        share = needs / len(verdicts)
        yield f"{kind or 'all':<10}{needs:>4} of {len(verdicts):<4} {share:.2f}  {low:.2f} to {high:.2f}"
    yield from (f"{count:>14} {why}" for why, count in Counter(row["why"] for row in rows if row["why"]).most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("folders", type=Path, nargs="+")
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--without", type=Path, action="append", default=[], help="an earlier sheet")
    showing = commands.add_parser("show")
    showing.add_argument("sheet", type=Path)
    showing.add_argument("folders", type=Path, nargs="+")
    commands.add_parser("count").add_argument("sheet", type=Path)
    options = parser.parse_args()
    if options.command == "draw":
        earlier = [row for sheet in options.without for row in orjson.loads(sheet.read_bytes())]
        rows = list(draw(options.folders, options.seed, earlier))
        sys.stdout.buffer.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        print(Counter(row["kind"] for row in rows), file=sys.stderr)
    elif options.command == "count":
        print("\n".join(figures(orjson.loads(options.sheet.read_bytes()))))
    else:
        print("\n".join(show(orjson.loads(options.sheet.read_bytes()), options.folders)))


if __name__ == "__main__":
    main()
