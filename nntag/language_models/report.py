"""The reports on language models as text: perplexity, mixtures and completion, the headline last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nntag.tables import format_table, percent
from nntag.training.metric import Metric, list_further

TOGETHER = {
    "words": "by the mean of their probabilities of each word",
    "sentences": "by the sum of their log-probabilities of whole sentences",
}


def format_perplexity_report(report: Mapping[str, Any], metrics: Sequence[Metric] = ()) -> str:
    """The report on a language model, the headline last."""
    parts = []
    if "mixture" in report:
        rows = [[part["weight"], part["perplexity"], part["run"]] for part in report["mixture"]]
        title = "Mixture, weights fitted on dev" if report["weights_fitted"] else "Mixture"
        parts.append(f"{title}\n" + format_table(rows, ["weight", "perplexity alone", "run"], "  "))
    bands = [[name, b["perplexity"], b["tokens"], b["sentences"]] for name, b in report["by_length"].items()]
    title = "Perplexity by sentence length (tokens with </s>)"
    parts.append(f"{title}\n" + format_table(bands, ["length", "perplexity", "tokens", "sentences"], "  "))
    known, unknown = report["without_unknown"], report["unknown"]
    further = list_further(metrics, report, shown=("perplexity",))
    headline: list[list[object]] = [[name, value, "", ""] for name, value in further]
    headline += [
        ["<unk>", f"{100 * unknown['share']:.2f} %", unknown["tokens"], "tokens"],
        ["perplexity without <unk>", known["perplexity"], known["tokens"], "tokens"],
        ["perplexity", report["perplexity"], report["tokens"], "tokens, including </s>"],
    ]
    parts.append(format_table(headline))
    if "pseudo" in report:
        parts.append(
            "The model sees words on both sides: these are pseudo-perplexities, which cannot be compared with others"
        )
    if "completion" in report:
        parts.append(format_completion_report(report["completion"]))
    return "\n\n".join(parts)


def format_completion_report(report: Mapping[str, Any]) -> str:
    """The report on completion questions, the accuracy of all of them last."""
    parts = []
    if "runs" in report:
        rows = [[percent(run["accuracy"]), "backward" if run["backward"] else "", run["run"]] for run in report["runs"]]
        parts.append("Each run alone\n" + format_table(rows, ["accuracy %", "", "run"], "  "))
        parts.append(f"Together, {TOGETHER[report['combined']]}")
    unknown, questions = report["unknown_candidates"], report["questions"]
    if "accuracy" not in report:
        parts.append(f"{questions:,} questions, {unknown:,} candidates unknown; no answers were given")
        return "\n\n".join(parts)
    if report.get("ties"):
        parts.append(f"In {report['ties']:,} questions the best score is shared; a tie of k options counts 1/k")
    groups = {
        "all candidates known": report["all_candidates_known"],
        "some candidate unknown": report["some_candidate_unknown"],
        "the answer unknown": report["answer_unknown"],
        "first half": report["first_half"],
        "last half": report["last_half"],
        "completion accuracy": report,
    }
    rows = []
    for name, group in groups.items():
        interval = "-".join(f"{100 * bound:.1f}" for bound in group["interval"] or ()) or "-"
        rows.append([name, percent(group["accuracy"]), interval, group["questions"]])
    parts.append(format_table(rows, ["", "accuracy %", "95 % interval", "questions"]))
    return "\n\n".join(parts)
