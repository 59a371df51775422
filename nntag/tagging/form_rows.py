"""Form numbers of some sentences in, scores of their tags out, with rows that are computed once a word form.

The first layer's input is a sum of rows, one for each slot of the window. Those of the first forms met are kept, which
are the frequent ones in any text, up to `KEPT_BYTES`; those of all others are computed again for each batch. With
products in bf16 the rows are bf16 too, and twice as many are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from nntag.encoding.contextual.batch import EncodedSentence
from nntag.tagging.batches import make_batch, make_form_batch, pad_rows
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.tagging.features import FormTable
from nntag.tagging.network import TaggerNetwork
from nntag.training.precision import even_rows, product_type, products_in

KEPT_BYTES = 128 << 20
FORMS = 256  # computed at a time
MORE_ROWS = 512  # room for a batch's other forms, more where one needs it


class FormRows:
    """The rows of the forms that `table` numbers, for one network at a time; dropped when its weights change."""

    def __init__(self, table: FormTable):
        self._table = table
        self._network: TaggerNetwork | None = None
        self._state: tuple[object, ...] = ()
        self._more = MORE_ROWS

    @torch.inference_mode()
    def score(
        self,
        network: TaggerNetwork,
        sentences: Sequence[np.ndarray],
        encoded: Sequence[EncodedSentence] | None = None,
        precision: str = "float32",
        normalised: bool = True,
    ) -> np.ndarray:
        """float[T, B, V]: log-probabilities of the tags, or scores that differ from them by a number for each word.

        `encoded` is what an encoder's source made of the sentences.
        """
        device = next(network.parameters()).device
        with products_in(precision, device):
            found = self.look_up(network, sentences)
            if found is None:
                scores = network(make_batch(self._table, sentences, encoded=encoded).to(device))
            else:
                scores = network.score(*found)
        return (network.normalise(scores) if normalised else scores).cpu().numpy()

    @torch.inference_mode()
    def fill(self, network: TaggerNetwork, forms: np.ndarray, precision: str = "float32") -> None:
        """Computes the rows of all these forms that are to be kept and are not there: many at a time, for batches to
        come. int64[N], in any order."""
        if network.training or not network.takes_slots:
            return
        device = next(network.parameters()).device
        with products_in(precision, device):
            self._take(network, 0)
            few = np.unique(forms[forms < self._kept])
            missing = few[~self._filled[few]]
            self._fill(network, missing, missing)

    def look_up(self, network: TaggerNetwork, sentences: Sequence[np.ndarray]) -> tuple[FormSlots, Tensor] | None:
        """What stands for the network's x, and int64[B], the lengths; None where the network needs x itself."""
        if network.training or not network.takes_slots:
            return None
        lengths = np.array([len(sentence) for sentence in sentences])
        padded = pad_rows(sentences, lengths, 0)
        forms, inverse = np.unique(padded, return_inverse=True)
        if forms[0] != 0:
            forms, inverse = np.concatenate([[0], forms]), inverse + 1
        self._take(network, len(forms))
        rows = self._find_rows(network, forms)
        device = self._products.device
        wide = torch.from_numpy(rows[inverse].reshape(padded.shape)).to(device)
        return self._spread(network, wide), torch.from_numpy(lengths).to(device)

    def _take(self, network: TaggerNetwork, forms: int) -> None:
        """Begins anew where the network, its weights or the numbering of the forms are others than before.

        Torch's own count of a tensor's changes leaves out those that its fused optimisers make, hence the turns.
        """
        read = [*network.input.parameters(), network.encoder.input_weight]
        kind = product_type(network.encoder.input_weight)
        versions = [(tensor.data_ptr(), tensor._version) for tensor in read]
        state = (self._table.generation, network.turns, kind, *versions)
        if network is self._network and state == self._state and forms <= self._more:
            return
        self._network, self._state, self._more = network, state, max(self._more, forms)
        weight, slots = network.encoder.input_weight, network.input.slots
        row_bytes = len(slots.offsets) * (weight[:, 0].numel() * kind.itemsize + slots.gated * weight.element_size())
        self._kept = max(1, KEPT_BYTES // row_bytes)  # forms with a lower number are kept
        self._filled = np.zeros(self._kept, bool)
        sizes = self._kept + self._more, len(slots.offsets)
        self._products = weight.new_empty(*sizes, weight.shape[0] * weight.shape[2], dtype=kind)  # [R, S, K * W]
        self._gates = weight.new_empty(*sizes, slots.gated)
        self._weight = weight.transpose(0, 1).flatten(1).to(kind)  # [D, K * W]

    def _find_rows(self, network: TaggerNetwork, forms: np.ndarray) -> np.ndarray:
        """int64[U]: the row of each form, after those that are missing have been computed."""
        few = forms < self._kept
        rows = np.where(few, forms, self._kept - 1 + np.cumsum(~few))
        missing = ~few
        missing[few] = ~self._filled[forms[few]]
        self._fill(network, forms[missing], rows[missing])
        return rows

    def _fill(self, network: TaggerNetwork, forms: np.ndarray, rows: np.ndarray) -> None:
        """Computes the forms' products into these rows."""
        device = self._products.device
        for start in range(0, len(forms), FORMS):
            chosen = forms[start : start + FORMS]
            # Filled up with padding to a power of two: oneDNN prepares each shape anew.
            even = np.zeros(min(FORMS, 1 << (len(chosen) - 1).bit_length()), np.int64)
            even[: len(chosen)] = chosen
            places = torch.from_numpy(rows[start : start + FORMS]).to(device)
            with products_in("float32", device):  # features, once a form
                self._fill_some(network, even, places)
            self._filled[chosen[chosen < self._kept]] = True

    def _fill_some(self, network: TaggerNetwork, forms: np.ndarray, rows: Tensor) -> None:
        """Of as many of the forms as there are rows; those after them only bring their number to a usual one."""
        batch = make_form_batch(self._table, forms).to(rows.device)
        start = 0
        for slot, part in enumerate(network.input.represent_forms(batch)):
            stop = start + part.shape[1]
            factor = even_rows(part.to(self._weight.dtype))
            self._products[:, slot].index_copy_(0, rows, (factor @ self._weight[start:stop])[: len(rows)])
            if slot < network.input.slots.gated:
                gates = part[: len(rows)] @ network.input.window_gate.weight[:, start:stop].t()
                self._gates[:, slot].index_copy_(0, rows, gates)
            start = stop

    def _spread(self, network: TaggerNetwork, forms: Tensor) -> FormSlots:
        """The slots of each word, from the rows of the words' forms, int64[T, B]."""
        slots, (T, B) = network.input.slots, forms.shape
        reach = max(slots.offsets)
        wide = functional.pad(forms, (0, 0, reach, reach))  # row 0: boundaries on both sides
        places = [wide[reach + offset : reach + offset + T] for offset in slots.offsets]
        rows = torch.stack([place * len(places) + slot for slot, place in enumerate(places)], 2)  # [T, B, S]
        gates = None
        if slots.gated:
            flat = rows[:, :, : slots.gated].reshape(T * B, slots.gated)
            summed = functional.embedding_bag(flat, self._gates.flatten(0, 1), mode="sum")
            gates = torch.ones_like(rows, dtype=self._products.dtype)
            gates[:, :, : slots.gated] = torch.sigmoid(summed + network.input.window_gate.bias).view(T, B, -1)
        table = self._products.flatten(0, 1).view(-1, *network.encoder.input_weight[:, 0].shape)
        return FormSlots(table, rows, gates)
