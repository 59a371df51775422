"""conlleval's way through tagged words, word by word as its published description has it, with plain tables.

It never makes a list of spans: it asks between two words whether a span ends or begins, on either side, and whether one
that began on both sides at once is still the same. Tags are split at their first hyphen, a blank line is outside.
"""

from __future__ import annotations

ENDS = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}  # letters before and after
BEGINS = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")}


def split(tag):
    if "-" not in tag:
        return tag, ""
    place = tag.index("-")
    return tag[:place], tag[place + 1 :]


def ends(before, after):
    return (before[0], after[0]) in ENDS or (before[0] != "O" and before[1] != after[1])


def begins(before, after):
    return (before[0], after[0]) in BEGINS or (after[0] != "O" and before[1] != after[1])


def count(sentences):
    """[(gold tags, predicted tags)] -> {type: [right, gold, predicted]}."""
    rows = []
    for gold, predicted in sentences:
        rows.extend((split(g), split(p)) for g, p in zip(gold, predicted, strict=True))
        rows.append((("O", ""), ("O", "")))
    found = {}
    same = False
    last_gold = last_predicted = ("O", "")
    for gold, predicted in rows:
        gold_ends, predicted_ends = ends(last_gold, gold), ends(last_predicted, predicted)
        if same and gold_ends and predicted_ends and last_gold[1] == last_predicted[1]:
            found[last_gold[1]][0] += 1
            same = False
        elif same and (gold_ends != predicted_ends or gold[1] != predicted[1]):
            same = False
        if begins(last_gold, gold) and begins(last_predicted, predicted) and gold[1] == predicted[1]:
            same = True
        if begins(last_gold, gold):
            found.setdefault(gold[1], [0, 0, 0])[1] += 1
        if begins(last_predicted, predicted):
            found.setdefault(predicted[1], [0, 0, 0])[2] += 1
        last_gold, last_predicted = gold, predicted
    return found


def figures(right, gold, predicted):
    """Precision, recall and F1 as percentages."""
    precision = 100 * right / predicted if predicted > 0 else 0.0
    recall = 100 * right / gold if gold > 0 else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return precision, recall, f1
