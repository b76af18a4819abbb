"""Every statement of the paper, executable: printed, corrected, refuted, supported."""
