"""Which layer a shortcut leaves and which it reaches: a type and a depth in, (source, target) pairs and a drawing out.

H. Wu, J. Zhang & C. Zong, "Shortcut Sequence Tagging", arXiv 1701.00576, 2017, Figure 1. Layers count from 1; a pair
(2, 4) says that the output of layer 2 reaches layer 4 past layer 3. The text says of the types:

    1  the first hidden layer to all the following layers
    2  shortcut blocks of span 1
    3  shortcut blocks of span 2
    4, 5  nested shortcut blocks

The figure itself could not be had, so the rest is our reading of these lines. A block's span is taken to be the
distance of its two layers; if it is the number of layers that are skipped, then the paper's type 2 is our type 3, and
its type 3 is --set links=1-4,4-7. "The input of the first hidden layer h^1" is taken to be that layer's output, the
only one of the right width. Blocks are "composed" end to end, one starting at the layer where the one before ended,
(1, 3), (3, 5), ..., as in residual networks. Type 4 nests the blocks of span
1 inside those of span 2, type 5 those of span 2 inside blocks of span 4. A block that no longer fits under layer L is
left out. Type 0 (ours) has no shortcuts.
"""

from collections.abc import Iterable

from nntag.errors import UsageError

Link = tuple[int, int]

TYPES = (0, 1, 2, 3, 4, 5)


def build_links(topology: int, layers: int) -> tuple[Link, ...]:
    """The links of a type from TYPES for a stack of that many layers, sorted by target and source."""
    if topology not in TYPES:
        raise UsageError(f"unknown topology {topology} (choices: {', '.join(map(str, TYPES))})")
    if topology == 1:
        return tuple((1, target) for target in range(2, layers + 1))
    spans = {0: (), 2: (1,), 3: (2,), 4: (1, 2), 5: (2, 4)}[topology]
    links = [(end - span, end) for span in spans for end in range(1 + span, layers + 1, span)]
    return _sort_links(links)


def resolve_links(topology: int, links: Iterable[Link], layers: int) -> tuple[Link, ...]:
    """A user's own links if there are any, and otherwise those of the type; raises UsageError."""
    own = tuple(links)
    return check_links(own, layers) if own else build_links(topology, layers)


def check_links(links: Iterable[Link], layers: int) -> tuple[Link, ...]:
    """A user's own links, sorted; raises UsageError for one that is not upwards, not in the stack, or there twice."""
    links = tuple((source, target) for source, target in links)
    for source, target in links:
        if not 1 <= source < target <= layers:
            raise UsageError(f"shortcut {source}-{target}: needs 1 <= source < target <= {layers}, the depth")
        if links.count((source, target)) > 1:
            raise UsageError(f"shortcut {source}-{target} is given twice")
    return _sort_links(links)


def draw_links(links: Iterable[Link], layers: int) -> str:
    """A text diagram, the last layer on top: "o" where a shortcut leaves its layer, "^" where it ends."""
    lanes = _assign_lanes(links)
    rows = []
    for layer in range(layers, 0, -1):
        row = f"layer {layer:<{len(str(layers))}} "
        reach = max((n for n, lane in enumerate(lanes) for link in lane if layer in link), default=-1)
        for n, lane in enumerate(lanes):
            mark = "-" if n < reach else " "
            for source, target in lane:
                if source <= layer <= target:
                    mark = "o" if layer == source else "^" if layer == target else "|"
            row += ("--" if n <= reach else "  ") + mark
        rows.append(row.rstrip())
    return "\n".join(rows)


def _sort_links(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(sorted(links, key=lambda link: (link[1], link[0])))


def _assign_lanes(links: Iterable[Link]) -> list[list[Link]]:
    """Columns of links that share no layer, short spans first, so that they stand next to the stack."""
    lanes: list[list[Link]] = []
    for source, target in sorted(links, key=lambda link: (link[1] - link[0], link)):
        for lane in lanes:
            if all(target < other[0] or source > other[1] for other in lane):
                lane.append((source, target))
                break
        else:
            lanes.append([(source, target)])
    return lanes
