"""What `inspector restore` gives back of the facts that recorded compactions dropped, by class and budget.

python -m tests.benchmarks.give_back [FOLDER…] [--half tune|apart|all] [--apart NAME…] [--json] [--misses CLASS]

The repositories of the sessions, by the names of their folders, are in two halves: one to tune on, and one apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspector.analysis.context_loss import restore
from inspector.analysis.experiments.intervals import mean_interval
from inspector.core.conversation import Session
from inspector.engine.work_state import Transition, WorkHistory
from inspector.formats import UnreadableError, current_folders, find, load
from inspector.llm.providers import is_sealed_summary
from inspector.llm.tokens import counter_for
from tests.benchmarks.give_back_facts import (
    CLASSES,
    Stated,
    command_of,
    core_words,
    core_words_of_line,
    facts_before,
    identifiers_used,
    is_missing,
    plain,
)

BUDGETS = (600, 1_200, 2_400, 6_000)
_SHORT_NAME = 6
"""Characters of a file's name up to which its folder must be named too."""


@dataclass
class Row:
    """Facts of one class in one compaction."""

    stated: int = 0
    kept: int = 0
    lost: int = 0
    needed: int = 0
    back: Counter[int] = field(default_factory=Counter)
    """Lost facts that the text gives back, by budget."""
    needed_back: Counter[int] = field(default_factory=Counter)


@dataclass
class Case:
    """One compaction."""

    session: str
    repository: str
    turn: int
    rows: dict[str, Row]
    tokens: dict[int, int] = field(default_factory=dict)
    noise: dict[int, int] = field(default_factory=dict)
    """Tokens of lines that state no lost fact, by budget."""
    missed: list[Stated] = field(default_factory=list)
    noisy: list[tuple[str, int, str]] = field(default_factory=list)


def repository_of(path: Path) -> str:
    """Return the innermost folder that names a repository (`owner+name`), or else the folder of the file."""
    return next((part for part in reversed(path.parts[:-1]) if "+" in part), path.parent.name)


def is_apart(repository: str, names: Sequence[str]) -> bool:
    """Return True for the repositories named, or else for half of all, by their names."""
    if names:
        return any(name in repository for name in names)
    return hashlib.sha256(repository.encode()).digest()[0] % 2 == 1


def cases_in(folders: Sequence[Path], wanted: Callable[[str], bool]) -> Iterator[Case]:
    """Yield the compactions of the main agents of the sessions in some folders. A session counts once."""
    seen = set[tuple[str, int]]()
    for path in (path for folder in folders for path in find(folder)):
        repository = repository_of(path)
        if not wanted(repository):
            continue
        try:
            sessions = load(path)
        except UnreadableError:
            continue
        for session in sessions:
            if session.compactions and (session.id, len(session.messages)) not in seen:
                seen.add((session.id, len(session.messages)))
                for step in WorkHistory(session).transitions():
                    if step.replaced and not is_sealed_summary(step.summary):
                        yield _case(session, repository, step)


def _case(session: Session, repository: str, step: Transition) -> Case:
    context = plain("\n".join(message.text for message in (step.summary, *step.kept)))
    before = [one for one in step.replaced if one.kind != "summary"]
    stated = facts_before(before) + identifiers_used(before, context, step.after)
    later = _Later(step)
    case = Case(session.id, repository, step.turn, {cls: Row() for cls in CLASSES})
    lost = list[Stated]()
    lines = [
        line for line in "\n".join(m.text for m in (step.summary, *step.kept)).replace("`", "\n").split("\n") if line
    ]
    there = _Text(context, lines)
    for fact in stated:
        row = case.rows[fact.cls]
        row.stated += 1
        if fact.cls != "identifier" and there.states(fact):
            row.kept += 1
        else:
            row.lost += 1
            row.needed += later.needs(fact)
            lost.append(fact)
    for budget in BUDGETS:
        _give_back(session, case, step, lost, later, budget)
    return case


def _give_back(
    session: Session, case: Case, step: Transition, lost: Sequence[Stated], later: _Later, budget: int
) -> None:
    answer = restore(session, turn=step.turn, tokens=budget)
    lines = answer.text.split("\n") if answer else []
    text = _Text(plain("\n".join(lines)), [part for line in lines for part in line.split("`")])
    count = counter_for(session.model).count
    case.tokens[budget] = answer.tokens if answer else 0
    for fact in lost:
        row = case.rows[fact.cls]
        if text.states(fact):
            row.back[budget] += 1
            row.needed_back[budget] += later.needs(fact)
        elif budget == 2_400:
            case.missed.append(fact)
    section = ""
    for line in lines[1:]:
        if not line.startswith("- "):
            section = line.rstrip(":") or section
            continue
        one = _Text(plain(line), line.split("`"))
        if not section.startswith("State") and not any(one.states(fact) for fact in lost):
            case.noise[budget] = case.noise.get(budget, 0) + count(line)
            if budget == 2_400:
                case.noisy.append((section, count(line), line))


class _Text:
    """A text in which facts are looked for."""

    def __init__(self, whole: str, lines: Sequence[str]) -> None:
        self.whole = whole
        self.lines = [words for line in lines if (words := core_words_of_line(line))]
        self.sets = [set(words) for words in self.lines]

    def states(self, fact: Stated) -> bool:
        if fact.cls == "identifier":
            return not is_missing(fact.text, self.whole)
        if not fact.words:
            head = fact.text[:80] if fact.cls in ("decision", "constraint", "task") else fact.text
            return head in self.whole or (fact.cls.endswith(("file", "read")) and self._names_file(fact.text))
        return any(
            _in_order(fact.words, line) == len(fact.words)
            for line, words in zip(self.lines, self.sets, strict=True)
            if fact.words[0] in words
        )

    def _names_file(self, ending: str) -> bool:
        """Return True if the text has the name of a file that says enough without its folder."""
        name = ending.rpartition("/")[2]
        return len(name) > _SHORT_NAME and name in self.whole


def _in_order(words: Sequence[str], line: Sequence[str]) -> int:
    """Return how many words occur in a line in their order."""
    place = count = 0
    for word in words:
        for at in range(place, len(line)):
            if line[at] == word or (len(word) > 3 and line[at].startswith(word[:12])):
                place, count = at + 1, count + 1
                break
    return count


class _Later:
    """What the replies after a compaction do again."""

    def __init__(self, step: Transition) -> None:
        self.commands = set[tuple[str, ...]]()
        texts = list[str]()
        for message in step.after:
            if message.role == "assistant":
                texts.append(message.text)
                for part in message.parts if message.calls else ():
                    arguments = getattr(part, "arguments", "")
                    texts.append(arguments)
                    try:
                        value = json.loads(arguments) if arguments else {}
                    except ValueError:
                        continue
                    if isinstance(value, dict) and (command := command_of(getattr(part, "name", ""), value)):
                        self.commands.add(core_words(command))
        self.text = plain("\n".join(texts))

    def needs(self, fact: Stated) -> bool:
        if fact.words:
            return fact.words in self.commands
        return fact.cls == "identifier" or fact.text[:60] in self.text


def share(good: int, count: int) -> str:
    return f"{good / count:.0%}" if count else "–"


def interval(cases: Sequence[Case], cls: str, budget: int) -> tuple[float, float]:
    """Return the 95 % interval of the share given back when whole compactions are drawn again."""
    rows = [(case.rows[cls].back[budget], case.rows[cls].lost) for case in cases]
    groups = [[1.0] * back + [0.0] * (lost - back) for back, lost in rows if lost]
    spread = mean_interval(groups) if groups else None
    return (spread.low, spread.high) if spread else (0.0, 0.0)


def totals(cases: Sequence[Case]) -> dict[str, object]:
    """Return the sums of all compactions, as in the JSON output."""
    result: dict[str, object] = {}
    for cls in CLASSES:
        rows = [case.rows[cls] for case in cases]
        lost, needed = sum(row.lost for row in rows), sum(row.needed for row in rows)
        back = {budget: sum(row.back[budget] for row in rows) for budget in BUDGETS}
        low, high = interval(cases, cls, 2_400)
        result[cls] = {
            "stated": sum(row.stated for row in rows),
            "kept": sum(row.kept for row in rows),
            "lost": lost,
            "needed": needed,
            "back": back,
            "needed_back": {budget: sum(row.needed_back[budget] for row in rows) for budget in BUDGETS},
            "interval_2400": [round(low, 3), round(high, 3)],
        }
    tokens = {budget: sum(case.tokens[budget] for case in cases) for budget in BUDGETS}
    noise = {budget: sum(case.noise.get(budget, 0) for case in cases) for budget in BUDGETS}
    return {"compactions": len(cases), "classes": result, "tokens": tokens, "noise_tokens": noise}


def table(cases: Sequence[Case], title: str) -> Iterator[str]:
    sums = totals(cases)
    repositories = len({case.repository for case in cases})
    yield f"{title}: {len(cases)} compactions, {len({c.session for c in cases})} sessions, {repositories} repositories"
    heads = "".join(f"{budget:>7,}" for budget in BUDGETS)
    yield f"{'class':<19}{'stated':>7}{'kept':>7}{'lost':>7}  given back at{heads[3:]}  95 % at 2,400  needed, back"
    classes = sums["classes"]
    assert isinstance(classes, dict)
    for cls, row in classes.items():
        back = "".join(f"{share(row['back'][budget], row['lost']):>7}" for budget in BUDGETS)
        low, high = row["interval_2400"]
        needed = f"{row['needed']:>6}{share(row['needed_back'][2_400], row['needed']):>6}"
        spread = f"{low:.0%} to {high:.0%}" if row["lost"] else "–"
        yield f"{cls:<19}{row['stated']:>7}{row['kept']:>7}{row['lost']:>7}{'':>10}{back}  {spread:>13}  {needed}"
    tokens, noise = sums["tokens"], sums["noise_tokens"]
    assert isinstance(tokens, dict)
    assert isinstance(noise, dict)
    noise_shares = "".join(f"{share(noise[budget], tokens[budget]):>7}" for budget in BUDGETS)
    yield f"{'noise':<50}{noise_shares}"
    sections = Counter[str]()
    for case in cases:
        for section, count, _ in case.noisy:
            sections[section.partition(",")[0]] += count
    parts = ", ".join(f"{name} {count:,}" for name, count in sections.most_common())
    yield f"  tokens of it at 2,400: {parts}"
    means = "".join(f"{tokens[budget] / max(1, len(cases)):>7,.0f}" for budget in BUDGETS)
    yield f"{'tokens of a text':<50}{means}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*", help="default: where agents on this machine keep sessions")
    parser.add_argument("--half", choices=("tune", "apart", "all"), default="all")
    parser.add_argument("--apart", action="append", default=[], metavar="NAME", help="part of a repository's name")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", metavar="CLASS", help="print the facts of a class not given back; or noise")
    options = parser.parse_args()
    halves = {"tune": [False], "apart": [True], "all": [False, True]}[options.half]
    by_half = defaultdict[bool, list[Case]](list)
    for case in cases_in(options.folders or own_folders(), lambda name: is_apart(name, options.apart) in halves):
        by_half[is_apart(case.repository, options.apart)].append(case)
    if options.misses:
        for case in by_half[False]:
            rows = (
                [row[2] for row in case.noisy]
                if options.misses == "noise"
                else [m.text for m in case.missed if m.cls == options.misses]
            )
            print(
                case.session, case.turn, case.tokens[2_400], *(f"\n    {' '.join(row.split())[:150]}" for row in rows)
            )
        return
    names = {False: "tuning", True: "apart"}
    if options.json:
        json.dump({names[half]: totals(by_half[half]) for half in halves}, sys.stdout, indent=2)
        return
    for half in halves:
        print("\n".join(table(by_half[half], names[half])))


def own_folders() -> list[Path]:
    """Return the folders in which agents on this machine keep their sessions."""
    return [folder for folder in current_folders() if folder.exists()]


if __name__ == "__main__":
    main()
