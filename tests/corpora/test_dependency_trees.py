"""CoNLL-U sentences as trees, their sentiment labels, and the way back."""

from __future__ import annotations

import pytest

from nntag.corpora.dependency_trees import read_dependency_trees
from nntag.corpora.lines import lines_from_bytes
from nntag.errors import DataError


def conllu(*rows: tuple[str, int, str]) -> bytes:
    lines = [f"{n}\t{w}\t_\tX\t_\t_\t{head}\tdep\t_\t{misc}" for n, (w, head, misc) in enumerate(rows, 1)]
    return ("# text\n" + "\n".join(lines) + "\n\n").encode()


def read(data: bytes):
    return list(read_dependency_trees(lines_from_bytes(data, "x.conllu")))


def test_a_sentence_becomes_a_tree_with_words_at_all_nodes() -> None:
    (found,) = read(
        conllu(("We", 2, "_"), ("like", 0, "Sentiment=3|SpaceAfter=No"), ("old", 4, "_"), ("tea", 2, "Sentiment=2"))
    )
    assert found.tree.words == ("We", "old", "tea", "like")
    assert found.tree.children == ((), (), (1,), (0, 2))
    assert found.tree.labels == ("", "", "2", "3")
    assert found.numbers == (0, 3, 1, 2)
    written = found.with_labels(["0", "1", "2", "4"]).decode().splitlines()
    assert [line.split("\t")[9] for line in written[1:5]] == [
        "Sentiment=0",
        "SpaceAfter=No|Sentiment=4",
        "Sentiment=1",
        "Sentiment=2",
    ]
    assert written[0] == "# text"


def test_several_roots_hang_from_a_node_without_a_word() -> None:
    (found,) = read(conllu(("Yes", 0, "_"), ("no", 0, "_")))
    assert found.tree.words == ("Yes", "no", None) and found.tree.children[-1] == (0, 1)


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ([("a", 2, "_"), ("b", 1, "_")], 2, "run in a circle"),
        ([("a", 0, "Sentiment=5")], 2, "found 'Sentiment=5'"),
        ([("a", 2, "Sentiment=1"), ("b", 0, "Sentiment=bad")], 3, "found 'Sentiment=bad'"),
    ],
)
def test_faults_name_the_line(rows, line, reason) -> None:
    with pytest.raises(DataError, match=f"x.conllu:{line}: .*{reason}"):
        read(conllu(*rows))


def test_a_chain_of_3000_words() -> None:
    rows = [("w", number, "_") for number in range(3000)]
    (found,) = read(conllu(*rows))
    assert len(found.tree) == 3000 and found.tree.children[0] == () and found.tree.children[-1] == (2998,)
