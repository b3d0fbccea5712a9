"""Further cue phrases of agents: choices with their reason, and work that is left."""

from __future__ import annotations

from inspector.engine.facts.cue_phrases import DECISION, TASK
from inspector.engine.facts.cue_tables import any_case, joined, mark_table
from inspector.engine.facts.error_cues import ERROR

_CHANGED = (
    "updated?|fix(?:ed)?|add(?:ed)?|removed?|changed?|renamed?|rewritten|replaced?|moved?|migrated?|extended?|adjust(?:ed)?"
    "|adapt(?:ed)?|bump(?:ed)?|set|handled?|wired?|re-?exported|re-?export|ported"
)
REPLY_CHOICES = joined(
    DECISION,
    mark_table(
        # "we'll leave it as is for now", "I kept the name because others import it"
        (
            "leave |left |keep |kept ",
            r"\b(?:we|i)(?:[’']ll| will)? (?:leave|left|keep|kept) [^.;!?]{2,80}\b(?:as(?: it)? is|as they are"
            r"|unchanged"
            r"|for now|on purpose|because|since)\b",
        ),
        # "Rather than touching the interface, I'll add a helper"
        (
            "rather than |instead of ",
            r"^(?:so |but |and |then )?(?:rather than|instead of) [^.;!?]{3,120}, (?:(?:we|i)(?:[’']ll| will"
            r"|[’']m|[’']re| kept| added| used| put| moved| removed)|let me|let[’']s|it now)\b"
            r"|^(?:since|because|as|given) [^.;!?]{3,160}, (?:rather than|instead of) [^.;!?]{3,120}, (?:we|i)\b"
            r"|^you want (?:to )?[^.;!?]{2,80}\b(?:instead of|rather than) \w",
        ),
        # "option 2 seems cleanest"
        (
            "option |approach ",
            r"\b(?:option|approach) (?:\d|[a-d]\b)(?: ?\([^()]{1,60}\))?,? (?:seems|is|looks"
            r"|makes)(?: the)? (?:\w+est|best"
            r"|better|cleaner|simpler|most)\b|^(?:start|begin) with \W{0,2}(?:option|approach) \w",
        ),
        # "I'll make this a separate commit since it's a different bug"
        (
            "since |because ",
            r"^(?:so |ok,? |and )?(?:we|i)(?:[’']ll| will|[’']m|[’']re) (?:making|make|putting|put|using|use"
            r"|splitting|split"
            r"|changing|change|dropping|drop|skipping|skip|storing|store|returning"
            r"|return)\b[^.;!?]{3,120},? (?:since|because)\b",
        ),
    ),
)
REPLY_WORK = joined(
    TASK,
    any_case(
        # "I did not upload the change yet"
        (
            "yet",
            r"^(?:but |and |so )?(?:i|we) (?:did not|didn[’']t|have not|haven[’']t) (?:add|change|check"
            r"|commit|create|deploy|finish"
            r"|implement|install|merge|migrate|push|remove|start|test|touch|update|upload|verif|wire"
            r"|writ)\w* [^.;!?]{0,60}\byet\b",
        ),
        # "Also need to move the field to the top", "Need to verify support"
        (
            "need to ",
            r"^\W{0,4}(?:also|still|then|and|we also|we still|i also|i still)? ?need to (?!know\b|see\b|be\b"
            r"|understand\b"
            r"|find\b|look\b|check (?:if|what|how|where)\b)\w{3,} \w",
        ),
        # "There is a test file that needs to be updated"
        (
            "that need|also need|is needed|are needed|change needed",
            rf"\bthat (?:still |also )?needs? (?:to be )?(?:{_CHANGED})\b|\balso needs? (?:to be )?(?:{_CHANGED})\b"
            r"|\b(?:changes?|updates?|fix(?:es)?|work) (?:is |are )?(?:also |still )?needed (?:for|in|at)\b",
        ),
        # "You'll need to put the key into the file"
        (
            "you'll |you’ll |you will |you need to",
            r"(?:^|[,;:] )(?:also,? |then,? |now,? |but )?you(?:[’']ll| will| still| also)? (?:need"
            r"|have) to (?:manually |also |then )?"
            rf"(?:{_CHANGED}|put|create|run|install|set up|restart|configure|register|enable|rebuild|redeploy)\b",
        ),
    ),
)
_NOT = r"(?:does|do|did|is|are|was|were)(?:n[’']?t| not)"
_MET_ERROR = (
    r"(?<!if )(?<!if you )(?<!if it )\b(?:hit|got|get|getting|returned|threw|gave|showed|saw|seeing|received|raised)"
    r" (?:an?|this|the (?:same|following)|another|some|several) (?:(?!no\b)[\w-]+ ){0,3}(?:errors?|exceptions?"
    r"|failures?)\b"
)
_WORSE = r"\b(?:got|is|are|looks?|seems?)(?: to be)?(?: even| much| now)? (?:worse|worst)\b"
TOLD_FAILURES = any_case(
    # "the call hit an encoding error"
    ("error|exception|failure", _MET_ERROR),
    # "the function doesn't handle names correctly"
    (
        "correctly|properly|as expected|as intended",
        rf"^(?!if\b|when\b|in case\b|should\b)[^\n]{{0,280}}\b{_NOT} \w+(?: [\w'’`()./-]+){{0,6}}"
        r" (?:correctly|properly|as expected|as intended)\b",
    ),
    # "the legend is no longer correct"
    (
        "no longer ",
        r"\b(?:is|are|was|were) no longer (?:correct|valid|accurate|true|visible|reachable|available)\b",
    ),
    # "I couldn't find the file"
    (
        "can't |can’t |cannot |couldn|could not |unable to |able to ",
        r"^(?:but |so |sorry,? |unfortunately,? )?i (?:can[’']t|cannot|couldn[’']t|could not|was(?:n[’']t"
        r"| not) able to"
        r"|was unable to|am unable to) (?:find|locate|open|access|read|load|run|connect|reach|see|verify"
        r"|download|install)\b"
        r"(?! any (?:issue|problem|reference|other|evidence|bug|error))",
    ),
    # "The file didn't get created", "the second test was not run"
    (
        "get created|get saved|get updated|get written|get called|get loaded|get applied|get sent",
        rf"\b{_NOT} get (?:created|saved|updated|written|called|loaded|applied|sent)\b",
    ),
    ("worse|worst", _WORSE),
)
"""Failures that people and agents tell in their own words."""
REPLY_FAILURES = joined(ERROR, TOLD_FAILURES)
