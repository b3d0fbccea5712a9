from inspector.library.tailing.follower import (
    POLL as POLL,
    Follower as Follower,
    FreshMessage as FreshMessage,
    Moment as Moment,
    RecordedCompaction as RecordedCompaction,
)
from inspector.library.tailing.live_sources import FollowedFile as FollowedFile, LiveSource as LiveSource
from inspector.library.tailing.tail_targets import source_of as source_of
from inspector.library.tailing.times import ago as ago, clock as clock
