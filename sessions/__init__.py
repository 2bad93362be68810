"""What happened: seats, players, turns, the event log, the recorder, rewards and statistics."""
