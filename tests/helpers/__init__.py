"""Tables, oracles and problems that several tests share."""
