"""One module per `sandproof` subcommand."""
