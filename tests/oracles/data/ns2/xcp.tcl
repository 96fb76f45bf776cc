# XCP: ns xcp.tcl list LIST.csv OUT.csv END_S [FLOWS_BACK], or ns xcp.tcl long OUT.csv SEED FORTH BACK
# `list` replays a flow list as fct.tcl does, beside so many endless flows the other way. `long` runs
# endless flows both ways for 60 s, that begin at random in the first second. OUT has a line per finished
# flow (start in s, size in packets, completion time in s), or per endless one (direction, goodput in bit/s).
# The figures of the two ports go to standard output.
remove-all-packet-headers
add-packet-header Flags IP TCP XCP
set ns [new Simulator]
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01

set mode [lindex $argv 0]
if {$mode eq "list"} {
  lassign $argv mode list out end back
  set from 10; set to 100; set delay 50ms; set limit 1875; set forth 0; set seed 1
  if {$back eq ""} {set back 0}
} else {
  lassign $argv mode out seed forth back
  set from 10; set to 60; set end 60.001; set delay 40ms; set limit 1500
}

set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 150e6 $delay XCP
$ns queue-limit $a $b $limit
$ns queue-limit $b $a $limit
foreach {x y} [list $a $b $b $a] {[[$ns link $x $y] queue] set-link-capacity 150e6}
foreach side {ab ba} {x y} [list $a $b $b $a] {
  set port($side) [$ns monitor-queue $x $y ""]
  set waiting($side) [new Integrator]
  $port($side) set-pkts-integrator $waiting($side)
}

set results [open $out w]
Agent/TCP instproc done {} {
  global ns results
  $self instvar start_ size_
  puts $results "$start_,$size_,[expr {[$ns now] - $start_}]"
}
proc go {x y start size} {
  global ns
  set from [new Agent/TCP/Reno/XCP]
  set to [new Agent/TCPSink/XCPSink]
  $from set start_ $start
  $from set size_ $size
  $ns attach-agent $x $from
  $ns attach-agent $y $to
  $ns connect $from $to
  $from send [expr {$size * 960}]
  return $from
}

if {$mode eq "list"} {
  set flows [open $list r]
  gets $flows
  proc next {} {
    global flows ns a b
    if {[gets $flows line] < 0} return
    lassign [split $line ,] start size
    $ns at $start "go $a $b $start $size; next"
  }
  next
}
set rng [new RNG]
$rng seed [expr {1000 * $seed + 7}]
set endless {}
proc begin {x y side} {
  global ns endless
  lappend endless $side [go $x $y [$ns now] 2000000]
}
for {set i 0} {$i < $forth} {incr i} {$ns at [$rng uniform 0 1] "begin $a $b forth"}
for {set i 0} {$i < $back} {incr i} {$ns at [$rng uniform 0 1] "begin $b $a back"}

# The ports' figures between `from` and `to`.
proc figures {side} {
  global port waiting ns
  $waiting($side) newpoint [$ns now] [$waiting($side) set lasty_]
  set p $port($side)
  return [list [$p set bdepartures_] [$p set parrivals_] [$p set pdrops_] [$waiting($side) set sum_]]
}
$ns at $from {
  foreach side {ab ba} {set before($side) [figures $side]}
  foreach {side tcp} $endless {set acked($tcp) [$tcp set ack_]}
}
$ns at $to {
  foreach side {ab ba} {
    set d {}
    foreach x $before($side) y [figures $side] {lappend d [expr {$y - $x}]}
    lassign $d bytes arrivals drops area
    set time [expr {$to - $from}]
    puts "$side,[expr {$bytes * 8 / 150e6 / $time}],[expr {double($drops) / max(1, $arrivals)}],[expr {$area / $time}]"
  }
  if {$mode eq "long"} {
    foreach {side tcp} $endless {
      puts $results "$side,[expr {([$tcp set ack_] - $acked($tcp)) * 8000.0 / ($to - $from)}]"
    }
  }
}
$ns at $end {close $results; exit 0}
$ns run
