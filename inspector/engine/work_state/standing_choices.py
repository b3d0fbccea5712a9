"""Things that a project has chosen, which exclude others of their kind: "We're a pnpm shop", "Staging only"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern, said_in, word_set

_FAMILIES = tuple(
    word_set(names)
    for names in (
        "npm pnpm yarn bun",
        "pip pip3 uv poetry pipenv conda mamba pdm rye",
        "jest vitest mocha jasmine ava",
        "pytest nose nose2 unittest",
        "cypress playwright selenium puppeteer",
        "prettier biome dprint",
        "black ruff yapf autopep8",
        "pandas polars dask modin vaex",
        "httpx requests aiohttp urllib3",
        "axios got ky node-fetch superagent",
        "moment dayjs date-fns luxon",
        "docker podman nerdctl",
        "terraform tofu opentofu pulumi",
        "maven mvn gradle gradlew",
        "webpack vite rollup parcel esbuild",
        "psql mysql sqlite3 mongosh",
        "sqlalchemy peewee tortoise-orm pony",
        "prisma typeorm sequelize drizzle-orm knex mongoose",
        "redux zustand mobx jotai recoil",
        "tensorflow torch jax",
        "flask django fastapi bottle",
        "tokio async-std smol",
        "argparse click typer docopt",
    )
)
"""Programs and libraries of which a project uses one."""
_OTHER_NAMES = {"pytorch": "torch", "sqlite": "sqlite3", "postgres": "psql", "postgresql": "psql", "mongodb": "mongosh"}
_PLACES = {
    name: place
    for place, names in (
        ("production", "production prod live"),
        ("staging", "staging stage preprod"),
        ("development", "development dev"),
    )
    for name in names.split()
}
"""Names of the environments that a program is deployed to."""
_ORDINARY = word_set("got requests click black nose pony parcel bottle flask moment ky ava rye")
"""Names that are ordinary words, which say nothing of a choice."""
CHOSEN_NAMES = frozenset[str]().union(*_FAMILIES, _OTHER_NAMES) - _ORDINARY
_FIRST_WORDS = frozenset(name.partition("-")[0] for name in CHOSEN_NAMES)
_NAMED = "|".join(re.escape(name) for name in sorted(sorted(CHOSEN_NAMES), key=len, reverse=True))
_EVERY_NAME = lazy_pattern(rf"(?i)(?<![\w-])(?:{_NAMED})(?![\w-])")
_NAME = rf"`?(?P<name>{_NAMED})`?(?![\w-])"
_END = (
    r"(?= ?(?:here|in (?:this|the|our|here)|everywhere|only|always|please|pls|plz|hier|aquí|ici|stp|bitte|(?:these"
    r"|nowa)days|now|throughout|for (?:everything|all|this|our|the|\w+ing)|as|since|because|and not|[,.;!，。(–—-]|$))"
)
_CHOSEN = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"(?i)(?<![\w-]){_NAME}[- ](?:only|repo|workspace|monorepo|project|shop|house|team|codebase)\b",
        r"(?i)\b(?:only|exclusively|solely|nur|solo|uniquement|apenas|always|must(?: be)?|standardi[sz]e[ds]? on"
        rf"|settled on|(?:everything|all \w{{3,20}})(?: here| in (?:here|this \w{{2,12}}))? (?:goes|go"
        rf"|runs?) (?:through|via)|stick(?:ing)? (?:to|with)|committed to|(?:is|are|be|gets?) \w{{3,12}}ed (?:with|by"
        rf"|through|via|in|using)) (?:(?:use|with|using|run|via|through|in|on) )*{_NAME}(?! \w+ing\b)",
        rf"(?i)\b(?:we|i|team|project|repo)(?:[’']re| are|[’']m| am| is|[’']s) (?:all )?(?:on|using|an?) {_NAME}{_END}",
        r"(?i)\b(?:we|our \w+|the team) (?:\w+ly )?(?:manage|handle|do|run|build|install|lock|format|test|lint|bundle"
        rf"|pin)s? (?:[\w']+ ){{1,4}}(?:with|through|via|using|in) {_NAME}{_END}",
        r"(?i)^(?:(?:please|pls|plz|bitte|and|but|note|we|always|this (?:repo|project)|(?:the|our) (?:team|project"
        rf"|repo)|here)[:,]? ){{0,3}}(?:we )?(?:only )?(?:use|uses|run|runs on|nimm|benutze|verwende|usa|utilise[rsz]?"
        rf"|使用|用) ?{_NAME}{_END}",
        rf"(?i)(?<![\w-]){_NAME} (?:is (?:what we (?:use|run)|(?:the|our) (?:standard|choice|tool)|mandatory|a must)"
        r"|only|exclusively|for everything)\b",
    )
)
"""Ways to say that a project uses a program or library."""
_CHOICES = word_set(
    "only repo workspace monorepo project shop house team codebase exclusively solely nur solo uniquement apenas always"
    " must standardise standardised standardises standardize standardized standardizes settled go goes run runs stick"
    " sticking committed is are be get gets we our i use uses nimm benutze verwende usa utilise utiliser utilisez"
    " everything"
)
"""Words, one of which every statement of a choice contains next to a name."""
_PLACE = "|".join(sorted(_PLACES, key=len, reverse=True))
_ONLY_PLACE = lazy_pattern(
    r"(?i)\b(?:only|solely|exclusively|just|nur|nothing but) (?:(?:to|on|in|against|touch|use|deploy|work|the"
    rf"|auf) ){{0,4}}({_PLACE})\b(?![-./])|(?<![-./\w])({_PLACE})(?: (?:environment|env|cluster|server))? only\b"
)
"""An environment to which a rule confines the work."""
_CLAUSES = lazy_pattern(r"[;:!?()]\s?|\.\s|,\s|\s[-–—]+\s|\s(?:but|because|since|so|aber|weil|pero|mais)\s|[，；。！]")
_OPEN = lazy_pattern(
    r"(?i)\b(?:if|when|whether|would|could|should we|why|compare|benchmark|from|migrate|switch|move|port|try|not|don't"
    r"|never|no longer|used to|happens?|fails?|broken|error|bug)\b|\?"
)
"""Words of a clause that states no choice: a condition, a comparison, a migration, a report."""


def _peers(name: str) -> frozenset[str]:
    """Return the other programs of which a project uses one instead of a program."""
    name = _OTHER_NAMES.get(name, name)
    same = frozenset(("pip", "pip3")) if name in ("pip", "pip3") else frozenset((name,))
    return frozenset().union(*(family for family in _FAMILIES if name in family)) - same


def _may_choose(said: frozenset[str]) -> bool:
    """Return True if a sentence with some words can state that a project uses a program."""
    return not (_FIRST_WORDS.isdisjoint(said) or _CHOICES.isdisjoint(said))


@lru_cache(maxsize=4_096)
def programs_excluded(rule: str) -> frozenset[str]:
    """Return the programs and libraries that a rule excludes because the project uses another one of their kind."""
    if not _may_choose(said_in(rule)) and rule.isascii():
        return frozenset()
    clauses = [clause for clause in _CLAUSES.split(rule) if clause]
    return frozenset().union(*map(_excluded_in, clauses))


def _excluded_in(clause: str) -> frozenset[str]:
    for pattern in _CHOSEN:
        match = pattern.search(clause)
        if match and not _OPEN.search(clause[: match.start("name")]):
            chosen = {name.lower() for name in _EVERY_NAME.findall(clause)}
            return _peers(match["name"].lower()) - chosen
    return frozenset()


@lru_cache(maxsize=4_096)
def environments_excluded(rule: str) -> Sequence[str]:
    """Return production if a rule confines the work to another environment: "Staging only!"."""
    if said_in(rule).isdisjoint(_PLACES):
        return ()
    matches = (match for clause in _CLAUSES.split(f"{rule} ") if (match := _ONLY_PLACE.search(f"{clause} ".rstrip())))
    allowed = {_PLACES[(match[1] or match[2]).lower()] for match in matches}
    return ("production",) if allowed and "production" not in allowed else ()
