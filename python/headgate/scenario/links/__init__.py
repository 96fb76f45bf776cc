"""Links: impairments, traces, and courses of rate, delay and loss."""
