from inspector.analysis.context_loss.briefings import briefing as briefing
from inspector.analysis.context_loss.fact_lines import LostStep as LostStep
from inspector.analysis.context_loss.hook_texts import GivenBack as GivenBack, given_back as given_back
from inspector.analysis.context_loss.loss_models import (
    Loss as Loss,
    Losses as Losses,
    LossGroup as LossGroup,
    NeedEvent as NeedEvent,
    group_losses as group_losses,
)
from inspector.analysis.context_loss.loss_text import (
    class_words as class_words,
    describe_counts as describe_counts,
    describe_kept as describe_kept,
    describe_probes as describe_probes,
    describe_reread as describe_reread,
    describe_seal as describe_seal,
    fact_within as fact_within,
    need_words as need_words,
)
from inspector.analysis.context_loss.planned import count_losses as count_losses, plan_losses as plan_losses
from inspector.analysis.context_loss.recorded import (
    LossHistory as LossHistory,
    loss_history as loss_history,
)
from inspector.analysis.context_loss.restored import (
    RESTORED_TOKENS as RESTORED_TOKENS,
    Restored as Restored,
    restore as restore,
    restore_plan as restore_plan,
    restored_costs as restored_costs,
    restored_with as restored_with,
)
from inspector.analysis.context_loss.tool_compaction import (
    NextCompaction as NextCompaction,
    next_compaction as next_compaction,
    next_words as next_words,
    replaced_words as replaced_words,
)
