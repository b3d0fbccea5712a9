from inspector.report.findings import (
    KINDS as KINDS,
    TOPICS as TOPICS,
    Evidence as Evidence,
    SourceFinding as SourceFinding,
    Trigger as Trigger,
)
from inspector.report.outline import Outline as Outline
from inspector.report.session.observed import Eviction as Eviction, observe as observe
from inspector.report.session.session_report import (
    SessionReport as SessionReport,
    describe_eviction as describe_eviction,
    report_session as report_session,
)
from inspector.report.source.analysis import (
    SourceReport as SourceReport,
    analyse_source as analyse_source,
    main_assembly as main_assembly,
)
from inspector.report.source.call_graph import CallStep as CallStep
from inspector.report.source.source_files import SourceError as SourceError
from inspector.report.source.source_outline import outline_of_source as outline_of_source
