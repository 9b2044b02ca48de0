"""Chinese for models that read English: text cut into words, and translated."""
