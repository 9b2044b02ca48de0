"""Methods of the papers, as they were published: BLSRec, and selection by submodular functions."""
