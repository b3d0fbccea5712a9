"""Further cue phrases of users: wishes, choices and open work that are stated as what is, or what it should be."""

from __future__ import annotations

from inspector.engine.facts.constraint_cues import TYPED_CONSTRAINT
from inspector.engine.facts.cue_phrases import TYPED_DECISION, TYPED_TASK
from inspector.engine.facts.cue_tables import any_case, joined, mark_table
from inspector.engine.facts.error_cues import TYPED_ERROR
from inspector.engine.facts.reply_cues import TOLD_FAILURES

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
            r"|\bi want (?:it|this|that|them|everything|the \w+)(?: to (?:be|look|feel))? (?:more|less|as|like"
            r"|in|on|at"
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
        # "let me see the plan before you start", "I'll do the commits myself"
        (
            "let me |myself",
            r"\blet me (?:see|look at|review|check|approve|read|confirm|know) [^.;!?]{2,80} before you\b"
            r"|\b(?:let me|i[’']ll|i will|i want to) (?:do|write|handle|run|make|take care of|commit|push|merge)\b"
            r"[^.;!?]{1,60}\bmyself\b",
        ),
        # "It will be a single instance service"
        (
            "will be |will only |will never |will always ",
            r"^(?:and |so )?(?:it|this|that|they|the \w+|each \w+|every \w+|all \w+)(?: \w+)? will (?:only "
            r"|always |never "
            r"|all )?be (?:an? |one |used |stored |run |running |deployed |sorted |grouped |called |shown |in "
            r"|on |given )",
        ),
        # "NO CODE CHANGE", "no ui changes please"
        ("change", r"^no (?:code|ui|api|schema|logic|functional|other|config|design) changes?\b"),
        # "we should always have one copy", "everyone should have a list"
        (
            "should ",
            r"\b(?:we|you|everyone|everybody|every \w+|each \w+|users?|all \w+) should (?:always|never|only) \w"
            r"|^(?:everyone|everybody|each \w+|every \w+) should (?:have|see|get|be able to)\b"
            r"|\bno (?:situation|case|way) (?:where|in which) [^.;!?]{3,80} should\b",
        ),
        # "make it reversible", "make the window fit in 800x600"
        (
            "make ",
            r"\bmake (?:it|them|this|that|the [\w ]{2,30})(?: also| always| to)? (?:fit|work|\w{4,}able"
            r"|\w{4,}ible)\b",
        ),
        # "Backwards compatibility doesn't matter", "disregarding the old format"
        (
            "matter|care about|disregard|feel free to",
            r"\b(?:backwards? compatibility|compatibility|speed|performance|size|looks?|order) (?:does not"
            r"|doesn[’']?t"
            r"|is not|isn[’']?t) (?:matter|important|needed|required)\b|\b(?:we|i) (?:do not|don[’']?t) care about \w"
            r"|\bfeel free to (?:make (?!an?\b|the\b)\w+ \w+ changes|break|rewrite|drop)\b",
        ),
        # "Use the plain format instead of the long one"
        ("instead of ", r"^(?:please |just |also )?use [^.;!?]{2,80} instead of \w"),
        # "we rely on the tracker, not on a file", "plain text, nothing else"
        (
            ", not |nothing else|nothing fancy|only for now|is enough|at most",
            r"\b(?:we|i) (?:rely|work|depend|go|write|speak) [^.;!?]{2,60}, not \w|,? nothing (?:else|fancy)\b"
            r"|^[\w ]{2,30} (?:is|are) enough\b|^[\w ]{2,30} only for now\b",
        ),
        # "the tables have the same width", "every row has its own icon"
        (
            "same |its own |their own |aligned |centered |centred |sticky",
            r"^(?:then |and |so |also )?(?:both|all|every|each|everything) [^.;!?]{0,60}\b(?:ha(?:s|ve)|is|are|gets?)"
            r"(?: of)? (?:the same|its own|their own|aligned|cent(?:er|re)d|sticky)\b",
        ),
        (
            "only ",
            # "Report only material findings"
            r"^(?:please )?(?:report|use|include|show|list|mention|change|test|keep|touch|edit|read"
            r"|consider) only \w",
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
            r"(?:remove|drop|abandon|delete|rename|revert|merge|close|disable|replace|get rid of|start over"
            r"|rewrite)\b",
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
        # "I selected revert", "we went for the second one"
        (
            "selected|went for",
            r"^(?:ok,? |okay,? |so )?(?:we|i)(?:[’']ve| have)? (?:selected|went for) (?:the |option |both "
            r"|keep |\w+$)",
        ),
        # "no need for a cache, just read the file"
        ("no need ", r"^(?:no,? |there is |there[’']?s )?no need (?:for|to) [^.;!?]{2,60}(?:,|\.\.\.|;| -) ?just \w"),
        # "we do containers first", "we start with the parser"
        ("first|start with", r"^(?:ok,? |so |then )?we (?:do|start with|begin with) [^.;?!]{2,40}(?: first)[.!]?$"),
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
TYPED_FAILURES = joined(
    joined(TYPED_ERROR, TOLD_FAILURES),
    any_case(
        # "there is one failure", "there appears to be a conflict"
        (
            "there ",
            r"^(?:but |and |so |also,? )?there(?:[’']?s| is| are| was| were| appears? to(?: a)? be| seems? to be) "
            r"(?:still |also |now )?(?:an?|one|two|three|some|several|\d{1,3}) (?:[\w-]+ ){0,2}(?:errors?"
            r"|failures?|conflicts?|bugs?"
            r"|crash(?:es)?|regressions?|mismatch(?:es)?|typos?|glitch(?:es)?)\b(?![^.!]{0,160}\?)",
        ),
        # "there is nothing in the list when I open it"
        (
            "nothing ",
            r"\bnothing (?:is |was )?(?:there|shows?|showing|appears?|appeared|displayed|visible|changes?|changed)\b",
        ),
        # "why am I seeing two of them"
        (
            "why am i |why do i |why is it |why are ",
            r"\bwhy (?:am i|do i) (?:still )?(?:seeing|see|getting|get"
            r"|have to)\b",
        ),
        # "it doesnt do that", "this still won't show the total"
        (
            "n't |n’t |doesnt |didnt |wont |isnt ",
            r"\b(?:it|this|that|which|button|page|list|menu|app|script|command|image|text|table|link|search|filter)"
            r" (?:still |just |also |now |really )?(?<!so it )(?:doesn[’']?t|didn[’']?t) "
            r"(?!matter\b|need\b|have to\b|happen again\b|mean\b|hurt\b|require\b|make sense\b)[a-z]"
            r"|\bit (?:still |just )?isn[’']?t (?!a |an |the |that |my |necessary|needed|required|important)[a-z]",
        ),
        # "I still see the old one", "I can still click it"
        (
            "still ",
            r"\bi (?:can )?still (?:see|get|have (?:the same|this|that|an?)|can(?:[’']?t|not)? (?:see|use|open"
            r"|click|edit))\b"
            r"|\bstill (?:the same|not|nothing|no (?:change|difference|luck)|empty|blank|broken|wrong|slow|showing"
            r"|getting|seeing|doesn[’']?t|doesnt|shows?)\b(?! (?:need|have|want|sure|clear))",
        ),
        # "The formatting is incorrect", "the table looks off"
        (
            "incorrect|blank|misaligned|cut off|unreadable|off by|too slow|very slow|blurry|cluttered|a mess|all zero"
            "|out of order|upside down|unresponsive",
            r"\b(?:is|are|was|were|looks?|seems?|comes? (?:up|out|back)|came (?:up|out|back)) (?:still |all "
            r"|very |now "
            r"|completely |too |a bit |also |being )?(?:incorrect|blank|misaligned|cut off|unreadable|off by"
            r"|slow|blurry"
            r"|cluttered|a mess|zero|out of order|upside down|unresponsive)\b",
        ),
        # "removing them broke the import", "that messed up the order"
        (
            "broke |messed up|ruined|destroyed|overlap|disappear|vanish|duplicated",
            r"\b(?:broke|messed up|ruined|destroyed) (?:the (?!ice\b|law\b|news\b)|our |all |every\w* |it\b)"
            r"|\b(?<!should )(?<!not )overlaps (?:the|with|my|each)\b"
            r"|\b(?:has|have|just|it|they|button|menu|text|image|list) (?:disappeared|vanished|disappears"
            r"|vanishes)\b",
        ),
        # "nothing happens when I click it", "for some reason it is empty"
        (
            "nothing happens|nothing happened|for some reason|not what i|every few minutes|keeps |kept |twice",
            r"\bnothing (?:happens|happened)\b|\bfor some reason\b|\bnot what i (?:asked|wanted|meant|said)\b"
            r"|\b(?:it|that|this|app|page|window|screen|list|server|build) (?:keeps|kept) \w+ing\b"
            r"|\b(?:opens|runs|ran|shows|appears|fires|sent|loads|prints) (?:up )?twice\b",
        ),
        # "now the header is gone", "the names are missing"
        (
            "gone|missing",
            r"\b(?:is|are) (?:all |now |completely )?gone[.!]?$|\bmy [\w ]{2,40} (?:is|are) gone\b"
            r"|^(?!what )(?:\w+ ){0,3}(?:the|my|some|half of the|all the)"
            r" [\w ]{2,40}\b(?:is|are) (?:still |now |all )?missing\b",
        ),
        # "session ID conflict: the branch has other commits", "hook error: failed with 1"
        ("conflict: |error: |denied by", r"^[\w. ]{2,40}\b(?:conflict|error): \w|^(?:\W{0,4})denied by \w"),
        ("⨯ |✗ |✘ ", r"^\s*[⨯✗✘] \S"),
    ),
)
