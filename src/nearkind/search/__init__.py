"""CPMLClassifierCV: cross-validation of candidates, elimination and ensembles."""
