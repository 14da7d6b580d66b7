"""From a picture to words: what is measured, and what a model sees."""
