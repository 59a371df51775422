"""Generated sentiment trees as dependency trees: heads and labels worked out by hand."""

from nntag.corpora.dependency_trees import read_labelled_trees
from nntag.corpora.lines import open_lines
from nntag.corpora.sst import read_sst
from nntag.sample import write_sample
from nntag.sample.labelled_dependencies import write_labelled_conllu


def test_heads_and_labels(tmp_path):
    # "the film" and "very good" are as long: the right part heads each, and the sentence; "." is the shorter part
    source = tmp_path / "train.txt"
    source.write_text("(4 (3 (2 (2 The) (1 film)) (4 (2 very) (3 good))) (2 .))\n")
    written = write_labelled_conllu({"train": source})
    rows = [line.split("\t") for line in written["train"].read_text().splitlines() if "\t" in line]
    assert [(row[1], row[6], row[9]) for row in rows] == [
        ("The", "2", "Sentiment=2"),
        ("film", "4", "Sentiment=2"),
        ("very", "4", "Sentiment=2"),
        ("good", "0", "Sentiment=4"),
        (".", "4", "Sentiment=2"),
    ]


def test_a_sample_has_the_words_and_the_root_labels_of_its_trees(tmp_path):
    labelled = write_sample("conllu", tmp_path / "a", 20, labelled=True)
    binary = write_sample("sst", tmp_path / "b", 20)
    for split, file in labelled.items():
        found = [(sorted(t.tokens), t.labels[-1]) for t in read_labelled_trees(open_lines(file))]
        assert found == [(sorted(t.tokens), t.labels[-1]) for t in read_sst(open_lines(binary[split]))]
