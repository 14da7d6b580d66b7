"""The commands of the command line: their options, and the calls that run them."""
