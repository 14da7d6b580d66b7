"""Words and vectors: tokens for BM25, the vectors of texts and of words."""
