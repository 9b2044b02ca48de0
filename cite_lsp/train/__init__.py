"""Training the models that ship, and those of the published methods: recipes and their data."""
