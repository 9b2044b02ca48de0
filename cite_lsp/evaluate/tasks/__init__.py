"""The tasks: what is asked, and what counts as right."""
