"""Search by vectors: exact or by a graph of neighbours, and how vectors are stored."""
