"""Recipes that train what ranks: trees, linear weights, late interaction."""
