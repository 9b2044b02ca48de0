"""The bibliographies that a draft names, and where they are found."""
