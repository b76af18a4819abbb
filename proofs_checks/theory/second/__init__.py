"""Constants reported of a second paper, whose learner is a rival of ours (page 11)."""
