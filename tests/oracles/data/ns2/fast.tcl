# FAST flows over one bottleneck, in an ns-2 that has Agent/TCP/Fast:
#   ns fast.tcl NAME VALUE ...        the names are those of the array below; bdp -1 = no bound
array set of {bw 1e9 rtt 0.1 flows 1 alpha 200 mi 0.00075 buffer 8334 loss 0 seed 1 gap 0.1 until 100 from 50}
array set of $argv

remove-all-packet-headers
add-packet-header Flags IP TCP
set ns [new Simulator]
ns-random $of(seed)
array set defaults {avgRTT_ 0 baseRTT_ 0 avg_cwnd_last_RTT_ 0 gamma_ 0.5 high_accuracy_cwnd_ 2
  cwnd_update_period_ 0.01 maxburst_ 0 packetSize_ 1460}
foreach {name value} [array get defaults] {Agent/TCP/Fast set $name $value}
Agent/TCP/Fast set alpha_ $of(alpha)
Agent/TCP/Fast set beta_ $of(alpha)
Agent/TCP/Fast set mi_threshold_ $of(mi)
Agent/TCP/Fast set window_ [expr {int(10 * $of(bw) * $of(rtt) / 12000 + 100 + 20 * $of(alpha) * $of(flows))}]

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $of(bw) [expr {0.4 * $of(rtt)}] DropTail
$ns queue-limit $left $right [expr {$of(buffer) + 1}]
$ns queue-limit $right $left 9999999
proc host {router} {
  global ns of
  set host [$ns node]
  $ns duplex-link $host $router 10e9 [expr {0.05 * $of(rtt)}] DropTail
  $ns queue-limit $host $router 9999999
  $ns queue-limit $router $host 9999999
  return $host
}
if {$of(loss) > 0} {
  set losses [new ErrorModel]
  $losses unit pkt
  $losses set rate_ $of(loss)
  $losses ranvar [new RandomVariable/Uniform]
  $losses drop-target [new Agent/Null]
  $ns lossmodel $losses $left $right
}
set port [$ns monitor-queue $left $right ""]
for {set i 0} {$i < $of(flows)} {incr i} {
  set tcp [new Agent/TCP/Fast]
  set sink [new Agent/TCPSink/Sack1]
  $ns attach-agent [host $left] $tcp
  $ns attach-agent [host $right] $sink
  $ns connect $tcp $sink
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at [expr {$i * $of(gap)}] "$ftp start"
  lappend flows $tcp
}

# Each 10 ms: what waits, the packet in service apart.
set sum 0.0
set samples 0
proc look {} {
  global ns port sum samples
  set sum [expr {$sum + max(0, [$port set pkts_] - 1)}]
  incr samples
  $ns at [expr {[$ns now] + 0.01}] look
}
proc counted {} {
  global port flows
  set found [list [$port set pdepartures_] [$port set parrivals_] [$port set pdrops_]]
  foreach name {ncwndcuts_ nrexmit_ nrexmitpack_} {
    set all 0
    foreach tcp $flows {incr all [$tcp set $name]}
    lappend found $all
  }
  foreach tcp $flows {lappend found [$tcp set ack_]}
  return $found
}
$ns at $of(from) {set before [counted]; look}
$ns at $of(until) {
  set took [expr {$of(until) - $of(from)}]
  foreach now [counted] then $before {lappend more [expr {$now - $then}]}
  set rates {}
  foreach packets [lrange $more 6 end] {lappend rates [format %.3f [expr {$packets * 0.012 / $took}]]}
  lassign $more departed arrived dropped cuts timeouts again
  puts [join [list [expr {$departed * 12000 / $of(bw) / $took}] [expr {$sum / $samples}] \
    [expr {double($dropped) / $arrived}] $cuts $timeouts $again [join $rates ";"]] ","]
  exit 0
}
$ns run
