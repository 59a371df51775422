"""Vocabularies: ids, ranks and counts, by hand."""

from nntag.encoding.vocabulary import PAD, SPECIALS, UNKNOWN, Vocabulary, count_all, rank_by_count


def test_ids_are_places_behind_the_specials() -> None:
    vocabulary = Vocabulary(["b", "a"])
    assert vocabulary.entries == ("<pad>", "<unk>", "b", "a")
    assert [vocabulary.id_of(entry) for entry in ("b", "a", "c")] == [2, 3, UNKNOWN]
    assert len(vocabulary) == 4 and "a" in vocabulary and "c" not in vocabulary
    assert Vocabulary(vocabulary.known()).entries == vocabulary.entries


def test_words_that_look_like_specials_are_words() -> None:
    empty = Vocabulary([])
    assert SPECIALS[PAD] not in empty and empty.id_of(SPECIALS[PAD]) == UNKNOWN
    assert Vocabulary(["<pad>"]).id_of("<pad>") == 2


def test_ranks_follow_counts_then_code_points() -> None:
    counts = {"b": 2, "a": 2, "Z": 2, "c": 5, "d": 1}
    assert rank_by_count(counts) == ["c", "Z", "a", "b", "d"]
    assert rank_by_count(counts, 2) == ["c", "Z", "a", "b"]


def test_counts_of_all_groups() -> None:
    assert count_all([["a", "b"], [], ["a"]]) == {"a": 2, "b": 1}
