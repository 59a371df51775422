"""Streams from right to left."""

from __future__ import annotations

import numpy as np

from nntag.language_models.streams import StreamVocabulary, TokenStream, restore_order

SENTENCES = [["a", "b", "c"], [], ["b"], ["c", "a"]]
VOCABULARY = StreamVocabulary(["a", "b", "c"])


def test_every_sentence_is_reversed():
    backwards = VOCABULARY.encode_sentences(SENTENCES).reverse()
    words = [[VOCABULARY.words[i] for i in backwards[number]] for number in range(len(backwards))]
    assert words == [["a", "c", "</s>"], ["b", "</s>"], ["</s>"], ["c", "b", "a", "</s>"]]


def test_reversing_twice_and_restoring_the_order_of_scores():
    stream = VOCABULARY.encode_sentences(SENTENCES)
    twice = stream.reverse().reverse()
    np.testing.assert_array_equal(twice.ids, stream.ids)
    np.testing.assert_array_equal(twice.starts, stream.starts)
    places = TokenStream(np.arange(len(stream.ids)), stream.starts).reverse().ids
    np.testing.assert_array_equal(restore_order(places), np.arange(len(stream.ids)))
