"""Times, never assertions: ratios against peers in the same run."""
