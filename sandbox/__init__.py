"""The reference implementation: a policy goes in and a confined process comes out. Knows nothing of pytest."""
