"""From a Context to recommendations: papers of the library and of corpora, ranked with reasons."""
