from inspector.cli.model_audit.asked_rules import (
    AskedRulesOutput as AskedRulesOutput,
    ModelOptions as ModelOptions,
    model_options as model_options,
)
from inspector.cli.model_audit.rule_questions import asked_audit as asked_audit
