from inspector.analysis.multi_agent.adoption import Adoption as Adoption
from inspector.analysis.multi_agent.agent_collaboration import (
    AgentCollaboration as AgentCollaboration,
    GroupRow as GroupRow,
    MatrixCell as MatrixCell,
    PartyRow as PartyRow,
    Unread as Unread,
    read_collaboration as read_collaboration,
    with_adoptions as with_adoptions,
)
from inspector.analysis.multi_agent.collaboration_text import (
    describe_certainty as describe_certainty,
    describe_collaboration as describe_collaboration,
)
from inspector.analysis.multi_agent.participants import PERSON as PERSON, read_participants as read_participants
from inspector.analysis.multi_agent.recording import collaboration_record as collaboration_record
from inspector.analysis.multi_agent.repeats import Repeat as Repeat, ToolUse as ToolUse, prices_of as prices_of
from inspector.analysis.multi_agent.transfers import (
    CollaborationCancelledError as CollaborationCancelledError,
    Transfer as Transfer,
)
