"""Claims and evidence go in, words come out: the honesty matrix, its renderers and the `sandproof` command."""
