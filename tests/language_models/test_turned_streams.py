"""Streams from right to left."""

from __future__ import annotations

import numpy as np

from nntag.language_models.streams import StreamVocabulary, TokenStream, turn_back

SENTENCES = [["a", "b", "c"], [], ["b"], ["c", "a"]]
VOCABULARY = StreamVocabulary(["a", "b", "c"])


def test_every_sentence_is_turned():
    turned = VOCABULARY.encode_sentences(SENTENCES).turned()
    words = [[VOCABULARY.words[i] for i in turned[number]] for number in range(len(turned))]
    assert words == [["a", "c", "</s>"], ["b", "</s>"], ["</s>"], ["c", "b", "a", "</s>"]]


def test_turning_twice_and_turning_scores_back():
    stream = VOCABULARY.encode_sentences(SENTENCES)
    twice = stream.turned().turned()
    np.testing.assert_array_equal(twice.ids, stream.ids)
    np.testing.assert_array_equal(twice.starts, stream.starts)
    places = TokenStream(np.arange(len(stream.ids)), stream.starts).turned().ids
    np.testing.assert_array_equal(turn_back(places), np.arange(len(stream.ids)))
