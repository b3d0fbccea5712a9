"""Further cue phrases of users: wishes, choices and open work that are stated as what is, or what it should be."""

from __future__ import annotations

from inspector.engine.facts.constraint_cues import TYPED_CONSTRAINT
from inspector.engine.facts.cue_phrases import TYPED_DECISION, TYPED_TASK
from inspector.engine.facts.cue_tables import joined, mark_table

_RESULT = (
    "provide|persist|hold|load|accept|open|close|lead|link|save|respect|treat|reject|skip|ignore|fail|exit|print|log"
    "|render|refresh|update|sort|expire|survive|happen|appear|disappear|list"
)
"""Verbs after "should" that describe the result, in addition to the usual ones."""
_CHANGED = "moved?|fixed|updated|adapted|removed|added|changed|renamed|rewritten|replaced|deleted|split|merged|ported"
TYPED_RULES = joined(
    TYPED_CONSTRAINT,
    mark_table(
        (
            "should",
            # "the list should load the newest entry", "groups shouldn't persist"
            r"(?<=[\w)`\]])(?<!\bi)(?<!\bwe)(?<!\byou)(?<!\bwhat)(?<!\bwhich)(?<!\bhow)(?<!\bwhere)(?<!\bwho)(?<!\bwhy)"
            r"(?<!\bwhether)(?<!\bthat) should(?: not|n[’']t)?"
            rf" (?:{_RESULT})\b",
        ),
        # "in particular, prefer using tabs"
        ("prefer ", r"(?:^|[.;:!] ?)(?:in particular|generally|please|always|also|and)?,? ?prefer (?:to |using )?\w"),
        (
            "instead of ",
            # "Instead of writing A and B, use the names"
            r"(?:^|[.;!] )(?:please |also |but |and )?instead of [^.;!?]{3,120}, (?:please |just |we should )?"
            r"(?!i\b|we\b|they\b|he\b|she\b|it\b|the\b|this\b|that\b|there\b|an?\b|you\b)\w{2,20} \w",
        ),
        # "that line doesn't need to change"
        ("need to ", r"\b(?:doesn[’']?t|does not|don[’']?t|do not) need to (?:be )?(?:changed?|touched|moved?)\b"),
        (
            "want",
            # "I want it to ask me each time", "I wanted a list, not prose"
            r"\bi want(?:ed)? (?:it|this|that|them) to (?:always|never|only|ask|stay|keep|be|look|work|use|show)\b"
            r"|\bi wanted (?:an?|the) [^.;!?]{2,100}, not \w"
            # "I want it more compact"
            r"|\bi want (?:it|this|that|them|everything|the \w+)(?: to (?:be|look|feel))? (?:more|less|as|like|in|on|at"
            r"|without)\b",
        ),
        (
            "will be |goal |aim |future|from now on|next time",
            # "no database will be required", "our goal is 90 pages per minute", "in future, ask me first"
            r"^(?:[^.;!?]{0,60}[.;,] ?)?no [\w ]{2,40} will be (?:required|needed|necessary|used)\b"
            r"|^(?:our|the|my) (?:goal|aim) is (?!not\b)|\b(?:in (?:the )?future|from now on"
            r"|next time),? (?!i\b|it\b)\w",
        ),
        (
            "i want ",
            # "I want the space above and below the title to be the same"
            r"\bi want (?:the|this|all|every\w*|each|both) [^.;!?]{2,100} to be\b"
            r"|\bi want you to (?:focus|concentrate|only|always|never|ask|wait|stick|keep|avoid)\b",
        ),
        (
            "when |whenever ",
            # "When a card is selected, show its notes"
            r"^(?:when|whenever) (?:an?|the|any|either|both|no) [^.;:!?]{2,100}, (?:please |also |just )?"
            r"(?!i\b|it\b|we\b|there\b|they\b|the\b|this\b|that\b|an?\b|you\b|does\b|is\b|can\b|do\b|what\b"
            r"|how\b|why\b)"
            r"[a-z]{2,20} \w",
        ),
        (
            "need ",
            # "we need the output to be in one folder"
            r"\b(?:we|i) (?:really |also |still )?need (?:the|it|this|that|them|these|all|every\w*|our|my)\b"
            r"[^.;?!]{0,80} to (?:be|stay|remain|live|keep|match|have|support|point)\b",
        ),
        (
            "before |each |every |after ",
            # "Before answering, check the tone", "After every change, run the linter"
            r"^(?:before|after|for|on|at|in) (?:(?:each|every|any) \w|\w+ing\b)[^.;:!?]{0,120}, (?:please |always )?"
            r"(?!i\b|we\b|they\b|he\b|she\b|it\b|the\b|this\b|that\b|there\b|an?\b|you\b|what\b|how\b|is\b"
            r"|does\b|can\b)"
            r"\w{2,20} \w",
        ),
        (
            "only ",
            # "Report only material findings"
            r"^(?:please )?(?:report|use|include|show|list|mention|change|test|keep|touch|edit|read|consider) only \w",
        ),
    ),
)
TYPED_CHOICES = joined(
    TYPED_DECISION,
    mark_table(
        (
            "let's |let’s |lets ",
            # "let's completely remove the command"
            r"(?<!it )(?<!that )(?<!which )\blet[’']?s (?:\w{3,14}ly |just |also |please )*"
            r"(?:remove|drop|abandon|delete|rename|revert|merge|close|disable|replace|get rid of|start over|rewrite)\b",
        ),
        # "Concurrent jobs -> yes", "Export: no"
        (
            "> yes|> no|→ yes|→ no|: yes|: no|= yes|= no|> ok|> skip|: skip",
            r"^[^.?!:=>→]{3,60}? ?(?:->|→|=>|=|:) ?(?:yes|no|nope|ok|okay|skip|both|none"
            r"|later)(?:[,;(] ?[^.?!]{0,40})?[.!]?$",
        ),
        # "We don't need accounts in the first version"
        (
            "n't need |n’t need |not need |dont need ",
            r"^(?:we|i) (?:do not|don[’']?t) need (?!to\b)[^.;?!]{2,60} (?:for|in) (?:now|v\d|(?:the|this"
            r"|our) \w|phase)",
        ),
        # "We approve the third one"
        (
            "approve|accept|confirm",
            r"^(?:\w{2,8}[,.!]? ){0,2}(?:we|i) (?:hereby )?(?:approve|accept|confirm)\b(?! that\b| it[’']s\b)",
        ),
        # "the skill is now called Look"
        ("now called|now named", r"\bis now (?:called|named) [\w\"“'`]"),
        (
            "we'll |we’ll |we will |we can |i'll |i’ll |i will ",
            # "we'll handle exports in a different view later"
            r"\b(?:we|i)(?:[’']ll| will| can) (?:\w+ )?(?!see\b|talk\b|be\b|let\b)\w+ [^.;!?]{2,100}"
            r"\b(?:later|another time|in (?:an?|another) (?:different|separate|follow-?up|later|next|new) \w+)\b",
        ),
        # "for now remove all of the export code"
        (
            "for now",
            r"^(?:but |so |and |ok,? )?for now,? (?:please |just |only |let[’']?s )?"
            r"(?:remove|keep|add|skip|leave|disable|use|ignore|drop|focus|stick|put|hide)\b",
        ),
        (
            "choice|option|approach|idea|solution",
            # "defaulting to the small one might be the wiser choice"
            r"\b(?:might|may|would|could|will|is|seems) (?:be )?(?:probably )?(?:the|an?) "
            r"(?:wiser|better|best|safer|simpler|cleaner|right) (?:choice|option|approach|idea|solution)\b",
        ),
    ),
)
TYPED_WORK = joined(
    TYPED_TASK,
    mark_table(
        (
            "need|must be |has to |have to ",
            # "the bug must be fixed before we merge", "the folder needs to move", "it needs adapted"
            rf"\b(?:needs? to|must|ha(?:s|ve) to) (?:still |also )?(?:be )?(?:{_CHANGED})\b"
            rf"|\bneeds? (?:updating|fixing|moving|renaming|adapting|cleaning|adapted|updated|fixed)\b",
        ),
        flags=0,
    ),
)
