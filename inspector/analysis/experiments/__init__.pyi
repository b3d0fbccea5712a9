from inspector.analysis.experiments.corpus import (
    CorpusRow as CorpusRow,
    CorpusVerdict as CorpusVerdict,
    PresetFigures as PresetFigures,
    SessionFigures as SessionFigures,
    corpus_rows as corpus_rows,
    corpus_verdict as corpus_verdict,
    figures_of as figures_of,
)
from inspector.analysis.experiments.corpus_words import (
    CORPUS_WIDTH as CORPUS_WIDTH,
    GOING_ON_WIDTH as GOING_ON_WIDTH,
    corpus_cells as corpus_cells,
    corpus_heads as corpus_heads,
    corpus_notes as corpus_notes,
    corpus_sentences as corpus_sentences,
    is_excluded as is_excluded,
)
from inspector.analysis.experiments.dialogues.dialogue_results import (
    dialogue_json as dialogue_json,
    dialogue_key as dialogue_key,
    dialogue_of_json as dialogue_of_json,
)
from inspector.analysis.experiments.dialogues.evaluation import (
    BUDGETS as BUDGETS,
    MIN_ANSWER_SHARE as MIN_ANSWER_SHARE,
    DialogueChecks as DialogueChecks,
    Evaluation as Evaluation,
    Tracking as Tracking,
    evaluate_dialogues as evaluate_dialogues,
    search_services as search_services,
)
from inspector.analysis.experiments.dialogues.question_checks import Counts as Counts
from inspector.analysis.experiments.dialogues.search_evaluation import (
    DEPTHS_OF_SEARCH as DEPTHS_OF_SEARCH,
    SearchResult as SearchResult,
    SearchTally as SearchTally,
    evaluate_searches as evaluate_searches,
)
from inspector.analysis.experiments.grid import parse_axes as parse_axes, preset_grid as preset_grid
from inspector.analysis.experiments.intervals import Interval as Interval
from inspector.analysis.experiments.judge.arrows import (
    JudgeReport as JudgeReport,
    judge_texts as judge_texts,
    report_of as report_of,
    retention_judge as retention_judge,
    summary_judge as summary_judge,
)
from inspector.analysis.experiments.judge.variants import JudgeCase as JudgeCase, judge_cases as judge_cases
from inspector.analysis.experiments.needles.insert import InsertionError as InsertionError
from inspector.analysis.experiments.needles.needle_probe import (
    DEPTHS as DEPTHS,
    Candidate as Candidate,
    Probe as Probe,
    ProbePass as ProbePass,
    ProbeRun as ProbeRun,
    run_probe as run_probe,
)
from inspector.analysis.experiments.needles.synthetic import conversation as conversation
from inspector.analysis.experiments.recommend import (
    RULE as RULE,
    Recommendation as Recommendation,
    rank as rank,
    recommend_preset as recommend_preset,
)
from inspector.analysis.experiments.sweep import (
    Progress as Progress,
    SweepError as SweepError,
    replay_figures as replay_figures,
    run_sweep as run_sweep,
    sweep_results as sweep_results,
)
from inspector.analysis.experiments.trial_columns import (
    COLUMNS as COLUMNS,
    column_name as column_name,
    column_of as column_of,
    sort_results as sort_results,
)
from inspector.analysis.experiments.trial_processes import (
    portable_setup as portable_setup,
    side_by_side as side_by_side,
    start_method as start_method,
)
from inspector.analysis.experiments.trials import (
    USUAL as USUAL,
    TrialResult as TrialResult,
    TrialSetup as TrialSetup,
    as_reported as as_reported,
    mark_front as mark_front,
    policy_key as policy_key,
    reweigh_replay as reweigh_replay,
    reweigh_result as reweigh_result,
    run_trial as run_trial,
    start_trial as start_trial,
    trial_result as trial_result,
)
