"""Tables beyond memory: speed, memory, and agreement with learning in memory."""
