"""Captures (pcap, pcapng): reading, and lists of flows that a scenario replays."""
