"""The methods of the papers, as they were published."""
