"""The expectations of google/quiche's `bbr2_simulator_test.cc`, one `Case` for each test.

The tests were written for BBRv2. Topologies, transfer sizes and numbers are those of the file
(BSD 3-clause licence) at commit 08b2a466; an exception file describes each case that
BBRv3 rightly meets otherwise.

Differences from the simulator of quiche:

- TCP carries the data: packets of 1350 B on the wire, 1310 B of them payload, SACK, RACK and tail
  probes, whose thresholds are those of RFC 9002. The SYN is as large as a packet, because quiche
  starts without a handshake and never measures a smaller round trip.
- The receiver acknowledges every second packet. That of quiche acknowledges every tenth after the
  first hundred, or a quarter of the smallest round trip after the first of them.
- A transfer ends with the ACK of its last byte; in quiche it ends when the last byte is sent.
- Links do not add a random delay of up to 10 us.
- The bandwidth is that in use, `min(max_bw, bw_shortterm)`. For the largest one of
  quiche, that at the end of the last PROBE_UP counts if a short-term bound holds now.
- Applications that write in bursts, ACKs in bundles and the policer use the synthetic sender of the
  draft's cases (`conform.bbr.made`) over the same two links, with an ACK for each packet.
- quiche's connection options do not exist here: these cases run without them.
"""
