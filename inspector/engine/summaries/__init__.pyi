from inspector.engine.summaries.extractive.gist import GIST_EXTRACTOR as GIST_EXTRACTOR, gist as gist
from inspector.engine.summaries.extractive.summarize import summarise as summarise
from inspector.engine.summaries.model.bounded_bodies import bound_vectors as bound_vectors
from inspector.engine.summaries.model.endpoint_client import fetch_answer as fetch_answer
from inspector.engine.summaries.model.error_quotes import (
    clean_sentence as clean_sentence,
    describe_error as describe_error,
    quote as quote,
)
from inspector.engine.summaries.model.failures import (
    DeadlineError as DeadlineError,
    Failure as Failure,
    connection_loss as connection_loss,
    failure_of as failure_of,
)
from inspector.engine.summaries.model.flow import (
    CallTotals as CallTotals,
    Pause as Pause,
    Step as Step,
    SummaryFlow as SummaryFlow,
    drive_async as drive_async,
)
from inspector.engine.summaries.model.model_answers import (
    CUT_OFF as CUT_OFF,
    USAGE_FIELDS as USAGE_FIELDS,
    Answer as Answer,
    AnswerCall as AnswerCall,
    answer_of as answer_of,
    choice_of as choice_of,
    field_of as field_of,
    parse_usage as parse_usage,
    text_of as text_of,
)
from inspector.engine.summaries.model.model_settings import (
    MODEL_APIS as MODEL_APIS,
    MODEL_VARIABLES as MODEL_VARIABLES,
    ModelSettings as ModelSettings,
    from_environment as from_environment,
    setup_fault as setup_fault,
)
from inspector.engine.summaries.model.retries import final_clause as final_clause, retry_wait as retry_wait
from inspector.engine.summaries.model.summarizer import ModelSummariser as ModelSummariser, cancellation as cancellation
from inspector.engine.summaries.summary_errors import (
    MissingClientError as MissingClientError,
    NoSavingError as NoSavingError,
    SummaryCancelledError as SummaryCancelledError,
    SummaryError as SummaryError,
)
from inspector.engine.summaries.summary_sections import TITLE as TITLE
