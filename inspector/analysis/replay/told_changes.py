"""Tell the reports of a summary on changed files from announcements of changes and from calls that only read."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from inspector.core.text import lazy_pattern
from inspector.engine.facts import units_of

_VERBS = (
    "add|adapt|adjust|apply|change|clean|convert|correct|create|delete|document|drop|edit|enable|extend|extract|fix"
    "|implement|improve|insert|merge|migrate|modify|move|port|refactor|remove|rename|replace|restore|revert|rewrite"
    "|simplify|split|switch|update|wire|write"
)
_CHANGED = (
    "added|adapted|adjusted|applied|changed|cleaned|converted|corrected|created|deleted|documented|dropped|edited"
    "|enabled|extended|extracted|fixed|implemented|improved|inserted|made|merged|migrated|modified|moved|new|ported"
    "|refactored|removed|renamed|replaced|restored|reverted|rewritten|rewrote|simplified|split|switched|updated|wired"
    "|wrote|written"
)
_REPORT = lazy_pattern(
    r"(?i)(?:(?:I|we|have|has|was|were|been|\w{3,12}ly) ){0,3}"
    rf"(?:{_CHANGED})\b"
)
"""Start of a report on a change: "Updated the texts of", "- **Fixed** tests in"."""
_REPORTED = lazy_pattern(rf"(?i)(?<=\w)[^\w\n]{{1,12}}(?:\w{{3,12}}ly )?(?:{_CHANGED})\b")
"""What follows the name of a file in a report on it: "`load.py` - Added a cache", "load.py (new)"."""
_ANNOUNCED = lazy_pattern(
    r"(?i)(?:(?:now|first|next|then|so|also|finally|ok|okay|good|great|perfect|and)[,.!:]? ){0,3}"
    r"(?:let me|let[’']s|i[’']ll|i will|i need to|i should|i want to|i can|i[’']m going to|we need to|we should"
    r"|need to)\b"
)
"""Start of an announcement: "Now let me update the loader"."""
_PLANNED = lazy_pattern(
    r"(?i)(?:(?:step|phase|task) \d{1,3}\W{1,3})?(?:now |then |also )?"
    rf"(?:{_VERBS}) (?!\w+=)"
)
"""Start of a step to take: "Phase 3: Update the loader"."""
_READ = lazy_pattern(
    r"(?:Read|View|Grep|Glob|LS|List|Search|Open|Find|Called the Read tool)\b[^.]{0,40}?"
    r"(?:path|file_path|filePath|pattern|query)[\"']?[=:]"
)
"""Start of a call that only reads: "Read file_path=src/load.py"."""
_BULLETS = " -*•>#_`~│├└─0123456789.)("
"""Characters before the first word of a statement."""
_MAX_DISTANCE = 120
"""Characters between the verb of a report and the name of the file."""


class ToldChanges:
    """The statements of a summary, whatever its line breaks are.

    Args:
        summary: Text of the summary.
    """

    def __init__(self, summary: str) -> None:
        units = [unit.lstrip(_BULLETS) for unit in units_of(summary)]
        self._units = [unit for unit in units if not any(one.match(unit) for one in (_ANNOUNCED, _PLANNED, _READ))]

    @cached_property
    def without_plans(self) -> str:
        """The summary without announcements, steps to take and calls that read."""
        return "\n".join(self._units)

    def reports(self, name: str) -> bool:
        """Return True if the summary reports a change of a file.

        Args:
            name: Last part of its path.
        """
        pairs = pairwise((*self._units, ""))
        return any(self._is_report(unit, after, name) for unit, after in pairs if name in unit)

    def _is_report(self, unit: str, after: str, name: str) -> bool:
        """Return True if a statement with the name of a file, or the one after a heading, tells a change of it."""
        place = unit.index(name)
        end = place + len(name)
        if _REPORTED.match(unit, end) or (place <= _MAX_DISTANCE and _REPORT.match(unit)):
            return True
        return not any(map(str.isalnum, unit[end:])) and bool(_REPORT.match(after))
