"""What is kept and what everybody asks of it: the world, ids, instances, operations, facts, durations, faults."""
