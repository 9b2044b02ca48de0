"""Recipes of missing citations: worthiness, confidence."""
