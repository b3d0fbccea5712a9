"""Rules that leave a thing to another person or to the user: "The Android side is Ravi's", "I fill in .env myself"."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.ban_terms import Ban, ban_of, ending_of

_TEAM = (
    r"(?:(?:an?other|the other|a different|some other|the [\w-]{2,20}|our [\w-]{2,20}|their|[\w-]{2,20}) (?:team|group"
    r"|squad|department|agency|guild)|ops|sre|infra|legal|qa|design|security|(?:the |our )?(?:devops|admins?|dbas?)"
    r"|(?:my|our|the|a|some) (?:\w+ )?(?:supervisor|boss|colleague|co-?worker|manager|editor|co-?author|contractor"
    r"|intern|customer|client|translator|designer)s?|(?:some(?:one|body)|people) else|others)"
)
_BEFORE = r"(?:^|[.;:!,–—-] |\b(?:and|but|so|because|since|also|that) )(?:the |our |my |all |any |every |whole )*"
_WHAT = r"(?P<what>(?:[^.,;:!?\n]|\.(?=\w)){2,60}?)"
_END = r"(?=[.,;:!)]|$| (?:so|and|until|for|right|now|at|this|please|not|on|as)\b| [-–—])"
_OWNED = tuple(
    lazy_pattern(rf"(?i){pattern}")
    for pattern in (
        rf"{_BEFORE}{_WHAT} (?:is|are|stays?|remains?) (?:still |currently |all |strictly )?"
        rf"(?:{_TEAM}['’]s?|(?-i:[A-Z][a-z]{{1,20}}['’]s?)|mine|theirs|hers|my own(?: \w+)?"
        rf"|(?:owned|maintained|managed|handled|edited|written|looked after|taken care of) by (?:{_TEAM}|me)"
        rf"|(?:with|in review with|on loan (?:to|from)) {_TEAM}){_END}",
        rf"{_BEFORE}{_WHAT} belongs? (?:only )?to (?:{_TEAM}|me|(?-i:[A-Z][a-z]{{1,20}})(?:['’]s \w+)?){_END}",
        rf"\b{_TEAM} (?:owns?|maintains?|looks? after|(?:is|are) (?:working on|editing|in the middle of))"
        rf" (?:the |our |all )?{_WHAT}{_END}",
        r"\b(?:i|we)(?:'ll| will|'d rather|'m going to)? (?:fill in|fill out|do|handle|maintain|look after"
        r"|take care of|own|keep|set|edit) (?:the |our |all (?:the )?|any |every )?(?P<what>(?:[^.,;:!?\n]"
        r"|\.(?=\w)){2,40}?) (?:myself|ourselves|by hand|on my own|manually)\b",
    )
)
_MAY_OWN = lazy_pattern(
    r"(?i)['’]s?\b|['’](?=[.,;!])|\b(?:mine|theirs|hers|own|by|with|belongs?|owns?|maintains?|looks? after|working"
    r"|editing|middle|myself|ourselves|hand|manually|loan)\b"
)
_NO_PROPERTY = lazy_pattern(
    r"(?i)^(?:it|that|this|they|these|those|there|what|which|who|here|he|she|(?:\w+ )?(?:bug|fault|mistake|idea|error"
    r"|issue|problem|point|question|reason|turn|job|plan|choice|decision|goal|favou?rite|name|first|second|last)s?)$"
)
"""Subjects that are no part of the work."""
AGREED = lazy_pattern(
    r"(?i)\b(?:gave (?:me|us) (?:a|the|their|his|her) (?:thumbs up|green light|ok(?:ay)?|go-ahead|blessing)"
    r"|(?:they|he|she) (?:(?:have|has|already|all) )?(?:agreed|said (?:yes|ok(?:ay)?)))(?=[.,;!]|$)"
)
"""Words by which the owner of a thing has agreed to the work on it: "they gave me a thumbs up"."""


def owned_by_others(text: str) -> Iterator[Ban]:
    """Yield the bans of changes to what belongs to somebody else, or what the user does himself."""
    for pattern in _OWNED if _MAY_OWN.search(text) and not AGREED.search(text) else ():
        if (match := pattern.search(text)) and not _NO_PROPERTY.match(match["what"]):
            yield from ban_of(["touch"], match["what"], ending_of(text, 0), text[: match.start("what")])
