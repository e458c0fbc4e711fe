"""CPMLClassifierCV: candidates on folds, eliminated or chosen for an ensemble."""
