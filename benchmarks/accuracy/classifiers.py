"""Other classifiers for tables of categories, with their usual settings."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

from nearkind import CPMLClassifier
from nearkind.baselines import Hamming
from nearkind.experiments.methods import ClassifierMethod

NEIGHBORS = (1, 3, 5, 9, 15, 25)
SEED = 0


class ColumnwiseClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is given words and numbers apart, none missing.

    Parameters
    ----------
    make : callable
        From the places of the columns of words and of numbers to a classifier.
    """

    def __init__(self, make):
        self.make = make

    def fit(self, X, y):
        self.numbers_ = [
            d for d in range(X.shape[1]) if all(_is_number(x) for x in X[:, d])
        ]
        self.words_ = [d for d in range(X.shape[1]) if d not in self.numbers_]
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.model_ = self.make(self.words_, self.numbers_)
        self.model_.fit(self._without_missing(X), numbers)
        return self

    def predict(self, X):
        answers = np.asarray(self.model_.predict(self._without_missing(X))).ravel()
        return self.classes_[answers.astype(int)]

    def _without_missing(self, X):
        X = X.astype(object)
        for d in self.words_:
            X[:, d] = ["missing" if x is None else str(x) for x in X[:, d]]
        for d in self.numbers_:
            X[:, d] = [0.0 if x is None else float(x) for x in X[:, d]]
        return X


class ValidatedNeighbors(ClassifierMixin, BaseEstimator):
    """Nearest neighbours in an embedding, their number chosen on a quarter of the rows.

    Parameters
    ----------
    embedding : estimator
        Transformer of rows.
    rows : int or None, default=None
        Fit the embedding on so many rows at most.
    """

    def __init__(self, embedding, rows=None):
        self.embedding = embedding
        self.rows = rows

    def fit(self, X, y):
        train, valid, y_train, y_valid = train_test_split(
            X, y, test_size=0.25, random_state=SEED
        )
        voter = self._voter(train, y_train)
        right = [voter(k).score(valid, y_valid) for k in NEIGHBORS]
        self.model_ = self._voter(X, y)(NEIGHBORS[int(np.argmax(right))])
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def _voter(self, X, y):
        embedding = clone(self.embedding)
        some = np.random.default_rng(SEED).permutation(len(y))[: self.rows]
        embedding.fit(X[some], y[some])
        U = embedding.transform(X)

        def of(k):
            voter = KNeighborsClassifier(min(k, len(y))).fit(U, y)
            return EmbeddedNeighbors(embedding, voter)

        return of


class EmbeddedNeighbors:
    """A fitted embedding and the neighbours in it."""

    def __init__(self, embedding, voter):
        self.embedding, self.voter = embedding, voter

    def predict(self, X):
        return self.voter.predict(self.embedding.transform(X))

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


class ValidatedHamming(ClassifierMixin, BaseEstimator):
    """Hamming distance, the number of neighbours chosen on a quarter of the rows."""

    def fit(self, X, y):
        train, valid, y_train, y_valid = train_test_split(
            X, y, test_size=0.25, random_state=SEED
        )
        voter = CPMLClassifier(Hamming()).fit(train, y_train)
        right = [
            np.mean(voter.set_params(n_neighbors=k).predict(valid) == y_valid)
            for k in NEIGHBORS
        ]
        best = NEIGHBORS[int(np.argmax(right))]
        self.model_ = CPMLClassifier(Hamming(), n_neighbors=best).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def _is_number(x):
    return x is None or isinstance(x, float)


def _one_hot(words, numbers):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        (StandardScaler(), numbers),
    )


def _ordinal(words, numbers):
    rare = {"max_categories": 250}  # what trees of histograms can hold
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
    return make_column_transformer(
        (OrdinalEncoder(**unknown, **rare), words), ("passthrough", numbers)
    )


def forest(words, numbers):
    trees = RandomForestClassifier(300, random_state=SEED, n_jobs=1)
    return make_pipeline(_one_hot(words, numbers), trees)


def boosting(words, numbers):
    places = list(range(len(words)))  # the encoder puts them first
    trees = HistGradientBoostingClassifier(
        categorical_features=places, random_state=SEED
    )
    return make_pipeline(_ordinal(words, numbers), trees)


class CatBoost(ClassifierMixin, BaseEstimator):
    """CatBoost with 1,000 trees; fewer if there are many classes, each with its own."""

    def __init__(self, words):
        self.words = words

    def fit(self, X, y):
        from catboost import CatBoostClassifier

        self.model_ = CatBoostClassifier(
            iterations=min(1_000, 3_000 // len(np.unique(y))),
            cat_features=self.words,
            random_seed=SEED,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        )
        self.model_.fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def catboost(words, numbers):
    return CatBoost(words)


def nca(words, numbers):
    learner = NeighborhoodComponentsAnalysis(max_iter=50, random_state=SEED)
    return ValidatedNeighbors(
        make_pipeline(_one_hot(words, numbers), learner), rows=4_000
    )


def target_encoding(words, numbers):
    encoder = make_column_transformer(
        (TargetEncoder(random_state=SEED), words), (StandardScaler(), numbers)
    )
    return ValidatedNeighbors(encoder)


MAKERS = {
    "nca one-hot": nca,
    "random forest": forest,
    "hist boosting": boosting,
    "catboost": catboost,
    "target encoding": target_encoding,
}
CLASSIFIERS = {
    **{
        name: ClassifierMethod(partial(ColumnwiseClassifier, make))
        for name, make in MAKERS.items()
    },
    "hamming knn": ClassifierMethod(ValidatedHamming),
}
