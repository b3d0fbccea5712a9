"""Insert known facts at known depths, and test which strategies keep them."""
