"""Tables beyond memory: speed, memory, and what learning from batches gives up."""
