"""Claims about this library's own planner and evaluator."""
