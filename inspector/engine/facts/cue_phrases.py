"""Cue phrases for decisions and tasks, each with its pattern, and headings of lists of either.

`classify` maps each kind of text to its table.
"""

from __future__ import annotations

import re

from inspector.core.text import lazy_pattern
from inspector.engine.facts.cue_tables import joined, mark_table

_WE = r"(?:we|i)(?:[’'](?:ll|re|m)| will| shall| are| am)?"
_TAKING = "use|go with|keep|take|stay with|stick with|switch to|move to"
_A_TOOL = r"(?-i:[A-Z][a-z]+(?:Write|Read|Edit|Search|Fetch|Output|Create|Update|List)\b)"
"""Name of an agent's tool: "TodoWrite"."""
DECISION = mark_table(
    ("decided", r"(?<!-)\bdecided\b(?! (?:whether|if|which|what|how|later|by|on your|so far)\b)"),
    (
        "decision",
        r"\bdecision(?: ?[:=](?! ?[\"'])| (?:is|was) (?:to|that|not|made)\b|s? made (?:to|that|by)\b)"
        r"|\b(?:that|as) a decision\b",
    ),
    ("agreed ", r"\b(?:we|i|they)(?: have|[’']ve)? agreed (?:to|on|that|upon)\b"),
    ("going with|go with|went with", r"\b(?:going|go|went) with\b(?! (?:it|me|you|him|her|them)\b)"),
    ("chose|opted", r"\b(?:chose|opted)\b|\b(?:have|has|had|[’']ve|was|were|is|are|been) chosen\b"),
    ("picked", r"\b(?:we|i)(?: have|[’']ve)? picked\b"),
    ("settled ", r"\bsettled (?:on|for)\b"),
    (
        "accepted",
        r"\b(?:is|are) (?:\w+ and )?(?<!before they are )accepted\b(?! (?:only|but|if|when|for|by|as"
        r"|from|and|\w+ly)\b)",
    ),
    (
        "in favor of|in favour of|ruled out|postponed|deferred|shelved|on hold|out of scope|for now",
        # "TOML was rejected in favour of JSON", "we ruled out caching"
        r"\b(?:dropped|replaced|rejected|removed|abandoned|skipped|chosen|deprecated)\b[^.;:]{0,80}\bin favou?r of\b"
        r"|\b(?:we|i)(?: have|[’']ve)? ruled out\b|\b(?:is|are|was|were|been) (?:ruled out|postponed|deferred|shelved"
        r"|put on hold)\b|\b(?:stays?|remains?|is|are) (?:on hold|out of scope) for (?:now|this)\b",
    ),
    (
        "won't |won’t |will not |not going to",
        # "we won't support Windows"
        r"\bwe(?:[’']re| are)? (?:won[’']t|will not|not going to) (?:support|implement|add|use|do|change|migrate"
        r"|build|fix"
        r"|touch|handle|include|ship|keep|bother|worry)\b",
    ),
    (
        "user |users |team |client |customer |maintainer |reviewer |they ",
        # "the team has approved it", "the user wants to keep tabs"
        r"\b(?:users?|team|client|customer|maintainers?|reviewers?|they)(?: has| have)?(?: \w+ly)? (?:rejected"
        r"|declined|approved"
        r"|chose|picked|insisted|opted|decided|vetoed|ruled|settled|prefers? (?!to know)"
        r"|wants? to (?:keep|use|drop|move|replace)\b|asked (?:me |us )?(?:not to|to (?:keep|leave|use|drop|replace)))",
    ),
    (
        "selected|adopted|rejected|declined",
        # "the index was selected because it is smaller"
        r"\b(?:was|were|has been|have been) (?:selected|adopted|rejected|declined) (?:because|as|since|over|instead"
        r"|in favou?r)\b",
    ),
    # "Selected the database connector, which is standard"
    ("selected|adopted|picked", r"^(?:selected|adopted|picked) (?!text\b|files?\b|items?\b|rows?\b|by\b|all\b)[a-z]\w"),
    (
        "scoped out|left out|future work|parked|a later |phase ",
        # "research mode is deliberately scoped out as future work"
        r"\b(?:is|are|was|were|been)(?: \w+ly)? (?:scoped out|parked for)\b"
        r"|\b(?:left|moved|pushed|deferred|out) (?:out )?(?:as|for|to) (?:future work|a later (?:phase|version"
        r"|release))\b",
    ),
    (
        "i would |i wouldn",
        # "I would not make the store generic at this stage"
        r"(?<!if )\bi would(?: not|n[’']t) (?:try to |just )?(?:add|build|call|change|go with|introduce|keep|make|merge"
        r"|move|put|remove|rely|split|touch|use|write)\b",
    ),
    ("approved|signed off", r"\b(?:is|are|was|were|been|we|i) (?:approved|signed off)\b"),
    (
        "instead of|rather than",
        # "using a queue instead of threads"
        r"^(?!(?:that|this|it|which|so|by|when|for|and|or|if|not) )(?:\w+ )?(?:using|uses?|running|storing"
        r"|stores|keeping|keeps|reading|writing|calling|returning)\b"
        r"[^.;:]{1,100}\b(?:instead of|rather than)\b",
    ),
    (
        "instead of",
        rf"^instead of [^.;:]{{1,80}} {_WE}\b|\b{_WE} (?:{_TAKING})\b[^.;:]{{1,80}} instead of\b",
    ),
    ("switching to|moving to|sticking with", rf"\b{_WE} (?:switching to|moving to|sticking with)\b"),
    ("plan is to", rf"\bplan is to (?:{_TAKING})\b"),
    (
        "instead|rather than",
        # "I'll run it in a terminal instead"
        r"\b(?:i|we)(?:[’']ll| will) (?!not\b|be\b|answer\b|explain\b)(?![^.;:,]{3,200} so (?:it|that|the|they)\b)"
        r"\w[^.;:,]{3,200}\b(?:instead of|rather than|instead\.?$)"
        # "I'm removing that path rather than leaving it unused"
        r"|\b(?:i[’']m|i am) (?:now |also )?\w{2,20}ing\b[^.;:]{3,160}\brather than \w{2,20}ing\b",
    ),
    (
        "cleanest|simplest|safest|easiest|best |right ",
        # "the simplest fix is to copy the file"
        r"\bthe (?:cleanest|simplest|safest|easiest|best|right) (?:fix|approach|solution|option|way|choice)"
        r"(?: here| now| forward)? (?:is|should be) (?:just )?to \w",
    ),
    (
        "let me ",
        # "let me keep the helper, since two commands use it"
        r"\blet me (?:just )?(?:keep|use|go with|stick with|switch to)\b[^.;:]{3,160}"
        r"\b(?:since|because|instead|rather than|simpler)\b"
        # "let me revert the server change and fix the script instead"
        r"|\blet me (?:just )?(?:drop|fix|make|move|put|remove|replace|revert|rewrite|undo)\b[^.;:]{3,160}\binstead\b",
    ),
    (
        "will use ",
        # "the bar will use the second icon, because it adapts"
        r"\bwill use [^.;:]{3,100}\b(?:because|since|as (?:it|they|this|that))\b",
    ),
    ("makes more sense|makes the most sense", r"\bit makes (?:more|the most) sense to (?!ask\b|check\b|look\b)\w"),
    (
        "let's |let’s ",
        # "let's use the second layout"
        r"\blet[’']s (?:use|take|keep|stay|go with|stick)\b(?! (?:an? (?:\w+ )?look|a more|going|it up|you"
        r"|(?:the )?`?\w*_\w"
        rf"|(?:the )?{_A_TOOL}"
        r"|(?:the )?`?\w+`? (?:command|tool)))",
    ),
    (
        "we'll |we’ll |i'll |i’ll |we will |i will |we shall ",
        # "we'll go with the second layout"
        r"\b(?:we|i)(?:[’']ll| will| shall) (?:use|go (?:with|for)|keep|take|stay with|stick|switch to"
        r"|follow(?! up| these| the steps))\b"
        rf"(?! (?:care|you|an? |look|going|looking|track|(?:my|this|these|the following) |(?:the )?{_A_TOOL}"
        r"|(?:the )?`?\w*_\w|(?:the )?`?\w+`? (?:command|tool)))",
    ),
)
PRINTED_DECISION = DECISION.only(("decided", "decision", "accepted"))
"""Cue phrases that also count in tool output."""
_YES = r"(?:yes|yeah|yep|yup|ok|okay|sure|alright|all right|fine|great|perfect|right|no|nope|nah|cool|good|agreed)"
_CHOSEN = (
    "add|apply|book|build|cancel|change|choose|confirm|convert|create|delete|do|drop|fix|go|implement|include"
    "|keep"
    "|leave|make|merge|move|pick|proceed|process|put|refactor|remove|rename|replace|revert|send|ship|show|skip"
    "|split"
    "|stay|store|switch|take|update|upgrade|use|write"
)
"""Verbs that accept an offer: "yes, use the second one"."""
_PICKED = (
    "use|keep|go (?:with|for|back)|switch|drop|skip|remove|stick|rename|replace|leave|take(?! a look)|choose|pick|stay"
    "|merge|split|move|put|store|revert|ship|defer|postpone|adopt|ignore|call it|make it (?:an? |the )|treat"
    "|limit|default|reuse|book|cancel|upgrade|proceed|not|de-?duplicate|enable|disable|turn (?:on|off)"
    "|do (?!an? |the |some |this|that|it\\b)"
)
"""Verbs that choose between alternatives. "Let's write a test" only asks for the next step."""
_WISHED = "cancel|book|keep|use|switch|take|go with|confirm|choose|skip|proceed|move|drop|remove|leave|replace|change"
"""Verbs after "I want to" that choose."""
TYPED_DECISION = joined(
    DECISION,
    mark_table(
        (
            "go ahead|proceed",
            # "please go ahead"
            r"(?:^|[.;!,:] ?|\bplease |[’']s )(?:please |just |also )?(?:go ahead|proceed)\b(?![^.!?]{0,150}\?)",
        ),
        (
            "let's |let’s |lets ",
            rf"(?<!it )(?<!that )(?<!which )\blet[’']?s (?:(?:just|also|please|instead|rather|not|only) )*(?:{_PICKED}"
            r"|not)\b|\blet[’']?s \w[^.;?]{3,100}\b(?:instead|rather than|for now)\b",
        ),
        (
            "i think we|feel like we|guess we|i think i",
            # "I think we should keep both"
            rf"\b(?:think|guess|feel like) (?:we|i)(?:[’']ll| will| should| can| just| (?:want|need) to){{0,2}}"
            rf" (?:{_PICKED})\b|\b(?:think|guess) (?:we|i) want (?!to\b)\w",
        ),
        (
            "we want |we are |we're |we’re ",
            # "we want a smaller image", "we're dropping the cache"
            r"(?<!things )(?<!what )(?<!how )(?<!that )(?<!where )\bwe want"
            r" (?:to(?! avoid\b)|an?|the|either|it|something)\b"
            r"|(?:^|[.,;:!] |\b(?:so|and|but|ok|okay|yes|no|then|now) )we(?: are|[’']re) (?:\w+ )?(?:changing"
            r"|switching|moving|dropping"
            r"|keeping|using|going (?:to|for)|replacing|removing|renaming|adopting)\b",
        ),
        (
            "i'd |i’d |i would ",
            # "I'd like to book the second one"
            rf"\bi(?:[’']d| would)(?: also| really| rather)? like (?:the|an?|option|both|all|to (?:{_CHOSEN}"
            rf"|upgrade))\b",
        ),
        (
            "want to ",
            # "I still want to cancel"
            rf"\bi(?: \w{{2,12}}ly| just| also| still| now)? want to (?:{_WISHED}|upgrade|send|convert|apply)\b"
            r"(?! (?:it )?(?:to see|sure)\b)",
        ),
        (
            "i would |i'd |i’d ",
            r"\bi(?: would|[’']d) (?:name|call|keep|put|drop|skip|leave|choose) (?:it|this|that|them|the)\b",
        ),
        ("would appreciate", r"\bi would appreciate (?:receiving|being|getting|an?|the)\b"),
        (
            "willing to|happy to|fine with|ok with|okay with",
            r"\bi[’']?a?m (?:willing|happy|fine|ok|okay) (?:to|with)\b",
        ),
        (
            "sounds|looks good|lgtm|ship it|fine by me|no objections|perfect|makes sense",
            # "sounds good, please continue", "LGTM"
            r"^(?:\w+[,.!]? )?(?:that |this |it |all )?(?:all )?sounds (?:good|great|fine|perfect|right"
            r"|like a plan),? (?:please|let|go|do|i[’']ll|we)\b"
            r"|\b(?:LGTM|fine by me|no objections|ship it)\b|^(?:ok(?:ay)?[,.]? )?(?:that "
            r"|this )?makes sense, (?!but\b)",
        ),
        (
            "make it |i'll take|i’ll take|i'd go|i’d go|i'd rather|i’d rather|i would rather|i'd say|i’d say",
            # "make it a list", "I'd go with the first"
            r"\bmake it (?:\d|an? |the )"
            r"|\bi(?:[’']ll take (?!care|a look|you)|[’']d (?:go (?:with|for)|rather (?!it\b|you\b|they\b"
            r"|not\b)|say we|say let)"
            r"| would rather)\b",
        ),
        (
            "option|the first|the second|the third|the latter|the former",
            # "Option B, please", "the second one is better"
            r"^(?:\w+[,.!] )?(?:option [a-d\d]\b|the (?:first|second|third|latter|former)(?: one| option)?)(?:[,.!]"
            r"|$| please"
            r"| is (?:fine|good|better))",
        ),
        ("live with|works for me|sounds good", r"\bcan live with\b|(?<!of those )(?<!options )\bworks for me\b"),
        (
            "i'll |i’ll |i will ",
            # "I'll stick with the morning flight"
            r"\bi(?:[’']ll| will) (?:go for|accept|choose|have|hold off|pass on|skip|stick with|stay with|leave it"
            r"|cancel"
            r"|decline)\b",
        ),
        (
            "i think |i guess ",
            # "I think it's better to wait"
            r"\bi (?:think|guess) (?:it[’']s|that[’']s|this is|it is) (?:fine|ok|okay|better|best|good|enough) (?:to"
            r"|if|that)\b",
        ),
        (
            "yes|yeah|yep|yup|ok|sure|alright|fine|great|perfect|right|cool|agreed",
            # "Yes, please use the second one"
            rf"^{_YES}(?:[,.!] ?| )(?:(?:and|then|so|please|just|now|let[’']?s),? ){{0,3}}(?:{_CHOSEN})\b"
            r"(?! (?:an?|new|some|another)\b)(?![^.!?]{0,150}\?)",
        ),
        ("just ", rf"^(?:please )?just (?:{_PICKED})\b(?![^.!?]{{0,150}}\?)"),
        (
            "the early|we'll |we’ll |we will ",
            r"\bwe(?:[’']ll| will) (?:need|have|want|go|do|support|build|start with)\b",
        ),
        # "we should de-duplicate the hashes first"
        (
            "we should ",
            rf"(?<!if )(?<!think )(?<!what )(?<!how )\bwe should (?:also |just |only |probably )?(?:{_PICKED})\b"
            r"|^(?:no|nope|nah|yes|yeah|ok|okay),? (?:\w+,? ){0,2}we should \w|\bwe should \w[^.;?]{3,100}\b(?:instead"
            r"|rather than)\b",
        ),
        ("i agree|i choose|i confirm|i prefer|i pick", r"\bi (?:agree (?:to|with)|choose|confirm|pick)\b"),
    ),
)
"""Cue phrases of users who choose or accept an offer. Agents announce their next step in the same words."""

_DOING = "done|committed|pushed|deployed|tested|implemented|started|fixed|written"
TASK = mark_table(
    ("next step:", r"^\W*[Nn]ext [Ss]tep: \w"),
    ("todo|fixme|xxx", r"\b(?:TODO|FIXME|XXX)\b[:(]"),
    ("to do:|to-do:", r"\b[Tt]o[- ]do:"),
    # "the next step is a release"
    ("next", r"\b[Nn]ext (?:\w+ )?(?:steps?|up|task|thing) (?:is|are|will be|would be|involves?)\b"),
    ("still ", r"\b[Ss]till (?:to|needs?|has to|have to|missing|open)\b"),
    ("remains to be|remain to be", r"\bremains? to be \w+"),
    ("open question:|open task:|open point:", r"\b[Oo]pen (?:question|task|point):"),
    ("pending|in progress|unfinished", r"\b(?:is|are|remains?) (?:still )?(?:pending|in progress|unfinished)\b"),
    ("not done|left to|to be done", r"\b(?:is|are|remains?) (?:still )?(?:to be done|not done|left to)\b"),
    ("yet", rf"\b[Nn]ot (?:{_DOING}) yet\b|\b[Nn]ot yet (?:{_DOING})\b"),
    ("nothing is ", r"\b[Nn]othing is (?:committed|pushed|done)\b"),
    ("progress", r"\b[Ii]n progress\b\W*$"),
    ("follow-up:|follow up:", r"^\W*[Ff]ollow[- ]up:"),
    (
        "suggest|recommend|proposed|action ",
        # "Suggested fix: Close the file"
        r"^\W*(?:(?:[Ss]uggested|[Rr]ecommended|[Pp]roposed) (?:fix|action|change|step)|(?:[Ff]ix )?[Ss]uggestion"
        r"|[Ff]ix suggestion|[Rr]ecommendation|[Aa]ction (?:item|required|needed))(?: ?#?\d+)?:\W*[A-Z`]",
    ),
    ("be done later|do later|come back to", r"\b(?:be done later|(?:do|fix|add) (?:it|this|that|these|them) later)\b"),
    (
        "not implemented|unimplemented|not written|not covered|not tested|untested|not migrated",
        # "paging is not yet implemented"
        r"\b(?:is|are|still|remains?) (?:still )?(?:not (?:yet )?(?:implemented|written|covered|migrated|tested)"
        r"|unimplemented|untested)\b",
    ),
    (
        "need",
        # "Still needs to handle empty input"
        r"(?:^|\"|[:—–] )(?:[Ss]till )?[Nn]eeds? to (?!know\b|see\b|be\b)\w+ "
        r"|^(?!Everyone )[A-Z]\w+ (?:still )?needs to (?!be\b)\w+",
    ),
    (
        "needs to be|need to be|needs updating|needs fixing|needs work",
        # "the docs need to be updated"
        r"\bneeds? (?:to be (?:\w+ly )?(?:updated|fixed|added|removed|changed|implemented|tested|written|moved"
        r"|renamed|refactored"
        r"|rewritten|replaced|migrated|reviewed|resolved|adjusted|adapted|extended|documented|investigated|done)"
        r"|updating|fixing|work)\b",
    ),
    # "the assertions need updating", "Needs a notification observer"
    (
        "needs |need ",
        r"\b[Nn]eeds? (?:\w+ly )?(?:updating|fixing|testing|cleaning|refactoring|renaming|rewriting|reviewing|checking"
        r"|adding|removing|documenting|replacing|adjusting|attention|rebuilding|investigating)\b"
        r"|^\W{0,4}(?:[Ss]till )?[Nn]eeds an? \w+ \w",
    ),
    (
        "should ",
        # "The section should probably be renamed"
        r"\bshould (?:\w+ly |also |still |then |just )*be (?:updated|fixed|added|removed|changed|implemented"
        r"|tested|moved"
        r"|renamed|refactored|rewritten|replaced|migrated|reviewed|extended|documented|investigated|cleaned up|split"
        r"|merged|extracted|deleted|dropped|noted|mentioned)\b(?! (?:if|when|by|only)\b)",
    ),
    # "the page is missing an example"
    ("is missing ", r"\bis missing (?:an? |any |the |support |tests? |documentation )"),
    ("needs to ", r"\bneeds to (?:use|have|call|return|read|accept) [^.;!?]{2,80}\binstead\b"),
    ("left", r"\b(?:is|are|[’']s) (?:\w+ ){0,5}left (?:from|in|to|over)\b"),
    ("next", r"\b(?:is|are) (?:my|our|the) next (?:\w+ )?(?:target|step|task|goal|job)\b"),
    (
        "will need to |'ll need to |’ll need to ",
        r"\b(?:I|[Ww]e|and)(?: will|[’']ll) (?:also |still |then )?need to (?!know\b|see\b|be\b|follow\b|proceed\b"
        r"|start\b|begin\b)\w+ \w",
    ),
    # "Next we need to add the tests"
    ("next|then", r"^(?:Next|Then|Now|next|then|now),? (?:we|you|I|i) (?:need|have|want) to (?!know\b|see\b)\w+"),
    ("yet", r"\b(?:has|have) (?:not yet been|yet to be) \w+"),
    (
        "need to ",
        r"\b(?:I|[Ww]e) (?:still |also |now )?need to (?:modify|update|fix|add|implement|rewrite|remove|rename"
        r"|move) \w",
    ),
    # "I'm planning to move the loader", "we should rename the fields"
    ("planning to ", r"\b(?:I[’']m|I am|[Ww]e[’']re|[Ww]e are) (?:now )?planning to (?!ask\b)\w+ \w"),
    (
        " should ",
        r"\b(?:I|[Ww]e) should (?:also |then |really )?(?:strip|remove|rename|fix|add|update|clean|refactor|document"
        r"|rewrite|replace|extract|simplify|delete|migrate|implement|move) \w",
    ),
    (
        "i will ",
        # "I will also update the name of the table"
        r"^(?:\w+, )?I will (?:also |then |now )?(?:add|create|document|extend|fix|implement|modify|move"
        r"|refactor|remove"
        r"|rename|replace|rewrite|test|update|write) \w",
    ),
    ("outstanding", r"\b(?:is|are|remains?) (?:still )?outstanding\b"),
    flags=0,
)
TYPED_TASK = joined(
    TASK,
    mark_table(
        (
            "we should |we could |we can |should ",
            # "we should either check for it or fall back"
            r"\b[Ww]e (?:should|could|can) (?:\w+ly |also |first |either |just |then |still )*(?:add|tell|make|create"
            r"|check|reference|mention|rename|remove|move|use|write|show|update|document|fix|include|replace|extract"
            r"|extend|drop|split|merge|test|handle|support|explain|clean|change|implement|reduce|improve|refactor|point"
            r"|link|list|run|turn|put|store|expose|allow|introduce|rewrite|simplify|look into)\b(?! sure\b)"
            r"|\b[Ww]e should (?!be\b|not\b|have\b|see\b|know\b|get\b|only\b|always\b|never\b|all\b|expect\b|keep\b"
            r"|wait\b|stop\b|consider\b|continue\b)[\w-]+ \w"
            r"|^should (?!be\b|not\b|i\b|we\b|it\b|the\b|this\b|that\b)\w+ \w"
            r"|\bshould (?:probably |also )+(?!be\b|have\b|not\b)\w+ \w",
        ),
        (
            "done|finished|complete",
            # "Once that is done, run the tests"
            r"\b(?:[Aa]fter|[Oo]nce|[Ww]hen) (?:you|that|this|it|everything)(?:[’'](?:re|s|ve)| are| is"
            r"| have)? (?:\w+ )?"
            r"(?:done|finished|completed?)\b[^.!?]{0,160}, \w",
        ),
        flags=0,
    ),
)
"""Cue phrases of users who ask for something to be done later."""
TODO = lazy_pattern(r"\b(?:TODO|FIXME)\b[:(][^\n]{5,200}")
"""A note in source code about work to be done: "TODO: handle empty files"."""
PRINTED_TASK = dict.fromkeys(("todo", "fixme"), TODO)
OPEN_BOX = lazy_pattern(
    r"^[ \t>⎿]{0,12}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+\[ \]|[☐◻])[ \t]+[^\n]{3,600}",
    re.M,
)
"""A list item with an empty checkbox: "- [ ] write the changelog", "☐ write the changelog"."""
BOXES = ("☐", "◻")
"""Empty checkboxes that only lists of work have."""
