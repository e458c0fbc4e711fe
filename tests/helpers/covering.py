"""Covering arrays: few settings in which every few values meet."""

from collections import Counter
from itertools import combinations, product

import numpy as np


def covering(values, strength=2, seed=0, tries=20):
    """Return settings in which every ``strength`` values of as many names meet.

    Greedy: each new setting begins with a tuple that is not covered yet, and is the one
    of some random completions that covers most of what is left (Cohen, Dalal, Fredman
    and Patton, IEEE Trans. Software Engineering 1997).

    Parameters
    ----------
    values : dict of str to list
        Values of each name.
    strength : int, default=2
        How many names are looked at together.
    seed : int, default=0
        Of the completions.
    tries : int, default=20
        Completions of each setting.

    Returns
    -------
    list of dict
    """
    rng = np.random.default_rng(seed)
    names = list(values)
    strength = min(strength, len(names))
    left = {
        tuple(zip(group, numbers, strict=True))
        for group in combinations(names, strength)
        for numbers in product(*(range(len(values[name])) for name in group))
    }
    found = []
    while left:
        begun = dict(min(left))
        drawn = [
            {n: begun.get(n, int(rng.integers(len(values[n])))) for n in names}
            for _ in range(tries)
        ]
        met = [left.intersection(combinations(d.items(), strength)) for d in drawn]
        best = max(range(tries), key=lambda i: len(met[i]))
        left -= met[best]
        found.append({n: values[n][number] for n, number in drawn[best].items()})
    return found


def least_covering(settings, strength):
    """Return the numbers of a few of the settings that cover what all cover.

    Greedy, like ``covering``; of settings that cover as much, the one whose values were
    chosen least often.

    Parameters
    ----------
    settings : list of dict
        The values of the same names in each.
    strength : int
        How many names are looked at together.

    Returns
    -------
    set of int
    """
    covers = [
        set(combinations(sorted(each.items()), min(strength, len(each))))
        for each in settings
    ]
    left, used, found = set().union(*covers), Counter(), set()
    while left:
        best = max(
            range(len(settings)),
            key=lambda i: (
                len(covers[i] & left),
                -sum(used[value] for value in settings[i].items()),
            ),
        )
        left -= covers[best]
        used.update(settings[best].items())
        found.add(best)
    return found
