"""The classifiers that are compared, with their usual settings."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

from benchmarks.accuracy.anchors import Anchor, server
from benchmarks.accuracy.scores import log_loss
from nearkind import CPMLClassifier, CPMLClassifierCV
from nearkind.baselines import Hamming

NEIGHBORS = (1, 3, 5, 9, 15, 25)
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""The C that logistic regression tries."""
SEED = 0


class ColumnwiseClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is given words and numbers apart, missing numbers as NaN.

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
        self.model_.fit(self._prepared(X), numbers)
        return self

    def predict(self, X):
        answers = np.asarray(self.model_.predict(self._prepared(X))).ravel()
        return self.classes_[answers.astype(int)]

    def predict_proba(self, X):
        return self.model_.predict_proba(self._prepared(X))

    def _prepared(self, X):
        X = X.astype(object)
        for d in self.words_:
            X[:, d] = ["missing" if x is None else str(x) for x in X[:, d]]
        for d in self.numbers_:
            X[:, d] = [np.nan if x is None else float(x) for x in X[:, d]]
        return X


class _Delegating(ClassifierMixin, BaseEstimator):
    """A classifier that answers as its ``model_`` does."""

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class ValidatedNeighbors(_Delegating):
    """Nearest neighbours, their number chosen on a quarter of the rows."""

    def fit(self, X, y):
        train, valid, y_train, y_valid = train_test_split(
            X, y, test_size=0.25, random_state=SEED
        )
        voter = self.voter(train, y_train)
        right = [np.mean(voter(k).predict(valid) == y_valid) for k in NEIGHBORS]
        self.model_ = self.voter(X, y)(NEIGHBORS[int(np.argmax(right))])
        self.classes_ = np.unique(y)
        return self


class HammingNeighbors(ValidatedNeighbors):
    """Nearest neighbours by Hamming distance."""

    def voter(self, X, y):
        """Return, of a number of neighbours, the classifier that has learned rows."""
        model = CPMLClassifier(Hamming()).fit(X, y)
        return lambda k: model.set_params(n_neighbors=k)


class EmbeddedNeighbors(ValidatedNeighbors):
    """Nearest neighbours in an embedding.

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

    def voter(self, X, y):
        """Return, of a number of neighbours, the classifier that has learned rows."""
        some = np.random.default_rng(SEED).permutation(len(y))[: self.rows]
        embedding = FrozenEstimator(clone(self.embedding).fit(X[some], y[some]))
        U = embedding.transform(X)

        def of(k):
            voter = KNeighborsClassifier(min(k, len(y))).fit(U, y)
            return Pipeline([("embedding", embedding), ("voter", voter)])

        return of


def validated_logistic(encoder):
    """Return logistic regression, its C chosen by the log loss of three folds."""
    return GridSearchCV(
        make_pipeline(encoder, LogisticRegression(max_iter=1_000)),
        {"logisticregression__C": STRENGTHS},
        scoring=_negative_log_loss,
        cv=StratifiedKFold(3, shuffle=True, random_state=SEED),
    )


def _negative_log_loss(model, X, y):
    return -log_loss(model.predict_proba(X), model.classes_, y)


def _is_number(x):
    return x is None or isinstance(x, float)


def _one_hot(words, numbers, sparse=False):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=sparse), words),
        (_standardised(), numbers),
    )


def _standardised():
    """Return a transformer of numbers; those that miss have an indicator."""
    medians = SimpleImputer(strategy="median", add_indicator=True)
    return make_pipeline(medians, StandardScaler())


def _words_and_numbers(words, numbers, imputer="passthrough"):
    """Return a transformer that puts the words first, as they are."""
    return make_column_transformer(("passthrough", words), (imputer, numbers))


def _ordinal(words, numbers, most=None):
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
    return make_column_transformer(
        (OrdinalEncoder(**unknown, max_categories=most), words),
        ("passthrough", numbers),
    )


def forest(words, numbers):
    trees = RandomForestClassifier(300, random_state=SEED, n_jobs=1)
    return make_pipeline(_one_hot(words, numbers), trees)


def boosting(words, numbers):
    places = list(range(len(words)))  # the encoder puts them first
    trees = HistGradientBoostingClassifier(
        categorical_features=places, random_state=SEED
    )
    most = 250  # what trees of histograms can hold
    return make_pipeline(_ordinal(words, numbers, most), trees)


def nca(words, numbers):
    learner = NeighborhoodComponentsAnalysis(max_iter=50, random_state=SEED)
    return EmbeddedNeighbors(
        make_pipeline(_one_hot(words, numbers), learner), rows=4_000
    )


def target_encoding(words, numbers):
    encoder = make_column_transformer(
        (TargetEncoder(random_state=SEED), words), (_standardised(), numbers)
    )
    return EmbeddedNeighbors(encoder)


def logistic(words, numbers):
    return validated_logistic(_one_hot(words, numbers, sparse=True))


def lightgbm(words, numbers):
    return Anchor("lightgbm", _ordinal(words, numbers), {"n_words": len(words)})


def catboost(words, numbers):
    encoder = _words_and_numbers(words, numbers)
    return Anchor("catboost", encoder, {"n_words": len(words)})


def ebm(words, numbers):
    encoder = _words_and_numbers(words, numbers)
    return Anchor("ebm", encoder, {"n_words": len(words)})


def xrfm(words, numbers):
    return Anchor("xrfm", _one_hot(words, numbers), {})


def network(name, words, numbers):
    medians = SimpleImputer(strategy="median", add_indicator=True)
    encoder = _words_and_numbers(words, numbers, medians)
    return Anchor(name, encoder, {"n_words": len(words)})


def columnwise(make):
    """Return what makes a classifier that is given words and numbers apart."""
    return partial(ColumnwiseClassifier, make)


def load_anchor(name):
    return server(name).versions


def _anchor(name, make):
    return columnwise(make), partial(load_anchor, name)


OURS = "cpml-cv"
CLASSIFIERS = {
    OURS: (CPMLClassifierCV,),
    "logistic regression": (columnwise(logistic),),
    "random forest": (columnwise(forest),),
    "hist boosting": (columnwise(boosting),),
    "lightgbm": _anchor("lightgbm", lightgbm),
    "catboost": _anchor("catboost", catboost),
    "ebm": _anchor("ebm", ebm),
    "realmlp": _anchor("realmlp", partial(network, "realmlp")),
    "tabm": _anchor("tabm", partial(network, "tabm")),
    "xrfm": _anchor("xrfm", xrfm),
    "nca one-hot": (columnwise(nca),),
    "target encoding": (columnwise(target_encoding),),
    "hamming knn": (HammingNeighbors,),
}
"""By name, what makes a classifier and, if need be, what loads its packages."""
BUDGETED = partial(CPMLClassifierCV, time_budget=300.0)
"""Ours on a large set: the search starts no fit after five minutes."""
