from inspector.llm.models.encodings import (
    RECIPES as RECIPES,
    EncodingName as EncodingName,
    load_count as load_count,
    load_encoding as load_encoding,
)
from inspector.llm.models.overrides import own_prices as own_prices
from inspector.llm.models.prices import (
    MILLION as MILLION,
    PRICING as PRICING,
    Cost as Cost,
    Price as Price,
    SessionPrice as SessionPrice,
    cost as cost,
    price_of as price_of,
)
from inspector.llm.models.profiles import (
    CHARS_PER_TOKEN as CHARS_PER_TOKEN,
    ModelProfile as ModelProfile,
    limit_for_usage as limit_for_usage,
    limit_of as limit_of,
    profile as profile,
)
from inspector.llm.models.usage_cost import (
    NOTHING as NOTHING,
    SessionCost as SessionCost,
    add_usage as add_usage,
    billed_calls as billed_calls,
    calls_of as calls_of,
    cost_of_calls as cost_of_calls,
    is_other_model as is_other_model,
    session_cost as session_cost,
    session_price as session_price,
    time_of as time_of,
    whole_output as whole_output,
)
