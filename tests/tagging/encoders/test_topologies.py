"""Where shortcuts run: the types for any depth, a user's own links, and the drawing."""

import pytest

from nntag.errors import UsageError
from nntag.tagging.encoders.topologies import build_links, check_links, draw_links
from tests.command_line import run_nntag


@pytest.mark.parametrize(
    ("topology", "layers", "links"),
    [
        (0, 5, ()),
        (1, 5, ((1, 2), (1, 3), (1, 4), (1, 5))),
        (2, 5, ((1, 2), (2, 3), (3, 4), (4, 5))),
        (3, 5, ((1, 3), (3, 5))),
        (3, 6, ((1, 3), (3, 5))),
        (4, 5, ((1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 5))),
        (5, 5, ((1, 3), (1, 5), (3, 5))),
        (5, 9, ((1, 3), (1, 5), (3, 5), (5, 7), (5, 9), (7, 9))),
    ],
)
def test_types(topology, layers, links):
    assert build_links(topology, layers) == links


@pytest.mark.parametrize("topology", range(6))
@pytest.mark.parametrize("layers", range(1, 12))
def test_links_of_every_type_are_valid_at_any_depth(topology, layers):
    links = build_links(topology, layers)
    assert check_links(links, layers) == links


def test_unknown_type():
    with pytest.raises(UsageError, match="unknown topology 6"):
        build_links(6, 5)


@pytest.mark.parametrize("links", [[(3, 3)], [(3, 2)], [(0, 2)], [(1, 6)], [(1, 3), (1, 3)]])
def test_links_that_do_not_fit_are_refused(links):
    with pytest.raises(UsageError, match="shortcut"):
        check_links(links, 5)


def test_drawing():
    assert draw_links(((1, 3), (3, 5), (1, 5)), 5).split("\n") == [
        "layer 5 -----^--^",
        "layer 4      |  |",
        "layer 3 --^--o  |",
        "layer 2   |     |",
        "layer 1 --o-----o",
    ]


def test_drawing_without_links():
    assert draw_links((), 2) == "layer 2\nlayer 1"


def test_models_command_draws_the_topology():
    finished = run_nntag("models", "shortcut", "--topology", 3, "--layers", 4)
    assert finished.code == 0
    assert finished.out.endswith("layer 4\nlayer 3 --^\nlayer 2   |\nlayer 1 --o\n")
    assert "shortcuts: 1-3 " in finished.out
    assert run_nntag("models", "shortcut", "--links", "1-9", "--layers", 4).errors == [
        "nntag: error: shortcut 1-9: needs 1 <= source < target <= 4, the depth"
    ]
