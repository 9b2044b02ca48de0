"""What each command takes: its description and options, without what does the work."""
