"""Recipes that train sentence encoders."""
