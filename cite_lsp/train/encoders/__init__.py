"""Recipes of sentence encoders."""
