"""McNemar's test and the paired bootstrap against enumerations, numbers worked by hand and plain loops."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from nntag.commands.comparison import significance
from nntag.commands.comparison.significance import McNemar, bootstrap, count_agreement
from nntag.training.paired_figures import PairedFigure, share


def make_figure(first: list[list[float]], second: list[list[float]]) -> PairedFigure:
    return PairedFigure("accuracy", "sentences", (np.array(first, float), np.array(second, float)), share)


@pytest.mark.parametrize("pairs", range(1, 11))
def test_the_exact_test_counts_all_ways_to_share_out_the_discordant_answers(pairs: int) -> None:
    for only_first in range(pairs + 1):
        found = McNemar(7, only_first, pairs - only_first, 3)
        distance = abs(2 * only_first - pairs)
        ways = itertools.product((0, 1), repeat=pairs)  # who has which discordant answer right
        as_far = sum(abs(2 * sum(way) - pairs) >= distance for way in ways)
        assert found.is_exact and found.p == pytest.approx(float(Fraction(as_far, 2**pairs)), rel=1e-12)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (1, 9, 22 / 1024), (5, 5, 1.0), (0, 6, 2 / 64), (12, 12, 1.0)],  # 2 (1 + 10) / 2^10
)
def test_exact_values_worked_by_hand(only_first: int, only_second: int, p: float) -> None:
    assert McNemar(0, only_first, only_second, 0).p == pytest.approx(p, rel=1e-12)


def test_the_chi_squared_test_is_that_of_the_textbooks() -> None:
    """[[101, 121], [59, 33]]: (|121 - 59| - 1)^2 / 180 = 20.6722, p = 5.450095e-06, as R's mcnemar.test has them."""
    found = McNemar(101, 121, 59, 33)
    assert found.test == "chi-squared with continuity correction"
    assert found.statistic == pytest.approx(3721 / 180) and found.p == pytest.approx(5.450095e-06, rel=1e-6)
    assert found.odds_ratio == pytest.approx(59 / 121)


@pytest.mark.parametrize(("only_first", "only_second"), [(20, 5), (13, 12), (40, 90)])
def test_the_chi_squared_p_is_the_area_under_the_density(only_first: int, only_second: int) -> None:
    found = McNemar(0, only_first, only_second, 0)
    assert found.statistic is not None
    x = np.linspace(0, math.sqrt(found.statistic), 200_001)  # of the root, a half normal: no pole at 0
    density = np.exp(-x * x / 2) * math.sqrt(2 / math.pi)
    assert found.p == pytest.approx(1 - np.trapezoid(density, x), abs=1e-9)


def test_the_two_tests_meet_where_one_gives_way_to_the_other() -> None:
    below, above = McNemar(0, 7, 17, 0), McNemar(0, 7, 18, 0)
    assert below.is_exact and not above.is_exact and below.discordant == 24
    exact = 2 * sum(math.comb(25, k) for k in range(8)) / 2**25
    assert above.p == pytest.approx(exact, rel=0.1)
    assert McNemar(0, 15, 15, 0).p == 1.0  # the correction does not turn no difference into one


def test_agreement_is_counted() -> None:
    first = np.array([1, 1, 0, 0, 1, 0, 0], bool)
    second = np.array([1, 0, 1, 1, 1, 0, 1], bool)
    assert count_agreement(first, second) == McNemar(2, 1, 3, 1)
    assert McNemar(2, 0, 3, 1).odds_ratio is None


def test_the_bootstrap_is_a_plain_loop_over_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(5).integers(0, 9, (13, 2))
    first = [[right, 9] for right, _ in numbers.tolist()]
    second = [[right, 9] for _, right in numbers.tolist()]
    found = bootstrap(make_figure(first, second), 400, seed=3)
    differences = []
    for draw in np.random.default_rng(3).integers(13, size=(400, 13)).tolist():
        rights = [sum(rows[item][0] for item in draw) / (9 * 13) for rows in (first, second)]
        differences.append(rights[1] - rights[0])
    differences.sort()
    rarer = min(sum(d <= 0 for d in differences), sum(d >= 0 for d in differences))
    assert found.p == pytest.approx(min(1, 2 * (rarer + 1) / 401))
    for bound, place in ((found.low, 0.025 * 399), (found.high, 0.975 * 399)):
        low, high = differences[math.floor(place)], differences[math.ceil(place)]
        assert bound == pytest.approx(low + (place - math.floor(place)) * (high - low))
    monkeypatch.setattr(significance, "_BLOCK", 40)
    again = bootstrap(make_figure(first, second), 400, seed=3)
    assert (again.low, again.high, again.p) == pytest.approx((found.low, found.high, found.p))


def test_the_bootstrap_of_three_items_is_near_that_of_all_27_draws() -> None:
    first, second = [[1, 4], [2, 3], [0, 5]], [[3, 4], [1, 3], [1, 5]]
    every = []
    for draw in itertools.product(range(3), repeat=3):
        totals = [[sum(rows[item][column] for item in draw) for column in (0, 1)] for rows in (first, second)]
        every.append(Fraction(totals[1][0], totals[1][1]) - Fraction(totals[0][0], totals[0][1]))
    rarer = min(sum(d <= 0 for d in every), sum(d >= 0 for d in every))
    found = bootstrap(make_figure(first, second), 40_000, seed=1)
    assert found.p == pytest.approx(2 * rarer / 27, abs=0.01)
    assert found.low == float(min(every)) and found.high == float(max(every))  # each has one draw of 27, 3.7 %


def test_the_interval_of_many_items_is_that_of_the_normal_distribution() -> None:
    """Of a mean difference: 1.96 standard errors to each side."""
    generator = np.random.default_rng(2)
    first, second = generator.normal(5, 1, 2000), generator.normal(5.05, 1, 2000)
    ones = np.ones(2000)
    figure = PairedFigure("x", "y", (np.stack([first, ones], 1), np.stack([second, ones], 1)), share)
    found = bootstrap(figure, 10_000, seed=1)
    mean, error = float((second - first).mean()), float((second - first).std()) / math.sqrt(2000)
    assert found.low == pytest.approx(mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=0.1 * error)
    two_sided = math.erfc(abs(mean) / error / math.sqrt(2))
    assert found.p == pytest.approx(two_sided, abs=0.02)


def test_equal_systems_have_no_difference() -> None:
    found = bootstrap(make_figure([[1, 2], [0, 3]], [[1, 2], [0, 3]]), 100, seed=1)
    assert (found.low, found.high, found.p) == (0, 0, 1)


def test_the_seed_decides() -> None:
    numbers = np.random.default_rng(7).integers(0, 9, (30, 2)).tolist()
    figure = make_figure([[right, 9] for right, _ in numbers], [[right, 9] for _, right in numbers])
    assert bootstrap(figure, 200, seed=1) == bootstrap(figure, 200, seed=1) != bootstrap(figure, 200, seed=2)
