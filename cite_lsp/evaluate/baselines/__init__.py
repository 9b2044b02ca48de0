"""The systems that a task compares."""
