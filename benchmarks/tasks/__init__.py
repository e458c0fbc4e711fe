"""What else a distance is for, beside libraries made for that: a file for each task."""
