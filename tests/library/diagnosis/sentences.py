"""Holding a verdict against its session: every number in it is worked out again, from the windows at their turns."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from inspector.core.conversation import Message
from inspector.core.text import cells, percent, wrapped
from inspector.engine.window import Window, at_turn
from inspector.library import Workbench
from inspector.library.diagnosis import Findings, Verdict

_NUMBER = r"≈?([\d,]+)"


class Checker:
    """Checks verdicts on one agent's context; its windows are built anew, turn by turn."""

    def __init__(self, bench: Workbench, agent: str, findings: Findings | None = None) -> None:
        self.session, self.agent, self.findings = bench.session, agent, findings
        last = len(bench.session.turns(agent)) + 1
        self.windows = [
            at_turn(bench.session, bench.sizes, turn, agent, limit=bench.limit) for turn in range(1, last + 1)
        ]

    @property
    def now(self) -> Window:
        return self.windows[-1]

    @property
    def compactions(self) -> list[int]:
        """The turns whose window lacks something of the one before, and has a summary that came since."""
        replies = self.session.turns(self.agent)
        places = {message.id: place for place, message in enumerate(self.session.messages)}
        turns = [1] if any(message.kind == "summary" for message in self.windows[0].messages) else []
        for turn, (before, window) in enumerate(pairwise(self.windows), 2):
            newest = max((places[one.id] for one in window.messages if one.kind == "summary"), default=-1)
            whole = (*before.ids, self.session.messages[replies[turn - 2]].id)
            if tuple(window.ids[: len(whole)]) != whole and newest > replies[turn - 2]:
                turns.append(turn)
        return turns

    def check(self, verdict: Verdict, turn: int = 0) -> None:
        """Every number of a verdict, and that it fits its room and names a key with a place to go to."""
        text = verdict.text
        assert len(wrapped(text, 78)) <= 2, text
        assert text == "".join(words for words, _ in verdict.spans)
        assert (verdict.key in [words for words, role in verdict.spans if role == "key"]) is bool(verdict.key)
        for line in (40, 78, 120):
            assert cells(verdict.within(line, 1).text) <= line or not any(c.rank == 0 for c in verdict.clauses)
        if verdict.target is not None and verdict.target.message:
            assert verdict.target.message in self.windows[verdict.target.turn - 1].ids
        rest = self._names(text)
        for pattern, judge in self._claims(turn):
            rest = re.sub(pattern, partial(self._hold, judge, text), rest)
        assert not re.search(r"\d", rest), f"nothing says whether {rest!r} of {text!r} is true"

    def _hold(self, judge: Callable[..., bool], text: str, match: re.Match[str]) -> str:
        words = [word.replace(",", "") if word else None for word in match.groups()]
        assert judge(*words), (match.group(), text)
        return ""

    def _names(self, text: str) -> str:
        """The sentence without the names of models and facts, which may hold any digit."""
        for need in self.findings.needs if self.findings else ():
            for fact in need.regret.needs:
                text = text.replace(fact.fact, "").replace(fact.fact.rstrip("/").rpartition("/")[2] or "/", "")
        text = re.sub(r"(lost|here): .*?(?=, lost at| · |$)", r"\1", text) if self.findings else text
        return text.replace(self.session.model, "") if self.session.model else text

    def _claims(self, turn: int) -> list[tuple[str, Callable[..., bool]]]:
        totals = [window.total for window in self.windows]
        limit, needs = self.now.limit, self.findings.needs if self.findings else ()
        over = [place for place, total in enumerate(totals, 1) if total > limit]
        here = turn if turn in self.compactions else self.compactions[-1] if self.compactions else 0
        counted = len([need for need in needs if turn != here or turn in need.lost_at])
        return [
            (
                rf"([\d,]+) tokens were reported, {_NUMBER} are shown",
                lambda reported, shown: self._differ(int(reported), int(shown)),
            ),
            (r"fell from ([\d,]+) to ([\d,]+) before turn ([\d,]+)", self._fell),
            (rf"compacted (?:here|after the last turn|at turn ([\d,]+)): {_NUMBER} → {_NUMBER}", self._is_change(here)),
            (
                rf"compacted ([\d,]+) times, last (?:after the last turn)(?:: {_NUMBER} → {_NUMBER})?",
                lambda times, *sizes: int(times) == len(self.compactions) and self._is_change(here)(None, *sizes),
            ),
            (
                rf"compacted ([\d,]+) times, last at turn ([\d,]+)(?:: {_NUMBER} → {_NUMBER})?",
                lambda times, last, *sizes: int(times) == len(self.compactions) and self._is_change(here)(last, *sizes),
            ),
            ("compacted before turn 1(?=[;,] | ·|$)", lambda: self.compactions == [1]),
            (r"compacted at turn ([\d,]+)", lambda at: [int(at)] == self.compactions),
            (", more than before", lambda: self._sizes(here)[1] > self._sizes(here)[0]),
            (r"([\d,]+) later (?:reply|replies)", lambda count: int(count) == counted),
            (r"since turn ([\d,]+)", lambda first: over == [*range(int(first), len(totals) + 1)]),
            (
                r"at ([\d,]+) turns?, first at turn ([\d,]+)",
                lambda count, first: (int(count), int(first)) == (len(over), over[0]),
            ),
            (
                rf"{_NUMBER} (?:of ([\d,]+)|at its peak)",
                lambda peak, of: int(peak) == max(totals) and of in (None, str(limit)),
            ),
            (r"too large for a window of ([\d,]+)", lambda most: int(most) == limit),
            (r"(<?\d+%) of the window then is unrecorded", self._is_unrecorded),
            (r"now (<?\d+%) full", lambda share: share == percent(self.now.total / limit)),
            (rf"now {_NUMBER} tokens?", lambda size: int(size) == self.now.total),
            (rf"takes? (<?\d+%)(?:, .*? alone {_NUMBER})?", self._is_share(self.now)),
            (
                r"(?:cleared from|dropped from) its window (?:once|([\d,]+) times, last) before turn ([\d,]+)",
                lambda times, last: self._lacks(int(times or 1), int(last)),
            ),
            (r"the file has ([\d,]+) problems?", lambda count: int(count) == len(self.session.problems)),
            (r"one of ([\d,]+) agents", lambda count: int(count) == len(self.session.agents)),
            (r"reply ([\d,]+)", lambda number: self._needs_here(turn, int(number))),
            (r", lost at turn ([\d,]+)", lambda at: int(at) in self.compactions),
            (r", lost at ([\d,]+) compactions", lambda count: 1 < int(count) <= len(self.compactions)),
        ]

    def _is_change(self, turn: int) -> Callable[..., bool]:
        def holds(at: str | None, before: str | None = None, after: str | None = None) -> bool:
            sizes = before is None or [int(before), int(after or 0)] == self._sizes(turn)
            return sizes and (at is None or int(at) == turn)

        return holds

    def _sizes(self, turn: int) -> list[int]:
        """The windows before and behind a turn: as they were reported, else as they were counted."""
        return [window.reported or window.total for window in self.windows[turn - 2 : turn]]

    def _differ(self, reported: int, shown: int) -> bool:
        """Whether these are the sizes of the last window that was reported, more than a tenth apart."""
        window = [window for window in self.windows if window.reported][-1]
        return (window.reported, window.total) == (reported, shown) and abs(shown - reported) > reported / 10

    def _fell(self, before: str, after: str, turn: str) -> bool:
        """Whether these were reported before and at a turn whose window lacks nothing of the one before."""
        last, window = self.windows[int(turn) - 2 : int(turn)]
        reports = [one.reported for one in self.windows[: int(turn) - 1] if one.reported]
        return (reports[-1], window.reported) == (int(before), int(after)) and set(last.ids) <= set(window.ids)

    def _is_unrecorded(self, share: str) -> bool:
        window = self.windows[self.compactions[-1] - 1]
        return share == percent(min(1, window.unrecorded / window.total))

    def _lacks(self, times: int, last: int) -> bool:
        """Whether the windows of at least so many turns lack messages of the one before, that of a turn among them."""
        pairs = enumerate(pairwise(self.windows), 2)
        turns = [turn for turn, (before, now) in pairs if now.ids[: len(before.ids)] != before.ids]
        return len(turns) >= times and last in turns

    def _is_share(self, window: Window) -> Callable[..., bool]:
        def holds(share: str, largest: str | None = None) -> bool:
            sums: dict[str, int] = {}
            for message, tokens in zip(window.messages, window.tokens, strict=True):
                sums[_kind(message)] = sums.get(_kind(message), 0) + tokens
            known = window.sizes.tools if window.unrecorded and not window.context.records_system else 0
            sums |= {"tools": known, "later": window.unrecorded_memory}
            sums["rest"] = window.total - sum(window.tokens) - known - window.unrecorded_memory
            return share == percent(max(sums.values()) / window.total) and (
                largest is None or int(largest) == max(window.tokens)
            )

        return holds

    def _needs_here(self, turn: int, number: int) -> bool:
        message = self.session.messages[number - 1]
        return message.id in self.windows[turn - 1].ids and number - 1 in self.session.turns(self.agent)


def _kind(message: Message) -> str:
    return message.kind if message.kind in ("summary", "injected") else message.role
