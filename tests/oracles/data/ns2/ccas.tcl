# Endless flows through one bottleneck:
#   ns ccas.tcl OUT.csv RATE_BPS RTT_S BUFFER_PKTS LOSS_P UNTIL_S SEED AGENT...
# AGENT is Sack1, Newreno, Vegas, or the name of a congestion control of Agent/TCP/Linux. A line for
# each flow is added to OUT: what was measured from 50 s on, that of the path in each of them.
set agents [lassign $argv out rate rtt buffer loss until seed]
set from 50
set every 0.01

remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
ns-random $seed
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01
# a time stamp takes 10 B of 1500
Agent/TCP/Linux set timestamps_ true
Agent/TCP/Linux set packetSize_ 1450
Agent/TCPSink set ts_echo_rfc1323_ true

# Hosts sit at a tenth of the RTT, on links ten times as fast. Repeats differ in starts, and in up to
# 0.2 % of the delay.
set chance [new RNG]
$chance seed $seed
proc drawn {from to} {global seed chance; expr {$seed ? [$chance uniform $from $to] : $from}}
set path [expr {$rtt * [drawn 1 1.002]}]
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $rate [expr {0.3 * $path}] DropTail
$ns queue-limit $near $far [expr {$buffer + 1}]
$ns queue-limit $far $near 100000
proc host {router} {
  global ns rate path
  set host [$ns node]
  $ns duplex-link $host $router [expr {10 * $rate}] [expr {0.1 * $path}] DropTail
  $ns queue-limit $host $router 100000
  $ns queue-limit $router $host 100000
  return $host
}
if {$loss > 0} {
  set losses [new ErrorModel]
  $losses unit pkt
  $losses set rate_ $loss
  $losses ranvar [new RandomVariable/Uniform]
  $losses drop-target [new Agent/Null]
  $ns lossmodel $losses $near $far
}
set port [$ns monitor-queue $near $far ""]
set waiting [$port get-pkts-integrator]

set flows {}
foreach name $agents {
  set linux [expr {$name ni {Sack1 Newreno Reno Vegas Fack}}]
  set tcp [new Agent/TCP/[expr {$linux ? "Linux" : $name}]]
  set sink [expr {$linux || $name in {Sack1 Fack} ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
  set to [new $sink]
  $ns attach-agent [host $near] $tcp
  $ns attach-agent [host $far] $to
  $ns connect $tcp $to
  if {$linux} {$ns at 0 "$tcp select_ca $name"}
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  set start [drawn 0 [expr {[llength $agents] > 1 ? 1.0 : 0.01}]]
  $ns at $start "$ftp start"
  # half the path, once the start has set it to the receiver's window: else slow start overshoots, as
  # that of TCP/Linux does, which does not heed it
  if {$name eq "Sack1"} {$ns at [expr {$start + 0.001}] "$tcp set ssthresh_ [expr {int($rate * $rtt / 24000)}]"}
  lappend flows $tcp
  set name_($tcp) $name
  set backoffs_($tcp) {}
}

# Each 10 ms: the windows, and what a cut left of one.
proc look {} {
  global ns flows every from cuts_ cwnd_ sum_ samples_ backoffs_
  foreach tcp $flows {
    set cwnd [$tcp set cwnd_]
    set cuts [$tcp set ncwndcuts_]
    if {[$ns now] >= $from} {
      set sum_($tcp) [expr {[info exists sum_($tcp)] ? $sum_($tcp) + $cwnd : $cwnd}]
      incr samples_($tcp)
      if {$cuts > $cuts_($tcp)} {
        lappend backoffs_($tcp) [expr {double([$tcp set ssthresh_]) / $cwnd_($tcp)}]
      }
    }
    set cuts_($tcp) $cuts
    set cwnd_($tcp) $cwnd
  }
  $ns at [expr {[$ns now] + $every}] look
}
$ns at 0.005 look

proc figures {} {
  global port waiting ns flows
  $waiting newpoint [$ns now] [$waiting set lasty_]
  set path [list [$port set pdepartures_] [$port set parrivals_] [$port set pdrops_] [$waiting set sum_]]
  set each {}
  foreach tcp $flows {
    lappend each [list [$tcp set ack_] [$tcp set nrexmitpack_] [$tcp set ncwndcuts_] [$tcp set nrexmit_]]
  }
  return [list $path $each]
}
proc change {before after} {
  set d {}
  foreach x $before y $after {lappend d [expr {$y - $x}]}
  return $d
}
proc median {values} {
  if {![llength $values]} {return ""}
  return [format %.4f [lindex [lsort -real $values] [expr {[llength $values] / 2}]]]
}
$ns at $from {set before [figures]}
$ns at $until {
  set after [figures]
  set span [expr {$until - $from}]
  lassign [change [lindex $before 0] [lindex $after 0]] sent arrivals drops area
  set shared [format %.6f,%d,%d,%.3f [expr {$sent * 1500 * 8.0 / $rate / $span}] $arrivals $drops [expr {$area / $span}]]
  set results [open $out a]
  set id 0
  foreach tcp $flows b [lindex $before 1] e [lindex $after 1] {
    lassign [change $b $e] acked again cuts timeouts
    set goodput [expr {$acked * [$tcp set packetSize_] * 8.0 / $span}]
    set cwnd [expr {double($sum_($tcp)) / $samples_($tcp)}]
    puts $results "[join $agents +],$rate,$rtt,$buffer,$loss,$until,$seed,$id,$name_($tcp),[format %.0f $goodput],$again,$cuts,$timeouts,[format %.2f $cwnd],[median $backoffs_($tcp)],$shared"
    incr id
  }
  close $results
  exit 0
}
$ns run
