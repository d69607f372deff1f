"""Tests of the harness itself: what makes an observation believable is tested here, with no sandbox of ours in the way."""
