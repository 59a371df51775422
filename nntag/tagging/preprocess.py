"""`nntag preprocess` for tagging corpora: corpus files in, a data folder with text, vocabularies and counts out."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.corpora.records import Tree
from nntag.corpora.splits import split_off_dev
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta
from nntag.encoding.labels import check_training_tags
from nntag.encoding.overlap import SentenceHashes, describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed, warn_if_long
from nntag.encoding.vocabulary import RARE, count_all, rank_by_count
from nntag.errors import DataError, UsageError
from nntag.json_files import write_json
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.tagging.attributes import find_attributes, holds_attributes
from nntag.tagging.corpus_files import (
    TaggedSentence,
    has_derivations,
    read_derived_sentences,
    read_tagged_sentences,
)
from nntag.tagging.parsing.grammar import GRAMMAR_FILE, Grammar, count_grammar, write_grammar
from nntag.tagging.spans import holds_spans, name_scheme
from nntag.tagging.text_files import write_columns_file

DEV_SHARE = 0.1  # of the training sentences, where there is no dev file
MOST_WARNED = 10

logger = logging.getLogger("nntag")


def preprocess_tagging(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the files of each split (`train`; `dev` and `test` where there are any) and writes the data folder `out`.

    Without dev files, a tenth of the training sentences becomes dev, chosen by the seed. Training tags seen fewer than
    `tag_cutoff` times become `RARE`; dev and test keep theirs. Raises `DataError`, `UsageError`, `RunError`.
    """
    options, sources = corpus.options, corpus.sources
    derivations: list[Tree] = []
    splits = {
        split: list(_read_files(split, files, corpus, progress, derivations if split == "train" else None))
        for split, files in sources.items()
    }
    for split, sentences in splits.items():
        if not sentences:
            raise DataError(str(sources[split][0]), None, f"no sentences for {split}")
    notes = []
    if "dev" not in splits:
        splits["train"], splits["dev"] = split_off_dev(splits["train"], DEV_SHARE, options.seed, sources["train"][0])
        if derivations:
            derivations, _ = split_off_dev(derivations, DEV_SHARE, options.seed, sources["train"][0])
        notes.append(f"no dev set given: {len(splits['dev'])} training sentences were split off by seed {options.seed}")
    rare = _name_rare(splits["train"])
    splits["train"], mapped = _map_rare(splits["train"], options.tag_cutoff, rare)
    if mapped:
        notes.append(f"{mapped} tags seen fewer than {options.tag_cutoff} times in training became {rare}")
    if all(tag == rare for _, tags in splits["train"] for tag in tags) and mapped:
        raise UsageError(f"--tag-cutoff {options.tag_cutoff}: no tag is seen so often in training")
    warn_if_long(corpus, (len(tokens) for sentences in splits.values() for tokens, _ in sentences))
    grammar = count_grammar(derivations) if derivations else None
    if grammar and grammar.wide:
        notes.append(
            f"{grammar.wide.total()} nodes have more than two children; the grammar for `nntag parse` leaves them out"
        )
    _write_folder(Path(out), corpus, splits, grammar, rare if mapped else None)
    data = open_data_folder(out)
    if "spans" in data.meta:
        notes.append(f"the tags mark spans ({data.meta['spans']}), which `nntag eval` also scores as conlleval does")
    if "attributes" in data.meta:
        names = ", ".join(data.meta["attributes"])
        notes.append(f"the tags are lists of attributes, which `nntag eval` also scores one by one: {names}")
    for split, counts in data.meta["splits"].items():
        notes += describe_overlap(split, counts.get(OVERLAP, 0), counts["sentences"])
    return Preprocessed(data, [*notes, *corpus.notes()])


def _write_folder(
    out: Path,
    corpus: Corpus,
    splits: Mapping[str, list[TaggedSentence]],
    grammar: Grammar | None,
    rare: str | None,
) -> None:
    """Texts, vocabularies of the training split, its grammar where it has derivations, and counts.

    Raises `DataError` for tags that cannot be learned.
    """
    column, cutoff = corpus.options.column, corpus.options.tag_cutoff
    word_counts = count_all(tokens for tokens, _ in splits["train"])
    tag_counts = count_all(tags for _, tags in splits["train"])
    check_training_tags(tag_counts, len(word_counts), str(corpus.sources["train"][0]), column)
    _warn_unseen_tags(splits, tag_counts)
    words, tags = rank_by_count(word_counts), rank_by_count(tag_counts)
    vocabularies = {
        "words": words,
        "word_counts": [word_counts[word] for word in words],
        "tags": tags,
        "tag_counts": [tag_counts[tag] for tag in tags],
        "rare_tag": rare,
    }
    counts = {split: _count_split(sentences, word_counts, tag_counts) for split, sentences in splits.items()}
    train = SentenceHashes(tokens for tokens, _ in splits["train"])
    for split in counts.keys() - {"train"}:
        counts[split][OVERLAP] = SentenceHashes(tokens for tokens, _ in splits[split]).count_known(train)
    details = corpus.describe() | {"column": column, "tag_cutoff": cutoff}
    details |= {"word_types": len(words), "tag_types": len(tags)}
    known = [tag for tag in tags if tag != rare]
    if holds_spans(known):
        details["spans"] = name_scheme(tags for _, tags in splits["train"])
    if holds_attributes(known):
        details["attributes"] = sorted({name for name, _, _ in find_attributes(known)})
    with create_data_folder(out, corpus.options.force, corpus.options.in_use) as folder:
        for split, sentences in splits.items():
            write_columns_file(folder / f"{split}.tsv", sentences)
        write_json(folder / "vocab.json", vocabularies)
        if grammar:
            write_grammar(folder / GRAMMAR_FILE, grammar)
        write_meta(folder, task="tagging", corpus=corpus.format, splits=counts, **details)


def _read_files(
    split: str,
    files: Sequence[str | Path],
    corpus: Corpus,
    progress: ProgressCallback,
    derivations: list[Tree] | None = None,
) -> Iterator[TaggedSentence]:
    """The sentences of a split; `derivations` is filled where the corpus has them."""
    count = 0
    format, column = corpus.format, corpus.options.column
    for file in files:
        if derivations is not None and has_derivations(format, column):
            sentences = _keep_derivations(read_derived_sentences(file, format, corpus.on_bad), derivations)
        else:
            sentences = read_tagged_sentences(file, format, column, corpus.on_bad)
        for sentence in sentences:
            count += 1
            yield sentence
            if count % 1000 == 0:
                progress(Progress(f"reading {split}", count, None, "sentences"))
    progress(Progress(f"reading {split}", count, count, "sentences", finished=True))


def _keep_derivations(
    pairs: Iterable[tuple[TaggedSentence, Tree]], derivations: list[Tree]
) -> Iterator[TaggedSentence]:
    for sentence, tree in pairs:
        derivations.append(tree)
        yield sentence


def _name_rare(sentences: list[TaggedSentence]) -> str:
    """`RARE`, or where the corpus has a tag of that name, `RARE-2`, ...: the class is not a tag of the corpus."""
    tags = count_all(tags for _, tags in sentences)
    names = itertools.chain([RARE], (f"{RARE}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in tags)


def _map_rare(sentences: list[TaggedSentence], cutoff: int, rare_tag: str) -> tuple[list[TaggedSentence], int]:
    """The sentences with tags seen fewer than `cutoff` times as `rare_tag`, and how many tag types were replaced."""
    counts = count_all(tags for _, tags in sentences)
    rare = {tag for tag, count in counts.items() if count < cutoff}
    if not rare:
        return sentences, 0
    return [(tokens, tuple(rare_tag if tag in rare else tag for tag in tags)) for tokens, tags in sentences], len(rare)


def _count_split(
    sentences: list[TaggedSentence], word_counts: Counter[str], tag_counts: Counter[str]
) -> dict[str, Any]:
    """Counts of a split, and how much of it training has not seen."""
    tokens = [token for words, _ in sentences for token in words]
    tags = [tag for _, row in sentences for tag in row]
    return {
        "sentences": len(sentences),
        "tokens": len(tokens),
        "tag_types": len(set(tags)),
        "unseen_words": sum(token not in word_counts for token in tokens) / len(tokens),
        "unseen_tags": sum(tag not in tag_counts for tag in tags) / len(tags),
    }


def _warn_unseen_tags(splits: Mapping[str, list[TaggedSentence]], tag_counts: Counter[str]) -> None:
    """Names the tags that a model cannot give, because training does not have them."""
    for split in ("dev", "test"):
        tags = itertools.chain.from_iterable(row for _, row in splits.get(split, []))
        unseen = Counter(tag for tag in tags if tag not in tag_counts)
        if unseen:
            named = ", ".join(f"{tag} ({count})" for tag, count in unseen.most_common(MOST_WARNED))
            more = f" and {len(unseen) - MOST_WARNED} more" if len(unseen) > MOST_WARNED else ""
            logger.warning(
                "%s has tags that training never sees, their words count as errors: %s%s", split, named, more
            )
