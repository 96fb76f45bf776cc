# One replay of a flow list: ns fct.tcl Newreno|Reno|Sack1 LIST.csv OUT.csv END_S
# LIST has a head line and `start_s,size_packets`, sorted; OUT a line per finished flow: start in s,
# size in packets, completion time in s. The figures of the bottleneck go to standard output.
lassign $argv agent list out end
remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
set sink [expr {$agent eq "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]

set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 150e6 50ms DropTail
$ns queue-limit $a $b 1875
$ns queue-limit $b $a 100000
set port [$ns monitor-queue $a $b ""]
set waiting [new Integrator]
$port set-pkts-integrator $waiting

set results [open $out w]
Agent/TCP instproc done {} {
  global ns results
  $self instvar start_ size_
  puts $results "$start_,$size_,[expr {[$ns now] - $start_}]"
}
proc go {start size} {
  global ns agent sink a b
  set from [new Agent/TCP/$agent]
  set to [new $sink]
  $from set start_ $start
  $from set size_ $size
  $ns attach-agent $a $from
  $ns attach-agent $b $to
  $ns connect $from $to
  $from send [expr {$size * 960}]
}

set flows [open $list r]
gets $flows
proc next {} {
  global flows ns
  if {[gets $flows line] < 0} return
  lassign [split $line ,] start size
  $ns at $start "go $start $size; next"
}
next

# The bottleneck's figures between 10 and 100 s.
proc figures {} {
  global port waiting ns
  return [list [$port set bdepartures_] [$port set parrivals_] [$port set pdrops_] [$waiting set sum_]]
}
$ns at 10 {set before [figures]; $waiting newpoint 10 [$waiting set lasty_]; set before [figures]}
$ns at 100 {
  $waiting newpoint 100 [$waiting set lasty_]
  foreach x $before y [figures] {lappend d [expr {$y - $x}]}
  lassign $d bytes arrivals drops area
  puts "utilisation,[expr {$bytes * 8 / 150e6 / 90}]"
  puts "loss_rate,[expr {double($drops) / $arrivals}]"
  puts "mean_queue_pkts,[expr {$area / 90}]"
}
$ns at $end {close $results; exit 0}
$ns run
