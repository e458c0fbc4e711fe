"""What else a distance is for: outliers, groups, prototypes, audits, changes."""
