from inspector.analysis.usage_breakdown.defined_tools import (
    ToolDefinition as ToolDefinition,
    ToolServer as ToolServer,
    mcp_server as mcp_server,
    tool_definitions as tool_definitions,
    tool_servers as tool_servers,
)
from inspector.analysis.usage_breakdown.readings import (
    Reading as Reading,
    RepeatedReading as RepeatedReading,
    repeated_results as repeated_results,
    repeats as repeats,
)
from inspector.analysis.usage_breakdown.usage_tree import (
    GROUPINGS as GROUPINGS,
    ORDERS as ORDERS,
    Grouping as Grouping,
    Node as Node,
    Order as Order,
    break_down_usage as break_down_usage,
    default_order as default_order,
    turn_words as turn_words,
)
