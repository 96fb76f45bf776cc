# Long-lived flows both ways over a RED link: ns red.tcl FLOWS AUTO|THIRDS ECN SEED
lassign $argv n kind ecn seed
remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
ns-random $seed
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
Agent/TCP set ecn_ $ecn
Queue/RED set setbit_ $ecn
set buffer 1000
if {$kind eq "THIRDS"} {
  Queue/RED set bytes_ false
  Queue/RED set queue_in_bytes_ false
  Queue/RED set thresh_ [expr {$buffer / 3}]
  Queue/RED set maxthresh_ [expr {2 * $buffer / 3}]
} else {
  Queue/RED set mean_pktsize_ 1000
}
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b 100e6 40ms RED
$ns queue-limit $a $b $buffer
$ns queue-limit $b $a $buffer
set port [$ns monitor-queue $a $b ""]
set waiting [new Integrator]
$port set-pkts-integrator $waiting
set rng [new RNG]; $rng seed $seed
for {set i 0} {$i < 2 * $n} {incr i} {
  set from [new Agent/TCP/Sack1]; set to [new Agent/TCPSink/Sack1]
  if {$i % 2} {set x $a; set y $b} else {set x $b; set y $a}
  $ns attach-agent $x $from; $ns attach-agent $y $to; $ns connect $from $to
  set ftp [new Application/FTP]; $ftp attach-agent $from
  $ns at [$rng uniform 0 2] "$ftp start"
}
proc figures {} {
  global port waiting
  return [list [$port set bdepartures_] [$port set parrivals_] [$port set pdrops_] [$waiting set sum_]]
}
$ns at 20 {$waiting newpoint 20 [$waiting set lasty_]; set before [figures]}
$ns at 100 {
  $waiting newpoint 100 [$waiting set lasty_]
  foreach x $before y [figures] {lappend d [expr {$y - $x}]}
  lassign $d bytes arrivals drops area
  puts "$n,$kind,$ecn,$seed,[expr {$bytes * 8 / 100e6 / 80}],[expr {double($drops) / $arrivals}],[expr {$area / 80}]"
  exit 0
}
$ns run
