"""Recipes behind missing citations: which sentences need one, and how sure an offer is."""
