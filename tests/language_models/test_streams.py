"""Token streams: what is written is read back, ids and batches are as promised."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nntag.encoding import spilled
from nntag.errors import RunError
from nntag.language_models.stream_writer import StreamWriter
from nntag.language_models.streams import (
    BOUNDARY,
    NO_TARGET,
    UNKNOWN,
    StreamVocabulary,
    make_batch,
    open_stream,
    same_length_batches,
)

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "<unk>", "</s>", "d\u2028e"]), max_size=5), max_size=8)


@settings(max_examples=50, deadline=None)
@given(sentences=SENTENCES)
def test_written_sentences_are_read_back(tmp_path_factory, sentences):
    folder = tmp_path_factory.mktemp("streams")
    flat = [word for sentence in sentences for word in sentence]
    vocabulary = StreamVocabulary(["a", "b", "d\u2028e"])
    with StreamWriter(folder, "train") as writer:
        for sentence in sentences:
            writer.add(sentence)
        assert writer.count_words() == {word: flat.count(word) for word in flat}
        unknown = writer.finish(vocabulary)
    stream = open_stream(folder, "train")
    assert len(stream) == len(sentences) == writer.sentences
    assert stream.lengths.tolist() == [len(sentence) + 1 for sentence in sentences]
    assert writer.tokens == len(flat)
    assert all(stream[n][-1] == BOUNDARY for n in range(len(stream)))
    read = [[vocabulary.words[number] for number in stream[n][:-1]] for n in range(len(stream))]
    in_memory = vocabulary.encode_sentences(sentences)
    assert in_memory.ids.tolist() == stream.ids.tolist() and in_memory.starts.tolist() == stream.starts.tolist()
    lost = ("c", "<unk>", "</s>")
    assert read == [["<unk>" if word in lost else word for word in sentence] for sentence in sentences]
    assert unknown == sum(word in lost for word in flat)
    assert sorted(path.name for path in folder.iterdir()) == ["train.ids.npy", "train.starts.npy"]


def test_many_blocks_equal_one(tmp_path, monkeypatch):
    monkeypatch.setattr(spilled, "BLOCK", 3)
    writer = StreamWriter(tmp_path, "dev")
    for _ in range(5):
        writer.add(["x", "y"])
    assert writer.count_words() == {"x": 5, "y": 5}
    writer.finish(StreamVocabulary(["x", "y"]))
    assert open_stream(tmp_path, "dev").ids.tolist() == [2, 3, BOUNDARY] * 5


def test_streams_are_memory_mapped(tmp_path):
    writer = StreamWriter(tmp_path, "train")
    writer.add(["x"])
    writer.finish(StreamVocabulary(["x"]))
    stream = open_stream(tmp_path, "train")
    assert isinstance(stream.ids, np.memmap) and stream.ids.dtype == np.int32


@pytest.mark.parametrize("damage", ["missing", "cut", "text", "other"])
def test_damaged_streams_are_run_errors(tmp_path, damage):
    writer = StreamWriter(tmp_path, "train")
    writer.add(["x", "y", "z"])
    writer.finish(StreamVocabulary(["x"]))
    path = tmp_path / "train.ids.npy"
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-3])
    elif damage == "text":
        path.write_text("no array")
    else:
        np.save(path, np.zeros(2, np.int32))
    with pytest.raises(RunError, match="train"):
        open_stream(tmp_path, "train")


def test_unknown_words_and_the_boundary_sign_are_unknown():
    vocabulary = StreamVocabulary(["one", "two"])
    assert vocabulary.encode(["two", "three", "</s>", "<unk>", "one"]).tolist() == [3, UNKNOWN, UNKNOWN, UNKNOWN, 2]
    assert len(vocabulary) == 4 and vocabulary.known() == ["one", "two"]


def test_batch_layout():
    batch = make_batch([np.array([*ids, BOUNDARY], np.int32) for ids in ([5, 6], [], [7])])
    assert batch.inputs.t().tolist() == [[BOUNDARY, 5, 6], [BOUNDARY] * 3, [BOUNDARY, 7, BOUNDARY]]
    assert batch.targets.t().tolist() == [[5, 6, BOUNDARY], [BOUNDARY, NO_TARGET, NO_TARGET], [7, BOUNDARY, NO_TARGET]]
    assert batch.padded
    assert not make_batch([np.array([5, 6, BOUNDARY], np.int32)] * 2).padded


@settings(max_examples=50, deadline=None)
@given(lengths=st.lists(st.integers(0, 4), max_size=40), size=st.integers(1, 6))
def test_same_length_batches_hold_every_sentence_once(lengths, size):
    lengths = np.array(lengths, np.int64)
    batches = same_length_batches(lengths, size, torch.Generator().manual_seed(1))
    assert sorted(np.concatenate([*batches, []]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert 1 <= len(batch) <= size and len(set(lengths[batch])) == 1
    for length in set(lengths.tolist()):  # only the last batch of a length may be smaller
        count = int((lengths == length).sum())
        assert sum(lengths[batch[0]] == length for batch in batches) == -(-count // size)


def test_chosen_sentences_keep_their_order():
    stream = StreamVocabulary(["a", "b"]).encode_sentences([["a"], ["b", "a"], [], ["b"]])
    assert stream.select(np.array([3, 0, 2])).tolist() == [2, BOUNDARY, BOUNDARY, 3, BOUNDARY]
    assert stream.select(np.array([], np.int64)).tolist() == []
