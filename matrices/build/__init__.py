"""From run files to a matrix, and from a matrix to pages."""
