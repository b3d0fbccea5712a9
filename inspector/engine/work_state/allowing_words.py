"""Rules that allow something and thereby forbid the rest: "Stay in packages/ui", "Use pnpm here"."""

from __future__ import annotations

from functools import lru_cache

from inspector.core.text import lazy_pattern, word_set

_PLACE = r"`?((?:[\w.@-]+/)+[\w.@-]*|/(?:[\w.@-]+/?)+|[\w-]+\.\w{1,5})`?"
_SUFFIX = lazy_pattern(r"\.\w")
"""Part of every place that contains no slash."""
_ONLY = (
    r"only (?:ever )?(?:edit|change|touch|modify|write(?: to)?|work (?:in|on|inside|under))"
    r"|(?:edit|change|touch|modify|work) only|nur|ausschließlich|solo|sólo|solamente|únicamente|somente|apenas|alleen"
    r"|только|uniquement|seulement|exclusivement"
)
_STAY = (
    r"stay (?:in|inside|within)|bleib\w*(?: bitte)?(?: nur)? in|reste[rsz]?(?: bien)? dans|qu[ée]date en|fica em"
    r"|resta in|blijf in|(?:limit|restrict|confine) yourself to"
    r"|keep (?:all |your |the )*(?:changes|edits|work|yourself)"
    r" (?:in|inside|within|to)"
)
_CONFINED = lazy_pattern(
    rf"(?i)(?:\b(?:{_ONLY})(?: (?:files|code|dateien|archivos|fichiers|file))?"
    r"(?: (?:in|on|under|inside|within|en|dans|em|nel|nella|sous|unter|в))?"
    rf"|(?:^|[,;:] ?|\b(?:please|pls|bitte|and|und|but) )(?:{_STAY})|只(?:能)?(?:在|改|动|修改|编辑))"
    rf" ?(?:the )?{_PLACE}"
)
"""A rule that allows changes in one place: "Only touch src/ui", "Bleib in packages/ui"."""
_MORE_PLACES = lazy_pattern(rf"(?i)[ ,]{{0,3}}(?:and|or|und|oder|et|ou|y|o|e|&|和|,)(?: (?:in|the|to))? {_PLACE}")
_MORE_WORDS = lazy_pattern(r"(?i),? (?:and|or|und|oder|et|ou|y) \w")
_FAMILIES = tuple(word_set(words) for words in ("npm pnpm yarn bun", "pip pip3 uv poetry pipenv conda pdm"))
"""Programs of which a project uses one."""
_PROGRAM = "|".join(sorted((name for family in _FAMILIES for name in family), reverse=True))
_PREFERS = lazy_pattern(
    rf"(?i)\b({_PROGRAM})[- ](?:only|repo|workspace|monorepo|project)\b"
    r"|^(?:(?:please|pls|plz|bitte|and|but|note|we|always|this (?:repo|project)|here)[:,]? ){0,3}(?:we )?"
    rf"(?:only )?(?:(?:we|i)(?:[’']re| are|[’']m| am) (?:on|using)|use|uses|run|nimm|benutze|verwende|usa"
    rf"|utilise[rsz]?|使用|用) ?`?({_PROGRAM})`?"
    r"(?= ?(?:here|in (?:this|the|our|here)|everywhere|only|always|please|pls|plz|hier|aquí|ici|stp|bitte"
    r"|for (?:everything|all|this)|[,.;!，。(–—-]|$))"
)
"""A rule about the program that a project uses: "Use pnpm here"."""


@lru_cache(maxsize=4_096)
def places_allowed(rule: str) -> tuple[str, ...]:
    """Return the only places in which a rule allows changes; none if it allows another thing as well."""
    confined = _CONFINED.search(rule) if "/" in rule or _SUFFIX.search(rule) else None
    if confined is None:
        return ()
    places, end = [confined[1]], confined.end()
    while more := _MORE_PLACES.match(rule, end):
        places.append(more[1])
        end = more.end()
    return () if _MORE_WORDS.match(rule, end) else tuple(place.rstrip("/.") for place in places)


@lru_cache(maxsize=4_096)
def programs_excluded(rule: str) -> frozenset[str]:
    """Return the programs that a rule excludes because the project uses another one of their kind."""
    name = (match[1] or match[2]).lower() if (match := _PREFERS.search(rule)) else ""
    return next((family - {name} for family in _FAMILIES if name in family), frozenset())
