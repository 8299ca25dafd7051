"""Live programs: op logs, graphs and stacks."""
