from inspector.engine.commands.shell_words import (
    SCRIPTS_ONCE as SCRIPTS_ONCE,
    commands_in as commands_in,
    core_words as core_words,
    joined as joined,
    plain_command as plain_command,
    script_deed as script_deed,
)
from inspector.engine.commands.work_checks import (
    CheckKind as CheckKind,
    check_kind as check_kind,
    checks_old_code as checks_old_code,
    covers as covers,
    targets_of as targets_of,
)
