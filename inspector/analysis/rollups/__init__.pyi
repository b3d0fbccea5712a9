from inspector.analysis.rollups.rollup_sums import ROLLUP_RULES as ROLLUP_RULES, session_rollups as session_rollups
