"""Voters and committees answer as their classifiers do, and refuse what is damaged."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

import nearkind as nk
from helpers.committees import search_of
from helpers.estimator_tables import labelled_table
from helpers.forms import damaged, read_again
from helpers.model_files import assert_same
from nearkind.errors import RefusedError
from nearkind.voting import Calibration, Committee, ConformalScores, NearestRule, Voter
from nearkind.voting.voter import LeafRule, SoftRule

X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0].replace({"noise": {"c": "never seen"}})
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
WAYS = {
    "uniform": ("euclidean", {}),
    "distance": ("hamming", {"weights": "distance", "n_neighbors": 3}),
    "soft": ("vdm", {"weights": "soft", "temperature": 0.5}),
    "weighted": ("lin", {"class_weight": "balanced"}),
    "leaves": (nk.baselines.ForestNeighbors(20), {"weights": "soft"}),
}


def classifier(name):
    metric, settings = WAYS[name]
    return nk.CPMLClassifier(metric, **settings).fit(X, Y)


def several():
    """Return a search whose committee has three voters, a calibration and scores."""
    members = [classifier(name) for name in ("uniform", "soft", "leaves")]
    prior = np.full(3, 1.0 / 3.0)
    held = ConformalScores(np.linspace(0.0, 0.9, 6), np.arange(6) % 3, np.ones(6))
    weights = np.array([0.5, 0.3, 0.2])
    calibration = Calibration(1.2, 0.1, prior)
    return search_of(members, calibration=calibration, conformal=held, weights=weights)


MODELS = {**{name: lambda name=name: classifier(name) for name in WAYS}, "cv": several}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.fixture(scope="module")
def committee(model):
    return model.committee_


def test_a_committee_answers_as_its_classifier_does(model, committee):
    expected = model.predict_proba(NEW)
    np.testing.assert_array_equal(committee.predict_proba(NEW), expected)
    each = [voter.shares(voter.encode(NEW)) for voter in committee.voters]
    mean = np.average(each, axis=0, weights=committee.weights)
    mean = committee.probabilities(mean)
    np.testing.assert_allclose(mean, expected, atol=1e-12)
    assert list(committee.classes) == list(model.classes_)


def test_a_voter_finds_the_neighbours_that_its_classifier_finds(model, committee):
    voter = committee.explaining
    assert voter.distance is model.distance_
    for table in (NEW, None):
        codes = None if table is None else voter.encode(table)
        found, wanted = voter.kneighbors(codes, 4), model.kneighbors(table, 4)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(
            voter.typicality(codes), model.score_samples(table)
        )


def test_votes_of_rows_add_up_to_the_shares_of_classes(committee):
    for voter in committee.voters:
        codes = voter.encode(NEW)
        for code in np.split(codes, len(codes)):
            votes = voter.votes(voter.distance.represent(code))
            np.testing.assert_allclose(
                votes @ voter.rows.shares, voter.shares(code)[0], atol=1e-6
            )


def test_shares_by_rule_are_those_under_each_rule(committee):
    voter = committee.voters[0]
    codes = voter.encode(NEW)
    rules = [NearestRule(k, w) for w in ("uniform", "distance") for k in (1, 4)]
    rules.append(SoftRule(0.3))
    for rule, found in zip(rules, voter.shares_by_rule(codes, rules), strict=True):
        wanted = replace(voter, rule=rule).shares(codes)
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_they_are_frozen(committee):
    for value in (committee, committee.voters[0], committee.voters[0].rows):
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, None)


def test_what_was_fitted_passes_its_check(committee):
    committee.check()
    for voter in committee.voters:
        voter.check()
        voter.rule.check()


@pytest.mark.parametrize(
    "copied", [read_again, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_files_and_pickles_keep_every_answer(committee, copied):
    again = copied(committee)
    assert type(again) is Committee
    for ours, theirs in zip(again.voters, committee.voters, strict=True):
        assert_same(ours.rows, theirs.rows)
        assert_same(ours.rule, theirs.rule)
        assert_same(ours.report, theirs.report)
    np.testing.assert_array_equal(again.classes, committee.classes)
    np.testing.assert_array_equal(
        again.predict_proba(NEW), committee.predict_proba(NEW)
    )


def check_offenders(made, parts):
    """Every damage of a part is refused when it is read from a file."""
    let_through = []
    for what, odd in parts:
        try:
            read_again(made(odd))
        except RefusedError:
            continue
        let_through.append(what)
    assert not let_through


def test_every_single_damage_of_rows_and_rules_is_refused(committee):
    for voter in committee.voters:
        check_offenders(lambda odd, v=voter: replace(v, rows=odd), damaged(voter.rows))
        kind = ("index_kind", "tree")
        check_offenders(lambda odd, v=voter: replace(v, index_kind=odd), [kind])
        if isinstance(voter.rule, LeafRule):
            rules = [LeafRule(odd) for odd in (0, -1, 1.5, "1", None, True)]
        elif voter.is_soft:
            rules = [SoftRule(odd) for odd in (0.0, -1.0, np.nan, np.inf, "1", None)]
        else:
            rules = [NearestRule(odd) for odd in (0, -1, 1.5, "1", None, True)]
            rules += [NearestRule(1, odd) for odd in ("loud", 3, None)]
        odd_rules = ((str(rule), rule) for rule in [*rules, None, "uniform"])
        check_offenders(lambda odd, v=voter: replace(v, rule=odd), odd_rules)


def test_every_single_damage_of_a_committee_is_refused(committee):
    classes, voters = committee.classes, committee.voters
    odd_classes = [
        classes[:-1], classes[::-1], classes[:, None], classes[[0, 0, 1]],
        classes.astype(object), np.append(classes, "zzz"), None, list(classes),
    ]  # fmt: skip
    check_offenders(
        lambda odd: replace(committee, classes=odd), ((str(x), x) for x in odd_classes)
    )
    binary = nk.CPMLClassifier("hamming").fit(X, Y[0] == Y).committee_.voters[0]
    odd_voters = [(), (voters[0], None), (*voters, binary), None, (voters[0].rows,)]
    check_offenders(
        lambda odd: replace(committee, voters=odd),
        ((f"voters {i}", odd) for i, odd in enumerate(odd_voters)),
    )
    if committee.calibration is not None:
        for name in ("calibration", "conformal"):
            part = getattr(committee, name)
            check_offenders(
                lambda odd, n=name: replace(committee, **{n: odd}), damaged(part)
            )
    shares = 0.5, 1.0, -0.5, np.nan
    n = len(voters)
    odd_weights = [np.full(n + 1, 1.0 / (n + 1)), np.full(n, 2.0), np.zeros(n)]
    odd_weights += [np.full(n, x) for x in shares if n > 1 or x != 1.0]
    check_offenders(
        lambda odd: replace(committee, weights=odd),
        ((f"weights {odd}", odd) for odd in [*odd_weights, 0.5, "x"]),
    )
    other = Calibration(1.0, 0.5, np.full(2, 0.5))
    beyond = ConformalScores(np.zeros(1), np.array([3]), np.ones(1))
    for name, odd in [("calibration", other), ("conformal", beyond),
                      ("calibration", beyond), ("conformal", 0.5)]:  # fmt: skip
        with pytest.raises(RefusedError):
            read_again(replace(committee, **{name: odd}))


def test_a_voter_needs_a_distance_that_its_index_can_search():
    (voter,) = classifier("distance").committee_.voters
    assert type(voter) is Voter
    with pytest.raises(RefusedError, match="index 'faiss' needs vectors, and the dist"):
        replace(voter, index_kind="faiss").check()
