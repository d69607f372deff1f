"""What is put to the test: reference adapters in Python, third-party ones as TOML. An adapter learns nothing of the attempt."""
