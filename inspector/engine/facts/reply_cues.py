"""Further cue phrases of agents: choices with their reason, and work that is left."""

from __future__ import annotations

from inspector.engine.facts.cue_phrases import DECISION, TASK
from inspector.engine.facts.cue_tables import any_case, joined, mark_table
from inspector.engine.facts.error_cues import ERROR
from inspector.engine.facts.stated_failures import STATED_FAILURES

_CHANGED = (
    "updated?|fix(?:ed)?|add(?:ed)?|removed?|changed?|renamed?|rewritten|replaced?|moved?|migrated?|extended?"
    "|adjust(?:ed)?|adapt(?:ed)?|bump(?:ed)?|set|handled?|wired?|re-?exported|re-?export|ported"
)
_PICKED = (
    "going|sticking|staying|keeping|leaving|skipping|deferring|reverting|switching|opting|choosing|dropping|avoiding"
)
_LATER = "deliberately|intentionally|on purpose|out of scope|as it is|as is|unchanged|untouched|alone|for now|separate"
_SAID_CHOICES = any_case(
    # "Going with the smaller model", "Keeping the name as is", "Reverting the flag, it breaks the start"
    (
        "going with|sticking |staying |keeping |leaving |skipping |deferring |reverting |switching |opting |choosing "
        "|dropping |avoiding |skipped |deferred ",
        r"^(?:so |ok,? |i[’']m |i am |we[’']re )?(?:going with|sticking (?:with|to)|staying (?:with|on)|opting for"
        r"|choosing|switching (?:back )?to|deferring|reverting (?:to\b"
        r"|the \w+[^.;]{0,60} (?:—|–|-|because|since)))(?! \w+ing\b) [\w`\"*]"
        rf"|^(?:so |i[’']m |i am )?(?:{_PICKED}) [^.;!?]{{2,80}}\b(?:{_LATER}|because|since|rather than|instead of)\b"
        # "Skipped the second chart per your call", "Skipping the survey — nobody reads it"
        rf"|^(?:{_PICKED}|skipped|deferred) [^.;!?]{{2,80}}(?: per your \w| [—–] \w)",
    ),
    # "I interpreted the two names as a typo", "I'll treat it as optional"
    (
        "interpreted |treating |treat |i'm assuming|i assumed|i’m assuming|took ",
        r"^(?:so |here,? )?i(?:[’']m|[’']ll| will| am)? (?:interpreted|interpreting|treated|treating|treat|read|took"
        r"|taking) (?!a\b)[^.;!?]{2,80} as (?!it\b|well\b)\w|^i(?:[’']m| am)? assum(?:ed|ing) (?:that |you |the )\w",
    ),
    # "We'll roll back to the last release", "I'll stick with one file", "we'll defer the search"
    (
        "roll back|stick with|stick to|stay with|stay on|stay in|defer |hold off|leave out|opt for|settle "
        "|fall back to|avoid ",
        r"^(?:so |then |ok,? |for now,? )?(?:we|i)(?:[’']ll| will|[’']ve|[’']m going to)? (?:roll(?:ed)? back to"
        r"|st(?:i|u)ck (?:with|to)|stay(?:ed)? (?:with|on|in)|defer(?:red)?|h[eo]ld off on|leave out|left out"
        r"|opt(?:ed)? for|settled? (?:on|for)|avoid(?:ed)? (?:adding|changing|using|touching)) \w",
    ),
    # "The exporter deliberately skips empty rows", "I intentionally left the old name"
    (
        "deliberately|intentionally|on purpose",
        r"\b(?:i|we)(?:[’']ve| have)? (?:deliberately|intentionally) (?!\w+ not sure)\w+"
        r"|\b(?:i|we) [^.;!?]{2,80} on purpose\b",
    ),
    # "As you asked, the header stays", "You chose the annual plan"
    (
        "as you |per your |you asked|you chose|you decided|you picked|you confirmed|you approved|you opted",
        r"^(?:as you (?:asked|requested|chose|decided|suggested|wanted|said)"
        r"|per your (?:request|choice|decision))\b,? \w|^(?:since |because )?you(?:[’']ve| have)? (?:chose|chosen"
        r"|decided|picked|confirmed|approved|opted|asked (?:me )?(?:to (?:keep|leave|use|skip|drop)|not to"
        r"|for (?:no|only)))\b (?!if\b|whether\b)\w",
    ),
)
REPLY_CHOICES = joined(
    joined(DECISION, _SAID_CHOICES),
    mark_table(
        # "we'll leave it as is for now", "I kept the name because others import it"
        (
            "leave |left |keep |kept ",
            r"\b(?:we|i)(?:[’']ll| will)? (?:leave|left|keep|kept) [^.;!?]{2,80}\b(?:as(?: it)? is|as they are"
            r"|unchanged|for now|on purpose|because|since)\b",
        ),
        # "Rather than touching the interface, I'll add a helper"
        (
            "rather than |instead of ",
            r"^(?:so |but |and |then )?(?:rather than|instead of) [^.;!?]{3,120}, (?:(?:we|i)(?:[’']ll| will|[’']m"
            r"|[’']re| kept| added| used| put| moved| removed)|let me|let[’']s|it now)\b"
            r"|^(?:since|because|as|given) [^.;!?]{3,160}, (?:rather than|instead of) [^.;!?]{3,120}, (?:we|i)\b"
            r"|^you want (?:to )?[^.;!?]{2,80}\b(?:instead of|rather than) \w",
        ),
        # "option 2 seems cleanest"
        (
            "option |approach ",
            r"\b(?:option|approach) (?:\d|[a-d]\b)(?: ?\([^()]{1,60}\))?,? (?:seems|is|looks|makes)(?: the)? (?:\w+est"
            r"|best|better|cleaner|simpler|most)\b|^(?:start|begin) with \W{0,2}(?:option|approach) \w",
        ),
        # "I'll make this a separate commit since it's a different bug"
        (
            "since |because ",
            r"^(?:so |ok,? |and )?(?:we|i)(?:[’']ll| will|[’']m|[’']re) (?:making|make|putting|put|using|use|splitting"
            r"|split|changing|change|dropping|drop|skipping|skip|storing|store|returning"
            r"|return)\b[^.;!?]{3,120},? (?:since|because)\b",
        ),
    ),
)
_WORKED_ON = (
    "added|checked|committed|covered|created|deployed|documented|done|finished|fixed|handled|implemented|installed"
    "|integrated|merged|migrated|pushed|ready|removed|run|tested|translated|updated|uploaded|verified"
    "|wired(?: up| in)?|written|launch-ready"
)
REPLY_WORK = joined(
    TASK,
    any_case(
        # "The importer is not wired up yet", "the pages have not been tested", "Export is not launch-ready"
        (
            "not |n't |n’t ",
            r"^(?!if\b|when\b|once\b|since\b|because\b)[^.;!?]{2,80}\b(?:is|are|has|have)(?:n[’']t| not) (?:yet "
            rf"|fully |actually )?(?:been )?(?:yet )?(?:{_WORKED_ON})(?: yet)?(?:[.:,;!]|$| yet\b| in (?:the|this)"
            r"| on (?:the|this|main)| for (?:the|this)| by (?:tests|the))"
            r"|^(?:i|we) (?:have not|haven[’']t|did not|didn[’']t) (?:run|test|verif|deploy|push|commit|migrat|updat"
            r"|document)\w* (?!into\b|out\b)[\w`]",
        ),
        # "Arm C remains incomplete", "two findings are still open"
        (
            "remain|still ",
            r"\b(?:remains?|(?:is|are) still) (?:incomplete|open|unresolved|pending|blocked|untested|unverified"
            r"|unimplemented|missing|outstanding|unfixed|undone|unmerged|uncommitted|undocumented"
            r"|a (?:stub|placeholder|todo)|to (?:do|be done))\b"
            r"|^\W{0,6}(?:what[’']?s |what is )?(?:still )?(?:remaining|left|outstanding)(?: work| tasks?| items?"
            r"| steps?| to do)?: ?\w",
        ),
        # "I'll first finish the importer, then update the docs"
        ("first ", r"^i(?:[’']ll| will|[’']m going to) first (?!check|look|read|see)[^;!?]{3,200}, (?:and )?then \w"),
        # "a natural next move is the importer", "Next step after this is the release", "The remaining step is"
        (
            "next move|next step|logical next|natural next|remaining |next thing|follow-up|followup",
            r"\bnext (?:move|step|thing|task)s?\b[^.;!?]{0,60} (?:is|are|would be|should be|will be) (?!that\b|done\b"
            r"|complete)\W{0,3}\w|\b(?:the|one|only|two|three) remaining (?:\w+ )?(?:steps?|tasks?|work|items?|pieces?"
            r"|gaps?|blockers?|issues?|todos?) (?:is|are)\b|\b(?:needs?|worth|deserves?"
            r"|as) an? (?:separate )?follow-?up\b",
        ),
        # "Next up: the search", "Open items: pricing", "Two things remain: the docs and the release"
        (
            "next up|next steps: |items: |questions: |remain|missing|left: ",
            r"^\W{0,4}next (?:up|steps?): ?\w|^\W{0,4}next up (?:is|are)\b"
            r"|^\W{0,4}open (?:items|questions|points|issues|tasks): ?\w"
            r"|^\W{0,4}(?:one|two|three|four|a few|some) (?:\w+ )?(?:things?|items?|pieces?|steps?|points?|tasks?"
            r"|tests?) (?:remains?|(?:is|are) (?:still )?(?:missing|left|open))\b"
            r"|^(?:tests?|docs?|documentation|translations?|migrations?)(?: for [^.;!?]{2,40})? (?:is"
            r"|are) (?:still )?missing\b",
        ),
        # "There are no tests for the module yet", "The importer is only a stub", "it is left for a later commit"
        (
            "there are no |there is no |a stub|placeholder|left for|planned for|deferred to|follow-up should"
            "|follow-ups should",
            r"^there (?:are|is) (?:still )?no (?:tests?|docs|documentation|coverage|handling|validation"
            r"|migration)\b[^.;!?]{0,60} yet\b|\b(?:is|are) (?:still |only |just )+an? (?:stub|placeholder|todo)\b"
            r"|\b(?:is|are) (?:left|planned|deferred|scheduled) (?:for|to) (?:a|the|another|later|next)\b"
            r"|\bfollow-?ups? should (?!be ok)\w",
        ),
        # "The error path needs a test", "I plan to refactor the loader next", "someone has to review the schema"
        (
            "needs a |need a |plan to |someone has to|somebody has to|someone needs to|someone should",
            r"^(?:the|this|that|these|each|every|`[^`\n]{1,60}`) ?[^.;!?]{0,60}\bneeds? an? (?:\w+ )?(?:tests?|review"
            r"|follow-?up|migration|rewrite|doc(?:s|ument\w*)|fix|cleanup|owner|rebase|index)\b"
            r"|^(?:i|we) (?:still |also )?plan to (?!ask\b|stay\b)\w+ \w"
            r"|\bsome(?:one|body) (?:has to|needs to|should) (?:still )?(?:review|check|approve|run|update|add|fix"
            r"|decide|rotate|merge)\b",
        ),
        # "The cards are missing hover animations"
        (
            "are missing ",
            r"\bare (?:still )?missing (?!from\b|in\b|when\b|if\b|because\b|or\b)\w+ \w",
        ),
        # "I did not upload the change yet"
        (
            "yet",
            r"^(?:but |and |so )?(?:i|we) (?:did not|didn[’']t|have not|haven[’']t) (?:add|change|check|commit|create"
            r"|deploy|finish|implement|install|merge|migrate|push|remove|start|test|touch|update|upload|verif|wire"
            r"|writ)\w* [^.;!?]{0,60}\byet\b",
        ),
        # "Also need to move the field to the top", "Need to verify support"
        (
            "need to ",
            r"^\W{0,4}(?:also|still|then|and|we also|we still|i also|i still)? ?need to (?!know\b|see\b|be\b"
            r"|understand\b|find\b|look\b|check (?:if|what|how|where)\b)\w{3,} \w",
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
            rf"|have) to (?:manually |also |then )?(?:{_CHANGED}|put|create|run|install|set up|restart|configure"
            r"|register|enable|rebuild|redeploy)\b",
        ),
    ),
)
_NOT = r"(?:does|do|did|is|are|was|were)(?:n[’']?t| not)"
_MET_ERROR = (
    r"(?<!if )(?<!if you )(?<!if it )\b(?:hit|got|get|getting|returned|threw|gave|showed|saw|seeing|received"
    r"|raised) (?:an?|this|the (?:same|following)|another|some|several) (?:(?!no\b)[\w-]+ ){0,3}(?:errors?|exceptions?"
    r"|failures?)\b"
)
_WORSE = r"\b(?:got|is|are|looks?|seems?)(?: to be)?(?: even| much| now)? (?:worse|worst)\b"
TOLD_FAILURES = any_case(
    # "the call hit an encoding error"
    ("error|exception|failure", _MET_ERROR),
    # "the function doesn't handle names correctly"
    (
        "correctly|properly|as expected|as intended",
        rf"^(?!if\b|when\b|in case\b|should\b)[^\n]{{0,280}}\b{_NOT} \w+(?: [\w'’`()./-]+){{0,6}} (?:correctly"
        r"|properly|as expected|as intended)\b",
    ),
    # "the legend is no longer correct"
    (
        "no longer ",
        r"\b(?:is|are|was|were) no longer (?:correct|valid|accurate|true|visible|reachable|available)\b",
    ),
    # "I couldn't find the file"
    (
        "can't |can’t |cannot |couldn|could not |unable to |able to ",
        r"^(?:but |so |sorry,? |unfortunately,? )?i (?:can[’']t|cannot|couldn[’']t|could not"
        r"|was(?:n[’']t| not) able to|was unable to|am unable to) (?:find|locate|open|access|read|load|run|connect"
        r"|reach|see|verify|download|install)\b(?! any (?:issue|problem|reference|other|evidence|bug|error))",
    ),
    # "The file didn't get created", "the second test was not run"
    (
        "get created|get saved|get updated|get written|get called|get loaded|get applied|get sent",
        rf"\b{_NOT} get (?:created|saved|updated|written|called|loaded|applied|sent)\b",
    ),
    ("worse|worst", _WORSE),
)
"""Failures that people and agents tell in their own words."""
REPLY_FAILURES = joined(joined(ERROR, TOLD_FAILURES), STATED_FAILURES)
