"""A corpus opened for reading: papers, references, columns for ranking, filters."""
