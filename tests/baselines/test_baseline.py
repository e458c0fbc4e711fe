"""What all baselines share."""

from nearkind.baselines import Hamming


class Halved(Hamming):
    """A distance of a user's, with an ``__init__`` of its own."""

    def __init__(self, factor=0.5, unseen="prior", missing="level", numeric="auto"):
        super().__init__(unseen=unseen, missing=missing, numeric=numeric)
        self.factor = factor


class Derived(Halved):
    pass


def test_a_subclass_keeps_the_init_of_its_base():
    assert Derived(factor=0.25).get_params()["factor"] == 0.25
