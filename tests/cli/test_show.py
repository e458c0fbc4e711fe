"""``nearkind show``."""

from helpers.commands import done, facts


def test_it_says_what_is_in_a_model(models):
    found = facts("show", models["hamming"])
    assert found["kind"] == "CPMLClassifier"
    assert found["classes"] == ["bird", "cat", "dog"]
    assert found["rows"] == 12
    assert found["columns"]["legs"] == {
        "numeric": False,
        "values": [2, 4],
        "missing": False,
    }
    out = done("show", models["single"])
    assert "3 classes: bird, cat, dog" in out
    assert "curls | down | fur; missing cells" in out


def test_a_search_has_its_score_and_a_distance_no_classes(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    done("fit", pets, "-t", "kind", "--drop", "name", "--time-budget", 1, "-o", model)
    assert "cross-validated accuracy 0." in done("show", model).replace("1.", "0.")
    done("fit", pets, "-m", "hamming", "--drop", "kind", "-o", model)
    assert facts("show", model)["classes"] is None
