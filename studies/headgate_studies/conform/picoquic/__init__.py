"""The expectations of picoquic's `cc_compete_test.c` and `l4s_test.c`, one `Case` for each test.

Rates, delays, buffers, sizes, start times and limits are those of private-octopus/picoquic (MIT
licence) at commit d199d45b. An exception file describes each case that is rightly met otherwise.

Differences from the simulator of picoquic:

- The preset `quic` carries the data, in packets of 1440 B, the largest of picoquic's path MTU
  discovery, 1406 B of them data. Headers of UDP and IP do not count there, and not here.
- The server sends. Its connection starts half a round trip after the client's, with the handshake
  of one round trip, so that data leave after one and a half, as there.
- A transfer ends with the arrival of its last byte. `picoquic_ns` also counts the close of the
  connection, which takes some probe timeouts.
- picoquic's BBR follows the BBR draft: its cases are those of `bbr3` in the variant `draft`.
- A buffer in time is one in packets of the first rate, because packets that wait when the rate
  changes leave at the new rate. In picoquic its limit in bytes follows the rate.
- The L4S tests request four parts of 1 MB, each when the one before is complete. Here one transfer
  of 4 MB runs, and three round trips are added to its time.
"""
