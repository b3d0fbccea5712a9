"""Headings of lists whose points are tasks, decisions or rules."""

from __future__ import annotations

import re

from inspector.core.text import lazy_pattern

HEADINGS = (
    *("next", "to do", "to-do", "todo", "open ", "remaining", "pending", "left to", "decision"),
    *("constraint", "requirement", "rule", "guideline", "restriction", "convention", "guardrail", "polic", "criteria"),
    *("goal", "scope", "must have", "must-have", "don't", "don’t", "donts", "need", "have to", "has to", "want to"),
    *(
        "wants to",
        "'ll",
        "’ll",
        "will",
        "let me",
        "still",
        "what's",
        "what’s",
        "remain",
        "plan",
        "action",
        "follow",
        "gaps",
    ),
    *("ensure", "make sure", "must", "outstanding", "proposed", "suggested", "recommended", "required", "necessary"),
)
"""Every line that matches `_WHAT_IS_TO_COME` or a heading pattern contains one of these."""
DECISION_HEADING = lazy_pattern(
    r"[\s#*]{0,8}(?:(?:key|main|important|final|agreed|design|technical|architectur(?:e|al)|implementation"
    r"|project) ){0,3}"
    r"decisions?(?: made| so far| taken)?[*:\s]{0,4}",
    re.IGNORECASE,
)
"""Heading of a list of decisions: "## Key design decisions:"."""
_WHAT_IS_TO_COME = (
    r"(?:need|have|want)s? to(?: do| change| fix| update| add)?|(?:i|we)(?:[’']ll| will)(?: then| now)?"
    r"|(?:still|what[’']s) (?:needed|missing|left|open)|(?:needs?|remains?|has|have) to be \w+"
    r"|let me (?:fix|do|make|add|update|address|implement|change|handle)(?: \w{1,20}+){0,4}"
    r"|(?:the|my|our|a) plan(?: is| is to)?|action items?|follow-ups?|what i[’']ll do|known gaps|outstanding(?: \w+)?"
    r"|(?:proposed|suggested|recommended|required|necessary|planned|needed) (?:changes|fixes|steps|actions|work|edits)"
)
"""Phrases before a colon that introduces work to be done: "still missing", "proposed changes"."""
TO_COME = lazy_pattern(rf"(?:\A|[\s#*])(?:{_WHAT_IS_TO_COME})[*\s]{{0,4}}:[*\s]{{0,4}}\Z", re.IGNORECASE)
"""End of a line whose colon introduces work to be done: "Now I need to:"."""
RULE_HEADING = lazy_pattern(
    r"[\s#*]{0,8}(?:\d{1,2}[.)] )?(?:(?!no |met )\w{1,20}+ ){0,2}(?:constraints?|requirements?|rules?|guidelines?"
    r"|restrictions?|conventions?|guardrails|polic(?:y|ies)|acceptance criteria|non-?goals?|out of scope|must[- ]haves?"
    r"|do[’']?s and don[’']?ts)(?: (?:and|&|for|of|on|to) [\w ]{1,40})?(?: ?\([^()\n]{1,30}\))?[*:\s]{0,4}",
    re.IGNORECASE,
)
"""Heading of a list of rules: "## Naming conventions", "Constraints:"."""
RULES_TO_COME = lazy_pattern(
    r"\W{0,8}(?:please )?(?:(?:ensure|make sure)(?: that)? [^\n.:;]{2,60}\b(?:is|are|has|have)"
    r"|(?:it|they|you|(?:the|your|all|each) \w{2,20}(?: \w{2,20})?) must(?: also| always| not| be"
    r"| have)?)[*\s]{0,4}:[*\s]{0,4}\Z",
    re.IGNORECASE,
)
"""Line whose colon introduces rules: "Ensure the code is:", "The answer must:"."""
OPEN_HEADING = lazy_pattern(
    r"[^\w\n]{0,8}(?:next(?: (?:steps?|tasks?|actions?))?(?: (?:to|for) \w{1,20})?|to[- ]?do(?: list)?|todos?"
    r"|open (?:tasks?"
    r"|questions?|items?|points?)"
    r"|(?:still )?remaining(?: \w+)?|pending(?: \w+)?|still to do|(?:what[’']s )?left to do)"
    r"(?: ?\([^()\n]{1,60}\))?(?: (?:is|are))?[*:\s]{0,4}",
    re.IGNORECASE,
)
"""Heading of a list of tasks: "Next steps:", "Open questions"."""
