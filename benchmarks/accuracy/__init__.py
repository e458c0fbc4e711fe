"""Who classifies best: CPMLClassifierCV beside what the field would use."""
