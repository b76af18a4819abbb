"""Constants in print elsewhere: statements about a second paper, whose learner is a rival of ours (page 11)."""
