"""Figures as drawings."""
