"""Committees put together by hand, and rules by which rows vote."""

from dataclasses import replace

import nearkind as nk
from nearkind.estimators.base import keep_codebook
from nearkind.neighbors import is_soft
from nearkind.voting import Committee, NearestRule, SoftRule


def with_members(search, members, **parts):
    """Return a fitted search after making it vote by these fitted classifiers."""
    voters = tuple(member.committee_.voters[0] for member in members)
    given = {"voters": voters, "weights": None, **parts}
    search.committee_ = replace(search.committee_, **given)
    keep_codebook(search, search.distance_.codebook)
    return search


def search_of(members, **parts):
    """Return a search that found nothing but these fitted classifiers."""
    voters = tuple(member.committee_.voters[0] for member in members)
    search = nk.CPMLClassifierCV()
    search.classes_ = members[0].classes_
    search.committee_ = Committee(voters, search.classes_, **parts)
    keep_codebook(search, search.distance_.codebook)
    return search


def shares_by(model, X, ways):
    """Return the shares of classes (R, n, C) if so many rows vote with such weights."""
    (voter,) = model.committee_.voters
    rules = [
        SoftRule(model.temperature_, k) if is_soft(weights) else NearestRule(k, weights)
        for k, weights in ways
    ]
    return voter.shares_by_rule(voter.encode(X), rules)
