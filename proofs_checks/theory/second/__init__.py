"""Constants reported of a second paper, which has a competing learner (page 11)."""
