"""A session under another policy: what would have been sent, kept, lost and paid."""
