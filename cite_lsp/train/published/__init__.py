"""Recipes of the published methods."""
