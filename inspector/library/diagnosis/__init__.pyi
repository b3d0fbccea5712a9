from inspector.library.diagnosis.consequence_words import (
    consequence_label as consequence_label,
    consequence_name as consequence_name,
    describe_consequence as describe_consequence,
)
from inspector.library.diagnosis.evidence import (
    Findings as Findings,
    LateNeed as LateNeed,
    Overview as Overview,
    look_back as look_back,
)
from inspector.library.diagnosis.judgement import judge as judge, survey as survey, verdict as verdict
from inspector.library.diagnosis.sentence import Clause as Clause, Piece as Piece, Role as Role, Verdict as Verdict
from inspector.library.diagnosis.shares import WindowShare as WindowShare, largest_messages as largest_messages
from inspector.library.diagnosis.stated_costs import (
    describe_stated_cost as describe_stated_cost,
    stated_cost as stated_cost,
)
from inspector.library.diagnosis.tool_advice import ToolAdvice as ToolAdvice, advise as advise
from inspector.library.diagnosis.why_answers import (
    Case as Case,
    Saving as Saving,
    WhyAnswer as WhyAnswer,
    no_compaction as no_compaction,
)
