"""The paper's tables and figures, made from rows; ``items`` lists them by name."""
