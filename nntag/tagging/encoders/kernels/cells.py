"""The LSTM-like cells that the recurrent sweep can run: name in, gates and the end of the skip connection out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """The gates of a cell, and where its skip connection ends.

    gates: one letter for each block of H columns in the weights, in their order there: s the new content, i input gate,
    f forget gate, o output gate, g skip gate. s stands first (the only tanh), and a gate whose gradient comes through c
    stands before o, one whose gradient comes through h after it, so that one call serves each group. A g after o whose
    gradient comes (also) through c is served by a call of its own. peephole: g reads c[l,t-1] and the skip, both
    element-wise, in place of h[l,t-1].
    """

    gates: str = "sifo"
    to_gates: bool = False
    to_state: bool = False
    to_output: bool = False
    peephole: bool = False

    @property
    def has_skip(self) -> bool:
        """Whether a skip connection ends in the cell at all."""
        return self.to_gates or self.to_state or self.to_output


CELLS = {
    "none": Cell(),  # eq. 9, Wu 2016
    "gates": Cell(to_gates=True),  # eq. 10
    "internal": Cell(to_state=True),  # eq. 11-12
    "internal-gated": Cell("sifgo", to_state=True),  # "similar" to eq. 15
    "output": Cell(to_output=True),  # eq. 13-14
    "output-gated": Cell("sifog", to_output=True),  # eq. 15
    "shortcut": Cell("sio", to_state=True, to_output=True),  # Wu 2017; the product g * v is given from outside
    "shortcut-gated": Cell("siog", to_state=True, to_output=True),  # Wu 2017, non-linear gate
    "highway": Cell("sifog", to_state=True, peephole=True),  # Zhang 2016; the skip is c[l-1,t]
}
