"""The scikit-learn estimators: all that users meet first."""
