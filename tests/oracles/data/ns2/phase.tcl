# Two endless Reno flows (TCP/Linux) of different round trips through one bottleneck, 10 Mbit/s and 33 packets:
#   ns phase.tcl OVERHEAD_S SEED RTT_S RTT_S [CROSS]
# CROSS is the share of the line that fifty sources of UDP take, evenly and each from a drawn moment on; their packets
# are as large as the others. Without the RTP header a UDP packet's number would be written over its size.
# What is printed was counted from 20 to 220 s.
lassign $argv overhead seed
set rtts [lrange $argv 2 3]
set cross [lindex $argv 4]
set rate 10e6
set buffer 33
remove-all-packet-headers
add-packet-header Flags IP TCP RTP
set ns [new Simulator]
ns-random [expr {$seed + 1}]
Agent/TCP set window_ 1000000
Agent/TCP set minrto_ 0.2
Agent/TCP/Linux set timestamps_ true
Agent/TCP/Linux set packetSize_ 1450
Agent/TCP/Linux set overhead_ $overhead
Agent/TCPSink set ts_echo_rfc1323_ true
set chance [new RNG]
$chance seed [expr {1000 * $seed + 7}]
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $rate 6ms DropTail
$ns queue-limit $near $far [expr {$buffer + 1}]
$ns queue-limit $far $near 100000
set flows {}
foreach rtt $rtts {
  set from [$ns node]; set to [$ns node]
  foreach {x y} [list $from $near $far $to] {
    $ns duplex-link $x $y [expr {10 * $rate}] [expr {($rtt / 2 - 0.006) / 2}] DropTail
    $ns queue-limit $x $y 100000
    $ns queue-limit $y $x 100000
  }
  set tcp [new Agent/TCP/Linux]
  set sink [new Agent/TCPSink/Sack1]
  $ns attach-agent $from $tcp
  $ns attach-agent $to $sink
  $ns connect $tcp $sink
  $ns at 0 "$tcp select_ca reno"
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at [$chance uniform 0 [expr {$seed ? 1.0 : 0.001}]] "$ftp start"
  lappend flows $tcp
}
set sources [expr {$cross eq "" ? 0 : 50}]
for {set i 0} {$i < $sources} {incr i} {
  set udp [new Agent/UDP]
  set null [new Agent/Null]
  set cbr [new Application/Traffic/CBR]
  $udp set packetSize_ 1500
  $cbr set packetSize_ 1500
  $cbr set interval_ [expr {12000.0 * $sources / ($cross * $rate)}]
  $ns attach-agent $near $udp
  $ns attach-agent $far $null
  $ns connect $udp $null
  $cbr attach-agent $udp
  $ns at [$chance uniform 0 [$cbr set interval_]] "$cbr start"
}
proc figures {} {
  global flows
  set l {}
  foreach tcp $flows {lappend l [$tcp set ack_] [$tcp set ncwndcuts_] [$tcp set nrexmit_] [$tcp set nrexmitpack_]}
  return $l
}
$ns at 20 {set before [figures]}
$ns at 220 {
  set d {}
  foreach x $before y [figures] {lappend d [expr {$y - $x}]}
  lassign $d a ac at ar b bc bt br ; # packets of 1500 B in 200 s: 60 bit/s each
  if {$sources} {lappend rtts $cross}
  puts "[join $rtts ,],$overhead,$seed,[expr {$a * 60.0}],[expr {$b * 60.0}],$ac,$bc"
  exit 0
}
$ns run
