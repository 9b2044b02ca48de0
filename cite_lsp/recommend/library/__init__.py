"""Ranking the writer's own library: features, adaptation to the draft, reasons."""
