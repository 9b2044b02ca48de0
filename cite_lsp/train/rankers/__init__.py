"""Recipes of what ranks: trees, linear weights, late interaction."""
