"""Which distances must be smaller than which: from labels, sampled, or stated."""
