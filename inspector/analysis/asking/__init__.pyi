from inspector.analysis.asking.asked_contexts import (
    PLANS_LABEL as PLANS_LABEL,
    RECORDED_LABEL as RECORDED_LABEL,
    AskedContext as AskedContext,
    asked_calls as asked_calls,
    preset_context as preset_context,
    restored_context as restored_context,
    strategy_context as strategy_context,
    with_edits as with_edits,
    with_question as with_question,
)
from inspector.analysis.asking.asking_run import (
    AskedCall as AskedCall,
    AskedReply as AskedReply,
    Asker as Asker,
    CallEstimate as CallEstimate,
)
from inspector.analysis.asking.call_limits import MAX_COST as MAX_COST, MAX_OUTPUT as MAX_OUTPUT
from inspector.analysis.asking.culprits import (
    Culprits as Culprits,
    asked_part as asked_part,
    suspects as suspects,
)
from inspector.analysis.asking.experiment_cases import (
    case_rows as case_rows,
    cases_text as cases_text,
    is_written_by as is_written_by,
)
from inspector.analysis.asking.kept_replies import CachedReplies as CachedReplies, kept_reply as kept_reply
from inspector.analysis.asking.model_setup import (
    ModelSetupError as ModelSetupError,
    asked_model as asked_model,
    asker_of as asker_of,
    expected_output as expected_output,
)
from inspector.analysis.asking.part_search import (
    BlamedPart as BlamedPart,
    editable_text as editable_text,
)
from inspector.analysis.asking.reply_trials import (
    Expectation as Expectation,
    ReplyTrials as ReplyTrials,
    TrialError as TrialError,
)
from inspector.analysis.asking.same_steps import (
    ASKED_TURNS as ASKED_TURNS,
    ITSELF as ITSELF,
    SameSteps as SameSteps,
    StepQuestions as StepQuestions,
    same_step_lines as same_step_lines,
    step_questions as step_questions,
    telling_turns as telling_turns,
)
from inspector.analysis.asking.source_search import (
    ReplySource as ReplySource,
    SourcePlace as SourcePlace,
    reply_sources as reply_sources,
    source_weights as source_weights,
    stated_nowhere as stated_nowhere,
)
from inspector.analysis.asking.step_agreement import (
    StepReply as StepReply,
    call_object as call_object,
    is_among as is_among,
    is_same_step as is_same_step,
    reply_step as reply_step,
)
from inspector.analysis.asking.text_calls import text_call as text_call
