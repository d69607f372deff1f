"""The published matrix: run files of a real run, committed, and the pages rendered from them. `python -m matrices.reports.render`
renders them again; a test does the same and compares. Never edit a page or a run file by hand."""
