"""Contextual vectors: sentences as words in, the hidden states of a pre-trained encoder, one row a word, out."""
