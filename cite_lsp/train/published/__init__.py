"""Recipes that train the published methods, as their papers say."""
