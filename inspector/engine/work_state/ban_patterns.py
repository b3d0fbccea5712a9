"""Patterns of sentences that forbid an action, after `plain_sentence`."""

from __future__ import annotations

from inspector.core.text import cued_pattern, lazy_pattern, word_set
from inspector.engine.work_state.rule_verbs import FORM, FORM_WORDS, PARTICIPLE

NEGATED = word_set("not never t dont cannot")
_NEGATIONS = NEGATED | word_set("no avoid refrain abstain without stop quit forbidden rather")
STAYING = word_set(
    "limits bounds off taboo immutable read frozen untouched untouchable unchanged alone sacred locked intact as way"
    " how where go stable append none not identical same delivered received provided supplied shipped"
)

_ADVERBS = (
    r"(?: (?:ever|please|(?:should |may |must )?you|just|yet|directly|even|to|actually|really|simply|go and|try to"
    r"|start|under any circumstances|by any means|manually|blindly|automatically|silently|accidentally|again|also"
    r"|either|so much as|do|any))*"
)
_NOT = (
    r"(?:do not|don't|dont|never|must not|mustn't|may not|should not|shouldn't|shall not|can't|cannot|can not"
    r"|not allowed to|not supposed to|not permitted to|(?:are|is|'re|'m) not to|avoid|refrain from|abstain from"
    r"|(?:i|we)(?:(?:'ve| have|'d)? (?:told|asked|warned)(?: you)? (?:not|never)| (?:didn't|did not|never) ask you) to"
    r"|without|no more|stop|quit"
    r"|under no circumstances|at no point|in no case|(?:want|like|need|have) you to not"
    r"|don't want you to|not want you to|rather you (?:did not|didn't)|forbidden to|no need to|don't want to"
    r"|do not want to|please no|not (?=\w{3,20}ing\b))"
)
_OBJECT = r"((?:[^.;:!?\n(]|\.(?=[\w/*])|(?<=\w)[.:](?=\w))*)"
FORBIDS = cued_pattern(
    rf"(?i)(?<![\w-]){_NOT}{_ADVERBS} (?:(?!(?:{FORM})\b)[\w-]{{3,20}}(?:,? or |/))?({FORM})\b((?:(?:, or|, nor"
    rf"|,| or| and| nor|/) ?(?:ever )?(?:{FORM})\b)*){_OBJECT}",
    _NEGATIONS,
    FORM_WORDS,
)
PASSIVE = cued_pattern(
    rf"(?i)^(?:(?:and|but|so|also|please|note that|remember that) )*((?:[^.,;:!?\n]|\.(?=\w)){{2,80}}?) (?:must|may"
    r"|should|shall|can|is|are|will|has|have|gets?|ought)(?: not| never|n't|not)(?: to| ever| under any circumstances"
    rf"| (?:physic|manu|direct|silent|automatic|ful|real)\w*)* (?:be |get )?({PARTICIPLE})\b",
    NEGATED,
    FORM_WORDS,
)
NO_ONE = cued_pattern(
    rf"(?i)\b(?:nothing(?: (?:that|which))?|nobody|no one|no (?P<what>[\w.-]{{2,30}}(?: [\w.-]{{2,30}})?)) (?:(?:in"
    rf"|under|inside|on) (?P<place>[\w./-]{{2,30}}(?: [\w./-]{{2,30}}){{0,2}}?) )?(?:(?:may|must|should|shall|can"
    rf"|is to|gets?|will|is|are|ever) ){{0,3}}(?:be )?({FORM})\b{_OBJECT}",
    frozenset(("nothing", "nobody", "no")),
    FORM_WORDS,
)
GOES_NOWHERE = cued_pattern(
    r"(?i)\bnothing (?:goes|is going|gets|leaves|lands|ends up|may go|should go) (?:to|into|onto|on|in|out to)"
    r" ([^.,;:!?\n]{2,60})",
    "nothing",
)
_STAYS = (
    r"(?:off[- ]limits|out of bounds|off the table for changes|taboo|immutable|read[- ]only|frozen|untouched"
    r"|untouchable|unchanged|alone|sacred|locked|intact|as[- ]is|as it is|as they are|(?:the way|how) (?:it"
    r"|they) (?:is|are)|where (?:it|they) (?:is|are)|a no-go|stable|append-only|none of your (?:business|concern)"
    r"|(?:byte (?:for|by) byte |exactly )?as (?:delivered|received|provided|supplied|shipped)|not (?:(?:yours|ours"
    r"|mine)(?: to \w+)?|to be touched|negotiable|up for changes?)|(?:(?:byte|bit)[ -])?identical|the same)"
)
GUARD = cued_pattern(
    rf"(?i)^(?:(?:and|but|so|also|please|note that|remember that|remember) )*(?:the |our |my |all "
    rf"|any )?([^,;:!?\n]{{2,80}}?) (?:(?:(?:is|are)(?! where)|stays?|remains?|(?:must|has to|have to|should|shall"
    rf"|needs to|need to|will) (?:stay|remain|be|be left|be kept|keep))(?: strictly| completely| exactly| just"
    rf"| absolutely| considered)?) {_STAYS}\b",
    "is are stay stays remain remains be left keep kept",
    STAYING,
)
KEPT_THING = cued_pattern(
    r"(?i)(?:^|[,;:.] ?|\b(?:but|and|please|so) )(?:keep|retain|preserve) ((?:my|our|all|the|every|those|these)\b"
    r" (?!changes|edits|work|code|it|replies|answers|commits?|messages?)[\w./-]{2,40}(?: [\w./-]{2,40}){0,2})"
    r"(?=[.,;!]|$)",
    "keep retain preserve",
)
"""A thing that must not be deleted: "clean up the disk, but keep my docker volumes"."""
SURVIVES = cued_pattern(
    r"(?i)(?:^|[,;:.] |\b(?:and|but|so|because) )(?:the |our |my |all )*((?:[^.,;:!?\n]|[.:](?=[\w/])){2,60}?) (?:must"
    r"|has to|have to|needs? to|should|shall) (?:survive(?: this| that| it| all this)?|be (?:kept|preserved|retained)"
    r"|not (?:get |be )?lost)\b(?=[.,;!)]|$| (?:until|for now|please|because|so|at all|in any case)\b)|\b(?:make sure"
    r"|see to it)(?: that)? (?:the |our |my |all )*((?:[^.,;:!?\n]|\.(?=\w)){2,60}?) survives?\b",
    "survive survives kept preserved retained lost",
)
LEAVE = cued_pattern(
    rf"(?i)\b(?:leave|keep|preserve) ((?:[^.,;:!?\n]|\.(?=\w)){{2,80}}?) (?:exactly |just |completely "
    rf"|strictly )?{_STAYS}(?![\w-])",
    "leave keep preserve",
    STAYING,
)
HANDS = cued_pattern(
    r"(?i)(?:\b(?:hands|fingers|paws) off(?: of)?|\bkeep (?:your )?(?:hands|fingers|paws) (?:off|away)(?: of| from)?"
    r"|\b(?:stay|keep|steer) (?:well |far )?(?:away from|out of|clear of|off)|^(?:(?:and|but|please) )*(?:spare"
    r"|preserve)) ((?!it\b|that\b|this\b|them\b)(?:[^.,;:!?\n]|\.(?=\w)){2,80})|\b(?:keep|preserve|leave"
    r"|spare) (?:everything|anything|all(?: files)?|whatever is) (?:in|under|inside|below) ((?:[^.,;:!?\n]"
    r"|\.(?=\w)){2,80})",
    "hands fingers paws stay keep steer spare preserve leave",
)
NO_DUTY = lazy_pattern(
    r"(?i)(?:\b(?:not|never|no (?:need|reason|obligation)|needn't|don't|doesn't|neither)\b[\w ]{0,24} ?)$"
)
"""Words before "leave it alone" by which it is no rule: "You don't have to"."""
MUST_NOT_CHANGE = cued_pattern(
    r"(?i)\b([\w./-]{2,40}(?: [\w./-]{2,40})?) (?:must not|mustn't|may not|should not|shouldn't|can't|cannot"
    r"|must never|should never|is not to|are not to) change\b(?=[.,;!]|$)",
    "change",
)
DOING_IT = cued_pattern(
    r"(?i)(?<![\w-])([a-z]{3,14}ing)\b([^.,;:!?\n]{1,60}?) (?:is|are) (?:strictly |absolutely )?(?:forbidden"
    r"|not allowed|prohibited|off[- ]limits|a no-go|banned|not ok(?:ay)?|not permitted|verboten)\b",
    "forbidden allowed prohibited off go banned ok okay permitted verboten",
)
KEPT_RUNNING = cued_pattern(
    r"(?i)\b(?:keep|leave|let) ([^.,;:!?\n]{2,60}?) (?:running|up|alive|online|as running|run)(?=[.,;!]|$| and\b)"
    r"|(?:^|[.,;:!] |\b(?:and|but|so|because) )(?:the |our |my )?([^.,;:!?\n]{2,60}?) (?:has to|have to|must|needs? to"
    r"|should) (?:keep (?:on )?|stay |remain )(?:running|up|alive|online)(?=[.,;!]|$| and\b)",
    "keep leave let stay remain",
    "running run up alive online",
)
WILL_DO = cued_pattern(
    r"(?i)\bi(?:'m going to| will|'ll| want to) (?:(?:do|handle|take care of|run|make) (?:the |that |all )?|(?:review"
    rf"|check|test|verify|look at)(?: (?:it|them|this|that|everything))? and )({FORM})\b([^.;:!?\n,]{{0,40}})",
    "i",
    "do handle take run make review check test verify look",
    FORM_WORDS,
)
LEAVE_IT = cued_pattern(
    r"(?i)(?<=[.,;:–—-] )hands off()[.!]*$|(?:^|[,;:.] ?|\b(?:so|and|please|but) )leave (them|it"
    r"|those|these|that)(?: alone| be| there| in place)?(?=[.,;!]|$| please| and\b)",
    "hands leave",
)
UNDONE = cued_pattern(
    rf"(?i)\b(?:leave|keep|stays?|remains?|be left|be kept)\b([^.;:!?\n]{{0,60}}?) un((?!touch|chang){PARTICIPLE})\b",
    "leave keep stay stays remain remains left kept",
)
"""A rule that something stays undone: "Leave all changes uncommitted"."""
MINE = cued_pattern(
    r"(?i)(?<![\w`])`?([a-z]{3,12})`?((?: [\w./-]{2,30}){0,3}?) (?:is|are|remains?|stays?) (?:mine|my (?:own )?(?:job"
    r"|call|task|decision|business|part|responsibility)|up to me|on me|with me|for me(?: to do)?|the (?:job|task) of"
    r"|done by (?:ci|me|us|ops|the|our|my|a)\b|not your job|none of your)\b",
    "mine my me job task done your",
)
SELF = cued_pattern(
    rf"(?i)\b(?:i|we|ci|the (?:ci|pipeline|release team|ops team|bot|team))(?:'ll| will| want to|'d rather"
    rf"| always| prefer to|'m going to)?(?: do| handle)?"
    rf"(?: the| all| any)* ({FORM})\b([^.;:!?\n,]{{0,40}}?) (?:myself|ourselves|by hand|on my own|manually)\b",
    "myself ourselves hand own manually",
    FORM_WORDS,
)
LEFT_TO_USER = cued_pattern(
    rf"(?i)\b(?:leave|leaving) (?:the |all |any )*({FORM})\b([^.,;:!?\n]{{0,40}}?) (?:to|for) (?:me|us)\b",
    "leave leaving",
    FORM_WORDS,
)
ASK = cued_pattern(
    r"(?i)\b(?:ask|check|consult|confirm|tell|warn|ping|talk|wait|show me|let me know|run (?:it|this|that) (?:by"
    r"|past)|(?:want|need|like|have) to (?:see|read|review|check|approve|look at|go over|go through)|clear (?:it|that"
    r"|this)|(?:get|need|want|seek|have)(?: my| an?| the| explicit)* (?:ok(?:ay)?|approval|permission|go|go-ahead"
    rf"|consent|sign-?off|confirmation|blessing))\b[^.;:!?\n]{{0,40}}?\b(?:before|prior to) (?:you |ever |actually "
    rf"|any |we |(?:it|they|anything|each|one) (?:is |are |gets? |goes ))*({FORM})\b{_OBJECT}",
    "before prior",
    FORM_WORDS,
)
BEFORE = cued_pattern(
    rf"(?i)\bbefore (?:you |ever |any )*({FORM})\b((?:[^.,;!?\n]|\.(?=\w)){{0,80}}?),? (?:please |always |first "
    r"|you )*(?:ask|check with|wait for|confirm with|talk to|get my|tell me|run it by|show me|consult|need my)\b",
    "before",
    FORM_WORDS,
)
NOT_YET = cued_pattern(
    rf"(?i)^(?:please |and |but )*(?:only )?({FORM})\b([^.;!?\n]{{0,60}}?),? (?:but )?(?:only )?(?:after|once"
    rf"|when) (?:i|my|we)\b",
    "after once when",
    "i my we",
    FORM_WORDS,
)
ONLY = (
    cued_pattern(
        rf"(?i)(?:^|[,;:.] ?|\b(?:and|but|so|please|to) )(?:you (?:may|can|should) )?(?:only"
        rf"|just) (?:ever )?(?P<verb>{FORM})\b(?P<what>[^,;!?\n]{{2,80}}?)(?=,? and nothing else|[,;!?]|\.(?:\s"
        rf"|$)| [-–—] |$)",
        "only just",
        FORM_WORDS,
    ),
    cued_pattern(
        rf"(?i)\b(?:you (?:may|can|should) |please |^)(?P<verb>{FORM})\b(?P<what>[^,;!?\n]{{2,60}}?) (?:only"
        rf"|exclusively|and nothing else)(?=[,;!?.]| [-–—] |$)",
        "only exclusively nothing",
        FORM_WORDS,
    ),
)
INSTEAD = cued_pattern(
    r"(?i)\b(?:use|run|prefer|with|via|through|take|stick to|go with|using|on"
    r"|in)\b ([^.,;:!?\n]{1,50}?),? (?:and )?(?:not|never|instead of|rather than|over|no) (?:(?:calling|running|using"
    r"|invoking) )?(?!to\b|just\b|only\b|the other\b|that\b|this\b|it\b|a\b|an\b|any\b|in\b"
    r"|on\b)`?([\w@./-]{2,40})`?(?=[.,;!?)]| [-–—(]|$| for\b| proper\b| when\b| in\b| here\b| please\b| anywhere\b|; )",
    "not never instead rather over no",
    "use run prefer with via through take stick go using on in",
)
NO_NAME = cued_pattern(
    r"(?i)(?:^|[,;:(.!] ?|\b(?:and|but|please|also|so|with|absolutely|strictly|you have|you[’']ve got) )(?:no"
    r"|zero) (?:more |new |further |extra |additional |plain |raw |usages? of |calls? to |imports? of "
    r"|direct )*([^.,;:!?\n]{2,60}?)(?=[.,;:!?)]|$| (?:please|until|unless|before|for now|at all|yet|here|anywhere"
    r"|today|on this|in this|in the|in commit\w*|only|without|either|from you|pls|in your|though|ever|ok)\b| [-–—])",
    "no zero",
)
CUT = lazy_pattern(
    r"(?i),(?! ?(?:[\w./*`@-]+ ){0,2}[\w./*`@-]+(?:,| or | and | nor ))(?! ?(?:or|nor) )|,? (?:but|because|since"
    r"|so that|so|as|while|until|till|unless|before|after|if|when|whenever|once|as soon as|hasta(?: que)?|antes de"
    r"|jusqu['’]?à?|avant|bis|bevor|fino a|finché|prima|até|tot(?:dat)?|voordat|even if|except|other than|apart from"
    r"|for now|without|just|only|that|which|who|where|i|it|they|we|he|she|there is)\b(?!-)|,? (?:to (?:get|make|fix"
    r"|pass|avoid|reach|save|solve|work|keep|find|please)|for (?:this|that|it|now)|pls|plz|please|thx|thanks|ok|okay"
    r"|ever|either|at all|anymore|afterwards?|yourself|on your own|by yourself|again|today|yet|anyway"
    r"|this (?:week|month|sprint)"
    r"|under any circumstances|and (?:do|use|keep|run|leave|make|write|put|then|also|don't|never|no|push|commit))\b"
    r"| [-–—] "
)
UNTIL = lazy_pattern(r"(?i)\b(?:until|till|before(?= \S)|unless|without|except when|except if)\b(.{0,80})")
IF = lazy_pattern(r"(?i)(?<!even )\b(?:if|when|whenever)\b(.{0,80})")
ASKED = lazy_pattern(
    r"(?i)\b(?:i|my|me|asking|asked|approv\w*|permission|confirm\w*|ok|review\w*|consent|told|sa(?:ys?|id)"
    r"|go-?ahead|green light|sign(?:s|ed)?[- ]?off|agree[ds]?|okays?|clear(?:s|ed)|looked)\b"
)
ANSWERED = lazy_pattern(r"(?i)\b(?:i|my|me)\b.{0,20}\b(?:answer|repl(?:y|ie)|decide|choose|respond)")
SPARED = lazy_pattern(
    r"(?i)\b(?:except(?: for)?|other than|apart from|besides|excluding|save for) ([^.,;:!?\n]{2,60})|(?:^"
    r"|[.,;:!] ?)(?:the )?([^.,;:!?\n]{2,40}?) (?:is|are) (?:fine|ok|okay|allowed|good|alright|no problem)\b"
)
ALL = lazy_pattern(
    r"(?i)^\W*(?:any ?thing|everything|any (?:(?:source )?code|files?|of (?:it|that|this|my .{0,30}))|any|things|stuff"
    r"|files|code)\W*$|^\W*(?:any ?thing|everything|any (?:files?|code))\b(?! (?:in|under|inside|from|outside|about|on"
    r"|that|related|against|with|to|at|for)\b)"
)
BACK = lazy_pattern(
    r"(?i)\b(?:in there|there|in it|from it|of them|of it|to it|on it|in them|in that folder|in here|of those"
    r"|of these)\W*$"
)
EXAMPLES = lazy_pattern(r"(?i)\b(?:like|such as|for example|e\.g\.|including) (.{2,80})$")
IN_BRACKETS = lazy_pattern(
    r"\(`?([\w.@-]*(?:/[\w.@-]+)+|[\w-]+\.[A-Za-z]\w{0,5})`?\)"
    r"|(?i:\. (?:it|that|this|they|(?:the|das|die|der|le|la|el) [\w-]{2,30}) (?:is|are|lives?|sits?|steht|liegt|está"
    r"|se trouve|can be found) (?:in|at|under|unter|dans|en) )`?([\w.@-]*(?:/[\w.@-]+)+|[\w-]+\.[A-Za-z]\w{0,5})`?"
)
"""A path that names a thing once more: "the Stripe integration (src/stripe.ts)", "The schema lives in db/schema.rb"."""
EXCEPT = cued_pattern(
    r"(?i)\b(?:all|everything|every|each|any ?thing|whatever|any|the rest|the others?|(?:the|our) (?:dep|lib"
    r"|pack)\w{0,12})\b[^.;:!?\n]{0,50}?,? (?:except(?: for)?|apart from|other than|with the exception of|besides"
    r"|excluding|save for|but(?= not\b)) (?:not )?((?:[^.,;:!?\n]|\.(?=\w)){2,60})",
    "except apart other exception besides excluding save but",
)
"""A request whose exception is the rule: "Update all dependencies except django"."""
NEGATES = lazy_pattern(r"(?i)\b(?:not|never|nothing|no|don't|avoid|without|nobody|only|ask|before|unless|stop)\b")
SUBJECT_OF = lazy_pattern(
    r"(?i)^(?:(?:and|but|so|also|please|when(?:ever)?|if|note that|remember that|remember|note:?) )*(?:the |our |my "
    r"|all |any |those |these )?(.{2,80}?) (?:fails?|breaks?|is|are|was|were|has|have|holds?|stays?|lives?|belongs?"
    r"|must|may|should|can|will"
    r"|gets?|contains?|takes?|needs?|runs?|works?|comes?|do(?:es)?|did|go(?:es)?|look|looks|came|might|could)\b"
)
OBJECT_OF = lazy_pattern(
    r"(?i)\b(?:look (?:in|into|at)|read|query|want|see|us(?:es?|ing)|run(?:ning|s)|testing|watching|owns|inspect|open"
    r"|t?here (?:is|are)|have|got|about|in|with) (?:the |our |my |some |local )*((?:[^.,;:!?\n]|\.(?=\w)){2,50}?)"
    r"(?= (?:if|but|and|until|of (?:mine|ours)|[io]n the|for|when)\b|[,;:!?]|\.(?!\w)|$)"
)
REPORTED = lazy_pattern(
    r"(?i)\b(?:i|we|it|they|he|she|that|which|who|there|users?|customers?|clients?|tests?|app|server|function|button"
    r"|told|said|says|script|job|system|places|parts|callers|seems?|looks|was|were|intern|supposed|apparently|why|how"
    r"|code|page|does|did|(?:my|our|the|their|other|another|'s) (?:\w{2,20} ){0,2}(?:bot|colleague|reviewer|intern"
    r"|agent))\b[^,;:.(!?]{0,80}$"
)
STATED = lazy_pattern(
    r"(?i)\bwe (?:do not|don't|never) (?:ever )?(?:use|commit|push|touch|edit|write|add|import|merge|deploy"
    r"|mock|log)\b|\b(?:i|we) (?:(?:really|just|simply|absolutely|also|still) )?(?:do not|don't|never|would not"
    r"|wouldn't) (?:want|need|like|wish)\b|\b(?:i|we)(?:'d| would)? rather\b"
)
HYPOTHETIC = lazy_pattern(
    r"(?i)\b(?:don't (?:worry|hesitate|forget|know|think|see|understand|mind|care|get me)|no (?:problem|worries"
    r"|need|idea|rush|hurry))\b"
)
QUOTED = cued_pattern(
    r"(?i)\b(?:said|says|wrote|asked|told|error|message|saying|reads)\b[^'\"“]{0,20}['\"“]",
    frozenset(("said", "says", "wrote", "asked", "told", "error", "message", "saying", "reads")),
)
PAUSE = "approval"
WITHOUT = lazy_pattern(r"(?i)^(?:please |and |ok(?:ay)?,? )?(?:can|could|would|will) you\b.{3,200}\bwithout \w+ing\b")
"""A question that asks for work and states a rule: "Can you fix it without touching the tests?"."""
NOTHING = cued_pattern(
    r"(?i)(?:^|[,;:.] ?|\b(?:please|strictly|just|stay|keep it|remain|so|and|but) )(?:(?:change|touch|edit|modify"
    r"|write|implement) nothing|hands off$|no (?:edits|changes|code changes|writes)(?! (?:outside|beyond|except"
    r"|other than|to|in|of)\b)|read[- ]only)\b|\b(?:ändere nichts|nichts (?:ver)?(?:ändern|anfassen|bearbeiten)"
    r"|ne (?:change|modifie|touche)[rsz]? (?:à )?rien|no (?:cambies|toques|modifiques|edites) nada)\b(?! (?:ander|an"
    r"|am|im|in|auf|à|au|aux|dans|en|a|al|del|de)\b)",
    "nothing hands no read nichts rien",
)
_NO_OPTION = (
    r"(?:off the table|out of the question|not an option|no option|a no-go|not on the table|not happening|ruled out"
    r"|banned|forbidden|prohibited|verboten|taboo|not allowed|not permitted|not acceptable|unacceptable|not ok(?:ay)?)"
)
NO_OPTION = cued_pattern(
    rf"(?i)(?:^|[.;:] |\b(?:and|but|also|so) )(?:(?:the |our |my |any |a |an |using ))?"
    rf"((?:[^.,;:!?\n]|\.(?=\w)){{2,60}}?) (?:is|are|would be|remains?)"
    rf" (?:strictly |absolutely |completely |totally |also )?{_NO_OPTION}"
    r"(?=[.,;:!)]|$| (?:for|here|in|until|unless|please|because|since|right now|today|on)\b| [-–—])",
    "table question option go happening ruled banned forbidden prohibited verboten taboo not unacceptable",
)
"""A thing or action that a rule excludes: "Redis is off the table"."""
INSTEAD_OF = cued_pattern(
    r"(?i)(?:^|[.;:!?] |\b(?:and|but|so|please|also) )(?:instead of|rather than) (?!(?:the|a|an|this|that|these|all"
    r"|having|it|just|only)\b)((?:[^.,;:!?\n]|\.(?=\w)){2,50}?),? (?:please |always |you should |just )*(?:use|do|run"
    r"|take|write|go with|go for|prefer|make|call|put|add|edit|create|import|pick|reach for|stick (?:to|with))\b",
    "instead rather",
)
"""A rule that names the excluded thing first: "Instead of npm use pnpm"."""
UNKNOWN = cued_pattern(
    r"(?i)(?<![\w-])(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|may not|(?:you|we) (?:can't"
    rf"|cannot)|avoid|refrain from|no(?= \w+ing\b)){_ADVERBS} (?!(?:{FORM})\b)([a-z][a-z-]{{2,14}})(?: (?:up|down|off"
    rf"|out|away|over|with|at|on|to|into))? (?:the |our |my |any |all )*((?:[^.,;:!?\n(]|\.(?=[\w/*])){{2,60}})",
    "not t dont never avoid refrain cannot no",
)
"""A prohibition whose verb is not known: "Don't nuke the fixtures"."""
HEADLINE = cued_pattern(
    r"(?:No|Never|Without|Avoid)(?: (?:[A-Z][\w-]{0,30}|to|of|and|or|the|for|in)){2,8}",
    "no never without avoid",
)
"""A title, which is no sentence: "No Built-in To-Dos"."""
