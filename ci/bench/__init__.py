"""What confinement and the harness cost, as ratios measured in one run: absolute times of a shared machine mean little."""
