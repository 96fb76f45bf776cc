# One case of the comparison with Linux, in ns-2.35: flows of Agent/TCP/Linux over one bottleneck.
#   ns ns2_agree.tcl CCAS STARTS_MS RTT_MS BUFFER LOSS FROM_S UNTIL_S SEGMENTS SEED
# CCAS and STARTS_MS are lists with commas; SEGMENTS 0 is an endless flow. Prints a line for each flow and
# a last one with the mean number of waiting packets. docs/reference/peers.md lists every setting.
lassign $argv ccas starts rtt buffer loss from until segments seed
set ccas [split $ccas ,]
set starts [split $starts ,]

remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
ns-random $seed
# 1448 B of payload in packets of 1500 B: 40 B of headers, 10 B of time stamp, 2 B of padding
Agent/TCP/Linux set timestamps_ true
Agent/TCP/Linux set packetSize_ 1450
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 0.2
Agent/TCP set rtxcur_init_ 1.0
Agent/TCP set tcpTick_ 0.001
Agent/TCPSink set ts_echo_rfc1323_ true
Agent/TCPSink/Sack1/DelAck set interval_ 40ms

# sender --(10 Gbit/s, no delay)-- router --(20 Mbit/s, half the RTT)-- receiver; back: delay only
set sender [$ns node]
set router [$ns node]
set receiver [$ns node]
$ns duplex-link $sender $router 10Gb 0ms DropTail
$ns simplex-link $router $receiver 20Mb [expr {$rtt / 2}]ms DropTail
$ns simplex-link $receiver $router 10Gb [expr {$rtt / 2}]ms DropTail
foreach {a b} [list $sender $router $router $sender $receiver $router] {$ns queue-limit $a $b 100000}
# the limit counts the packet in service
$ns queue-limit $router $receiver [expr {$buffer + 1}]
if {$loss > 0} {
  set losses [new ErrorModel]
  $losses unit pkt
  $losses set rate_ $loss
  $losses ranvar [new RandomVariable/Uniform]
  $losses drop-target [new Agent/Null]
  $ns lossmodel $losses $sender $router
}
set port [$ns monitor-queue $router $receiver ""]
set waiting [$port get-pkts-integrator]

set flows {}
foreach cca $ccas start $starts {
  set tcp [new Agent/TCP/Linux]
  set sink [new Agent/TCPSink/Sack1/DelAck]
  $ns attach-agent $sender $tcp
  $ns attach-agent $receiver $sink
  $ns connect $tcp $sink
  $ns at 0 "$tcp select_ca $cca"
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  set at [expr {$start / 1e3}]
  # the first packet, in the place of a SYN, carries no data
  if {$segments > 0} {
    $ns at $at "$ftp produce [expr {$segments + 1}]"
    $ns at $at "look $sink $at"
  } else {
    $ns at $at "$ftp start"
  }
  lappend flows $tcp
  set finished($tcp) -1
  set sender_of($sink) $tcp
  set bytes($sink) 0
}

# When the receiver's bytes in order last grew, each 0.1 ms.
proc look {sink start} {
  global ns bytes finished sender_of
  set now [$sink set bytes_]
  if {$now > $bytes($sink)} {
    set bytes($sink) $now
    set finished($sender_of($sink)) [expr {([$ns now] - $start) * 1e3}]
  }
  $ns at [expr {[$ns now] + 0.0001}] "look $sink $start"
}
proc figures {} {
  global waiting ns flows
  $waiting newpoint [$ns now] [$waiting set lasty_]
  set each {}
  foreach tcp $flows {lappend each [list [$tcp set ack_] [$tcp set nrexmitpack_]]}
  return [list [$waiting set sum_] $each]
}
$ns at $from {set before [figures]}
$ns at $until {
  set after [figures]
  set span [expr {$until - $from}]
  set id 0
  foreach tcp $flows b [lindex $before 1] e [lindex $after 1] {
    set goodput [expr {([lindex $e 0] - [lindex $b 0]) * 1448 * 8e-6 / $span}]
    puts "flow=$id goodput_mbps=$goodput retransmissions_first=[lindex $b 1] retransmissions=[expr {[lindex $e 1] - [lindex $b 1]}] finished_ms=$finished($tcp)"
    incr id
  }
  puts "mean_queue=[expr {([lindex $after 0] - [lindex $before 0]) / $span}]"
  exit 0
}
$ns run
