"""Tasks: outliers, clusters, prototypes, audits, counterfactuals and others."""
