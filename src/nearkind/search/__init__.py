"""CPMLClassifierCV: candidates on folds, eliminated or chosen, the best as an ensemble."""
