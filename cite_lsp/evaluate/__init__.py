"""Measuring the recommendations: tasks, the systems that they compare, metrics and drawings."""
