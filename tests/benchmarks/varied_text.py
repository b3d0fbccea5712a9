"""Seeded texts of a coding session with the variety of real ones: requests, prose, code, listings, logs and test runs.

A log of twenty words is kind to whatever remembers words or lines. Here, words are drawn from thousands with the
frequencies of a language, and paths, numbers, ids and lines of code mostly occur once or twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import accumulate

SYLLABLES = tuple(
    "ba co de fi gra hel in jo kel lo mi nor o pre qui res sta tru un ver wi xen yo zu al ber con dis en for ger"  # noqa: SIM905
    " ha im ju kin lan men ni or pa que ra sen ter ul va wor ex ty tion ment ing er ly able ous ist".split()
)
COMMON = tuple(
    "the a to of and in is it that for on with as this be are was not we you have from but can will which"  # noqa: SIM905
    " should must when then so if file test error value call line now first only after before because".split()
)
FOLDERS = ("src", "lib", "app", "core", "tests", "docs", "server", "client", "store", "api", "tools", "web")
ENDINGS = ("py", "ts", "go", "rs", "md", "json", "toml", "sql", "css", "yaml")
RULES = (
    "Never change {path} by hand.",
    "Do not run the migrations in {path}; ask me first.",
    "Always keep {name} below {number} ms.",
    "We decided to use {name} instead of {other}.",
    "The limit for {name} is {number}, not {count}.",
    "Please answer in short sentences.",
)


class VariedText:
    """Texts of one session. Equal seeds make equal texts."""

    def __init__(self, rng: random.Random, vocabulary: int = 6_000, files: int = 900) -> None:
        self._rng = rng
        rare = ("".join(rng.choices(SYLLABLES, k=rng.choice((2, 2, 3, 3, 4)))) for _ in range(vocabulary))
        self._words = [*COMMON, *dict.fromkeys(rare)]
        self._weights = list(accumulate(1 / (rank + 4) for rank in range(len(self._words))))
        self._paths = [self._new_path() for _ in range(files)]
        self._lines: tuple[Callable[[], str], ...] = (
            self._code_line,
            self._code_line,
            self._grep_line,
            self._log_line,
            self._test_line,
            self._listing_line,
            self._json_line,
        )

    def _new_path(self) -> str:
        folders = [self._rng.choice(FOLDERS), *self._rng.choices(self._words[60:400], k=self._rng.randint(0, 2))]
        return f"{'/'.join(folders)}/{self.name()}.{self._rng.choice(ENDINGS)}"

    def words(self, count: int) -> list[str]:
        """Return words with the frequencies of a language."""
        return self._rng.choices(self._words, cum_weights=self._weights, k=count)

    def name(self) -> str:
        """Return an identifier of two words."""
        return "_".join(self._rng.choices(self._words[40:], k=2))

    def path(self) -> str:
        """Return the path of a file of the project. Some files occur often."""
        return self._paths[min(int(self._rng.expovariate(1 / 120)), len(self._paths) - 1)]

    def prose(self, count: int) -> str:
        """Return sentences of about `count` words in all, with names, paths and numbers."""
        sentences = list[str]()
        while count > 0:
            size = self._rng.randint(5, 18)
            words = self.words(size)
            words[self._rng.randrange(size)] = self._rng.choice((self.path, self.name, self._number))()
            sentences.append(" ".join(words).capitalize() + ".")
            count -= size
        return " ".join(sentences)

    def request(self) -> str:
        """Return the message of a user: sometimes with a rule or a decision."""
        text = f"Please find out why {self.prose(20)}"
        if self._rng.random() < 0.5:
            rule = self._rng.choice(RULES)
            parts = {"path": self.path(), "name": self.name(), "other": self.name()}
            text += "\n" + rule.format(**parts, number=self._number(), count=self._rng.randint(2, 900))
        return text

    def output(self, words: int) -> str:
        """Return the output of a tool with about `words` words: a few kinds of lines at a time."""
        kinds = self._rng.sample(self._lines, k=2)
        return "\n".join(self._taken(kinds, words))

    def _taken(self, kinds: list[Callable[[], str]], words: int) -> Iterator[str]:
        while words > 0:
            line = self._rng.choice(kinds)()
            words -= line.count(" ") + 1
            yield line

    def _number(self) -> str:
        return f"{self._rng.lognormvariate(5, 3):.{self._rng.choice((0, 0, 1, 2))}f}"

    def _code_line(self) -> str:
        indent, name = "    " * self._rng.randint(0, 4), self.name()
        return f"{indent}{self._rng.choice(('return', 'def', 'if', 'for', 'self.'))} {name}({', '.join(self.words(3))})"

    def _grep_line(self) -> str:
        return f"{self.path()}:{self._rng.randint(1, 900)}: {' '.join(self.words(8))}"

    def _log_line(self) -> str:
        level = self._rng.choice(("INFO", "INFO", "DEBUG", "WARNING", "ERROR"))
        request = f"{self._rng.getrandbits(48):012x}"
        day, words = self._rng.randint(1, 30), " ".join(self.words(7))
        return f"2026-11-{day:02} {level} {request} {words} took {self._number()} ms"

    def _test_line(self) -> str:
        return f"{self.path()}::{self.name()} {self._rng.choice(('PASSED', 'PASSED', 'PASSED', 'FAILED'))}"

    def _listing_line(self) -> str:
        return f"-rw-r--r-- 1 dev dev {self._rng.randint(10, 90_000)} Nov {self._rng.randint(1, 30)} {self.path()}"

    def _json_line(self) -> str:
        return f'  "{self.name()}": {{"count": {self._number()}, "note": "{" ".join(self.words(4))}"}},'
