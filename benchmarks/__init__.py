"""Speed as ratios to a peer or to the limit, measured in the same run."""
