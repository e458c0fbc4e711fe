"""The paper, regenerated: its tables and figures, ours beside the printed numbers."""
