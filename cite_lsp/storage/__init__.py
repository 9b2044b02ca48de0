"""Data on disk: caches, arrays in files, writing a file whole or not at all."""
