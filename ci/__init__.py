"""The two commands of a fresh machine, `python3 -m ci matrix` and `python3 -m ci test`, and `bench`. Standard library only."""
