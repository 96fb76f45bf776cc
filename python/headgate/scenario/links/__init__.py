"""What a link may have beside a rate and a delay: impairments, traces, a course."""
