"""Drawings of trees: text line by line, SVG by its elements."""

from __future__ import annotations

from xml.etree import ElementTree

from nntag.corpora.records import Tree
from nntag.trees.pictures import draw_tree_svg, draw_tree_text

TREE = Tree(("2", "1", "2", "3", "4"), ((), (), (0, 1), (), (2, 3)), ("a", "<b>", None, "c", None))
CLASSES = ["2", "0", "1", "3", "4"]


def test_text() -> None:
    assert draw_tree_text(TREE, CLASSES).splitlines() == ["++", "├─  -", "│  ├─  0 a", "│  └─ -- <b>", "└─  + c"]


def test_svg_has_a_disc_a_node_and_a_line_a_child() -> None:
    root = ElementTree.fromstring(draw_tree_svg(TREE, CLASSES))
    tags = [element.tag.rpartition("}")[2] for element in root]
    assert tags.count("circle") == 5 and tags.count("line") == 4
    texts = [element.text for element in root if element.tag.endswith("text")]
    assert [text for text in texts if text in ("a", "<b>", "c")] == ["a", "<b>", "c"]
    circles = [element for element in root if element.tag.endswith("circle")]
    assert len({circle.get("fill") for circle in circles}) == 5
    left, right, parent = (float(circles[node].get("cx", "")) for node in (0, 1, 2))
    assert parent == round((left + right) / 2, 1)


def words_from_left_to_right(svg: str, words: tuple[str, ...]) -> list[str]:
    texts = [element for element in ElementTree.fromstring(svg) if element.text in words]
    return [str(text.text) for text in sorted(texts, key=lambda text: float(text.get("x", "")))]


def test_words_of_a_dependency_tree_stand_in_the_order_of_the_sentence() -> None:
    tree = Tree(("", "", ""), ((), (), (0, 1)), ("It", "well", "works"))
    svg = draw_tree_svg(tree, ["2", "3", "3"], word_nodes=[0, 2, 1])
    assert words_from_left_to_right(svg, ("It", "works", "well")) == ["It", "works", "well"]


def test_wide_letters_have_room_and_control_characters_leave_the_xml_whole() -> None:
    def width(word: str) -> float:
        return float(ElementTree.fromstring(draw_tree_svg(Tree(("2",), ((),), (word,)), ["2"])).get("width", ""))

    assert width("\u4e2d" * 8) == width("a" * 16) > width("a" * 8)
    assert width("bad\x01\x1b") == width("bad??")


def test_a_tree_of_3000_levels_is_drawn() -> None:
    children = [()] + [(number,) for number in range(2999)]
    tree = Tree(("2",) * 3000, tuple(children), ("w",) + (None,) * 2999)
    assert len(draw_tree_text(tree, ["2"] * 3000).splitlines()) == 3000
    assert draw_tree_svg(tree, ["2"] * 3000).count("<circle") == 3000
