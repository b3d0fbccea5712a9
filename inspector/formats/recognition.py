"""Recognition of a file's format by a sample of its content.

Formats are asked in the order of the confidence that their hints allow. Once one is recognized, those that can only be
less confident are neither asked nor imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Format, FormatMatch
from inspector.formats.format_entry import names_in
from inspector.formats.reading.content import Content, Sample, describe_sample
from inspector.formats.reading.source import UnreadableError
from inspector.formats.registry import FORMATS, format_entries

_COMMON = word_set(
    "blocks content conversations data history info kind message messages model part request response role session "
    "sessionId thread_id tools"
)
"""Fields that many formats have, and that therefore say nothing about the nearest one."""
_MIN_SHARED = 2
"""Number of other fields that a file must share with its nearest format, unless it has hardly any others."""


def rank(sample: Sample) -> list[tuple[FormatMatch, Format]]:
    """Return the most confident formats of a sample, the best first, and of equal ones the first registered.

    Formats that are less confident than the first one may be missing.
    """
    entries = format_entries()
    names = names_in(sample)
    ceilings = {name: entry.ceiling(names) for name, entry in entries.items() if sample.shape in entry.shapes}
    matches: dict[str, FormatMatch] = {}
    best = 0.0
    for name, ceiling in sorted(ceilings.items(), key=lambda pair: -pair[1]):
        if ceiling <= 0.0 or ceiling < best:
            break
        matches[name] = _match(name, sample)
        best = max(best, matches[name].confidence)
    places = {name: place for place, name in enumerate(entries)}
    names_by_rank = sorted(matches, key=lambda name: (-matches[name].confidence, places[name]))
    return [(matches[name], FORMATS[name]) for name in names_by_rank if matches[name].confidence > 0]


def _match(name: str, sample: Sample) -> FormatMatch:
    """Ask a format about a sample. A plugin's format that raises an error is no longer used."""
    try:
        return FORMATS[name].recognize(sample)
    except Exception as error:
        if name in FORMATS.own:
            raise
        FORMATS.disable(name, error)
        return UNLIKE


def format_of(sample: Sample) -> Format | None:
    """Return the format that a file with this sample most likely has, or None."""
    return next((entry for _, entry in rank(sample)), None)


def unknown_format(content: Content) -> UnreadableError:
    """Return the error for a file of no known format. It names the nearest format, if there is one."""
    sample, path = content.sample, content.source.path
    if content.failure and not sample.head.strip():
        return content.failure
    fields = frozenset().union(*sample.objects, *_names_of_tables(sample))
    entries = format_entries()
    shared = {name: (entry.fields & fields) - _COMMON for name, entry in entries.items()}
    nearest, count = max(((name, len(common)) for name, common in shared.items()), key=itemgetter(1))
    what = f"{path} holds {describe_sample(sample)}, which is not a supported format"
    if count >= _MIN_SHARED or (count and 2 * count >= len(fields)):
        common = ", ".join(sorted(shared[nearest]))
        title = entries[nearest].title
        return UnreadableError(
            path, f"{what}; the nearest format is {title} (it has {common}, too): choose another file."
        )
    if content.failure:
        return content.failure
    return UnreadableError(path, f"{what}: run inspector formats for a list. Choose another file.")


def _names_of_tables(sample: Sample) -> Iterator[frozenset[str]]:
    return (frozenset([name, *columns]) for name, columns in sample.tables.items())
