"""What the bundled telecom pack is composed from: customers and lines, faults, and what the customers say."""
