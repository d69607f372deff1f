"""What adapters claim, and whether it was honest."""
