"""Trials of what others may leave in a workspace, or send: nothing hangs, nothing is lost."""
