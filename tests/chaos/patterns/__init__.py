"""Texts made of one pattern over and over: whatever reads one takes time by its length."""
