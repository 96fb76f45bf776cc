"""Captures (pcap, pcapng): read, and made into lists of flows that a scenario replays."""
