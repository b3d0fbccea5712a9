from inspector.core.json_objects import json_items as json_items
from inspector.core.text.files import (
    SIDECARS as SIDECARS,
    digest_of_file as digest_of_file,
    has_content as has_content,
    has_path_end as has_path_end,
    is_database as is_database,
    is_sidecar as is_sidecar,
    is_source as is_source,
    is_stream as is_stream,
    is_team_address as is_team_address,
    lock_folder as lock_folder,
    make_private_file as make_private_file,
    make_private_folder as make_private_folder,
    publish as publish,
    restrict_permissions as restrict_permissions,
    same_file as same_file,
    slug as slug,
    stage_file as stage_file,
    sync_folder as sync_folder,
    write_whole as write_whole,
)
from inspector.core.text.json_text import (
    dumps as dumps,
    exact_dumps as exact_dumps,
    loads as loads,
    plain_dumps as plain_dumps,
    plain_text as plain_text,
    printable_json as printable_json,
)
from inspector.core.text.layout import (
    cells as cells,
    clip as clip,
    clipped as clipped,
    clipped_words as clipped_words,
    ends as ends,
    filled as filled,
    first_lines as first_lines,
    fold as fold,
    head as head,
    lines_of as lines_of,
    pad as pad,
    wrapped as wrapped,
)
from inspector.core.text.lazy_patterns import (
    LazyPattern as LazyPattern,
    cued_pattern as cued_pattern,
    cues_of as cues_of,
    lazy_pattern as lazy_pattern,
    said_in as said_in,
)
from inspector.core.text.numbers import (
    NUMBER_WORDS as NUMBER_WORDS,
    dollars as dollars,
    listed as listed,
    percent as percent,
    plural as plural,
    turn_name as turn_name,
)
from inspector.core.text.sanitize import (
    CONTROL as CONTROL,
    harmless as harmless,
    one_line as one_line,
    visible as visible,
    without_controls as without_controls,
)
from inspector.core.text.scatter import (
    BEST as BEST,
    HASTY as HASTY,
    OFF as OFF,
    ON as ON,
    UNFIT as UNFIT,
    Cellular as Cellular,
    Plane as Plane,
    Point as Point,
    share_at as share_at,
)
from inspector.core.text.word_sets import word_set as word_set
from inspector.engine.window.glyphs import (
    FELL as FELL,
    GLYPHS as GLYPHS,
    LETTERS as LETTERS,
    LOSSY as LOSSY,
    NOT_CACHED as NOT_CACHED,
    REGRETTED as REGRETTED,
    REVERSIBLE as REVERSIBLE,
)
