"""Files of labelled trees: the table of formats says which reader takes them."""

import pytest

from nntag.errors import UsageError
from nntag.trees.corpus_files import guess_tree_format, read_labelled_trees

CONLLU = (
    "1\tgood\t_\tADJ\t_\t_\t2\tamod\t_\tSentiment=3\n2\tfilm\t_\tNOUN\t_\t_\t0\troot\t_\tSentiment=4|SpaceAfter=No\n\n"
)


def test_trees_of_each_format(tmp_path):
    (tmp_path / "a.txt").write_text("(4 (3 good) (2 film))\n")
    (tmp_path / "a.conllu").write_text(CONLLU)
    (binary,) = read_labelled_trees(tmp_path / "a.txt", guess_tree_format(tmp_path / "a.txt"))
    (dependencies,) = read_labelled_trees(tmp_path / "a.conllu", guess_tree_format(tmp_path / "a.conllu"))
    assert binary.labels == ("3", "2", "4") and binary.children == ((), (), (0, 1))
    assert dependencies.labels == ("3", "4") and dependencies.children == ((), (0,))


def test_binarise_is_for_formats_that_want_binary_trees(tmp_path):
    (tmp_path / "a.txt").write_text("(4 (3 good) (2 old) (2 film))\n")
    (tree,) = read_labelled_trees(tmp_path / "a.txt", "sst", binarise=True)
    assert all(len(children) in (0, 2) for children in tree.children)
    with pytest.raises(UsageError, match="--binarise has no meaning for conllu"):
        read_labelled_trees(tmp_path / "a.conllu", "conllu", binarise=True)


def test_a_format_without_trees_is_refused():
    with pytest.raises(UsageError, match="unknown format of trees 'piped'.*choices: conllu, sst"):
        read_labelled_trees("a.piped", "piped")
