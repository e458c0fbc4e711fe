"""What else a distance is for, beside other packages; a module for each task."""
