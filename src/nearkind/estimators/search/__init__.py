"""The choice of a distance by validation: candidates, folds, race, committee."""
