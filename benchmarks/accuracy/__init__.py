"""Accuracy of CPMLClassifierCV beside that of other classifiers."""
