# An endless flow of AGENT beside files of Sack1 over a drop-tail link, 10 Mbit/s, 100 ms, 60 packets, for 60 s:
#   ns web.tcl AGENT LIST
# AGENT is Sack1, or the name of a congestion control of Agent/TCP/Linux; LIST has a line for each file, its start
# in s and its size in packets. Prints the figures from 10 s on: drops, departures, packets of the endless flow
# acknowledged, its time-outs and retransmissions; time-outs and retransmissions of the files, and their SYNs dropped:
# `nrexmit_` counts a time-out of a SYN too.
lassign $argv agent list
set from 10
set until 60
remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
# a time stamp takes 10 B of 1000
Agent/TCP/Linux set timestamps_ true
Agent/TCP/Linux set packetSize_ 950
Agent/TCPSink set ts_echo_rfc1323_ true

set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 10e6 50ms DropTail
$ns queue-limit $a $b 61
$ns queue-limit $b $a 100000
set port [$ns monitor-queue $a $b ""]
set trace [open $list.trace w]
$ns trace-queue $a $b $trace

proc flow {agent start size} {
  global ns a b
  set linux [expr {$agent ne "Sack1"}]
  set tcp [new Agent/TCP/[expr {$linux ? "Linux" : $agent}]]
  set sink [new Agent/TCPSink/Sack1]
  $ns attach-agent $a $tcp
  $ns attach-agent $b $sink
  $ns connect $tcp $sink
  if {$linux} {$ns at 0 "$tcp select_ca $agent"}
  $ns at $start "$tcp advanceby $size"
  return $tcp
}
set long [flow $agent 0 10000000]
set files {}
set lines [open $list]
while {[gets $lines line] >= 0} {lappend files [flow Sack1 {*}$line]}
close $lines

proc sum {name} {
  global files
  set sum 0
  foreach tcp $files {incr sum [$tcp set $name]}
  return $sum
}
proc figures {} {
  global port long
  return [list [$port set pdrops_] [$port set pdepartures_] [$long set ack_] [$long set nrexmit_] [$long set nrexmitpack_] [sum nrexmit_] [sum nrexmitpack_]]
}
# A line of the trace: event, time, from, to, kind, size, flags, flow, addresses, sequence number, packet.
proc dropped_syns {} {
  global list from
  set trace [open $list.trace]
  set count 0
  while {[gets $trace line] >= 0} {
    if {[string index $line 0] eq "d" && [lindex $line 1] >= $from && [lindex $line 10] == 0} {incr count}
  }
  close $trace
  file delete $list.trace
  return $count
}
$ns at $from {set before [figures]}
$ns at $until {
  foreach x $before y [figures] {lappend change [expr {$y - $x}]}
  close $trace
  puts "figures [join $change { }] [dropped_syns]"
  exit 0
}
$ns run
