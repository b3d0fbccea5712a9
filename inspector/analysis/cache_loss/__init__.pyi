from inspector.analysis.cache_loss.cache_loss_text import describe_cache_losses as describe_cache_losses
from inspector.analysis.cache_loss.cache_usage import (
    CacheLoss as CacheLoss,
    cache_losses as cache_losses,
)
