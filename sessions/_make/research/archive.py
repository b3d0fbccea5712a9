"""The tools of the research session: a search over the pages, a database that really answers SQL, and a notebook."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence

from . import city
from .annexes import annex
from .dossiers import dossiers
from .guidelines import guidelines
from .page import Page, aligned
from .papers import papers
from .sheets import station_sheets
from .studies import studies
from .survey import returns

WORD = re.compile(r"[a-z0-9-]{2,}")
SCHEMA = """
create table streets(name text, district text, length_m int, width_m int, height_m int, canopy_pct int, albedo real,
  residents int, over65_pct int, gas_main text, gas_m real, tram int, parking int);
create table stations(id text, street text, instrument text, since text);
create table air(station text, at text, c real);
create table trees(tag text, street text, species text, planted int, girth_cm int, condition text);
create table calls(district text, day text, calls int);
"""


class Mean:
    """`avg` with one defined rounding, so that the answer does not depend on the version of SQLite."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def step(self, value: float | None) -> None:
        if value is not None:
            self.values.append(value)

    def finalize(self) -> float | None:
        return math.fsum(self.values) / len(self.values) if self.values else None


class Archive:
    """Everything that the session can look up."""

    def __init__(self) -> None:
        found = [
            *papers(),
            *guidelines(),
            *studies(),
            *station_sheets(),
            *dossiers(),
            *map(annex, city.streets()),
            *map(returns, city.streets()),
        ]
        self.pages = {page.url: page for page in found}
        self.words = {page.url: set(WORD.findall(f"{page.title} {page.text}".lower())) for page in found}
        self.notes = 0
        self.database = sqlite3.connect(":memory:")
        self.database.executescript(SCHEMA)
        self.database.create_aggregate("avg", 1, Mean)  # type: ignore[arg-type]
        self.database.create_function("round", 2, lambda value, digits: None if value is None else round(value, digits))
        self.fill()

    def fill(self) -> None:
        self.insert(
            "streets",
            [
                (
                    s.name,
                    s.district,
                    s.length,
                    s.width,
                    s.height,
                    s.canopy,
                    s.albedo,
                    s.residents,
                    s.old,
                    s.gas or None,
                    s.gas_from_kerb if s.gas else None,
                    int(s.tram),
                    s.parking,
                )
                for s in city.streets()
            ],
        )
        self.insert("stations", [(s.id, s.street, s.instrument, s.since.isoformat()) for s in city.stations()])
        self.insert("air", city.measurements())
        self.insert("trees", [(t.tag, t.street, t.species, t.planted, t.girth, t.condition) for t in city.trees()])
        self.insert("calls", city.calls())

    def insert(self, name: str, rows: Sequence[Sequence[object]]) -> None:
        marks = ", ".join("?" * len(rows[0]))
        self.database.executemany(f"insert into {name} values ({marks})", rows)

    def search(self, query: str, top: int = 6) -> str:
        """The pages that share most of the words of `query`; a word that stands on few pages counts more."""
        asked = set(WORD.findall(query.lower()))
        weight = {
            word: math.log(1 + len(self.pages) / (1 + sum(word in words for words in self.words.values())))
            for word in asked
        }

        def score(page: Page) -> float:
            title = set(WORD.findall(page.title.lower()))
            return math.fsum(weight[word] * (1 + 2 * (word in title)) for word in asked & self.words[page.url])

        ranked = sorted(self.pages.values(), key=lambda page: (-score(page), page.url))[:top]
        hits = [
            f"{place}. {page.title} ({page.date})\n   {page.url}\n   {page.snippet}"
            for place, page in enumerate(ranked, 1)
        ]
        return (
            f"{len(hits)} of {sum(score(page) > 0 for page in self.pages.values())} pages for: {query}\n\n"
            + "\n".join(hits)
        )

    def open_page(self, url: str) -> str:
        page = self.pages.get(url)
        return page.shown if page else f"Error 404: there is no page at {url}"

    def run_query(self, sql: str) -> str:
        try:
            cursor = self.database.execute(sql)
        except sqlite3.Error as problem:
            return f"Error: {problem}"
        rows = cursor.fetchall()
        lines = aligned([[column[0] for column in cursor.description], *rows])
        return "\n".join([line.rstrip() for line in lines] + [f"({len(rows)} rows)"])

    def note(self, title: str, text: str) -> str:
        self.notes += 1
        return f"Kept as N-{self.notes:02d}: {title} ({len(text)} characters)"
