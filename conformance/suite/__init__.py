"""The one test file that the plugin fills with cells. `SUITE_PATH` is what to give to pytest."""

from pathlib import Path

SUITE_PATH = Path(__file__).parent / "test_cells.py"
