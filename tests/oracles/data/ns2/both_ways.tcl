# FLOWS endless flows each way over one drop-tail link, 100 Mbit/s, 80 ms, 1000 packets:
#   ns both_ways.tcl AGENT FLOWS SEED [hold]
# With `hold`, a time-out within a fast recovery leaves ssthresh where the recovery had put it: looked after
# each 2 ms, long before the first ACK that a time-out brings. Figures are those of one direction, from 20 to 100 s.
lassign $argv agent n seed hold
remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
ns-random $seed
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b 100e6 40ms DropTail
$ns queue-limit $a $b 1000
$ns queue-limit $b $a 1000
set port [$ns monitor-queue $a $b ""]
set waiting [new Integrator]
$port set-pkts-integrator $waiting
set rng [new RNG]; $rng seed $seed
set all {}; set forth {}
for {set i 0} {$i < 2 * $n} {incr i} {
  set from [new Agent/TCP/$agent]
  set to [new [expr {$agent eq "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]]
  if {$i % 2} {set x $a; set y $b} else {set x $b; set y $a}
  $ns attach-agent $x $from; $ns attach-agent $y $to; $ns connect $from $to
  set ftp [new Application/FTP]; $ftp attach-agent $from
  $ns at [$rng uniform 0 2] "$ftp start"
  lappend all $from
  if {$i % 2} {lappend forth $from}
}

# A cut that no time-out made began a recovery, up to what had been sent by then.
proc watch {} {
  global ns all kept point cuts timeouts
  foreach t $all {
    set now [$t set ncwndcuts_]
    if {$now == $cuts($t)} continue
    set late [$t set nrexmit_]
    if {$late == $timeouts($t)} {
      set kept($t) [$t set ssthresh_]
      set point($t) [$t set maxseq_]
    } else {
      if {[$t set ack_] < $point($t)} {$t set ssthresh_ $kept($t)}
      set point($t) -1
      set timeouts($t) $late
    }
    set cuts($t) $now
  }
  $ns at [expr {[$ns now] + 0.002}] watch
}
if {$hold ne ""} {
  $ns at 0.001 {
    foreach t $all {set cuts($t) 0; set timeouts($t) 0; set point($t) -1; set kept($t) 0}
    watch
  }
}

proc figures {} {
  global port waiting forth
  set sums {0 0 0}
  foreach t $forth {
    set k 0
    foreach v {nrexmitpack_ ncwndcuts_ nrexmit_} {lset sums $k [expr {[lindex $sums $k] + [$t set $v]}]; incr k}
  }
  return [concat [list [$port set bdepartures_] [$port set parrivals_] [$port set pdrops_] [$waiting set sum_]] $sums]
}
$ns at 20 {$waiting newpoint 20 [$waiting set lasty_]; set before [figures]}
$ns at 100 {
  $waiting newpoint 100 [$waiting set lasty_]
  foreach x $before y [figures] {lappend d [expr {$y - $x}]}
  lassign $d bytes arrivals drops area again cuts late
  puts "$agent,$n,$seed,[expr {$hold ne ""}],[format %.4f [expr {$bytes * 8 / 100e6 / 80}]],[format %.5f [expr {double($drops) / $arrivals}]],[format %.1f [expr {$area / 80}]],$again,$cuts,$late"
  exit 0
}
$ns run
