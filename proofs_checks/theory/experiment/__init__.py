"""The experiment: paths of the lake, forty episodes."""
