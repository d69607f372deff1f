"""File names that must not be created, and hard links that reach protected files."""
