#!/bin/sh
# The first process of a user-mode Linux: networks, traffic, halt. OUT (the only folder that can be written),
# SECONDS_LONG, INTERVAL_MS and MODULES come from the kernel's command line; OUT has the
# file `scenarios` (a line each: delay in ms, the sender's qdisc or `none`, bottleneck for tc, ` | ` before its
# child) and `flows`.
export PATH=$TOOLS/sbin:$TOOLS/bin:$TOOLS/usr/sbin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t tmpfs none /run
mount -t hostfs none /mnt -o "$OUT"
exec > /mnt/log 2>&1
net=$MODULES/$(uname -r)/kernel
for name in drivers/net/veth net/sched/sch_netem net/sched/sch_tbf net/sched/sch_codel net/sched/sch_fq \
	net/sched/sch_fq_codel net/sched/sch_cake net/sched/sch_pie net/sched/sch_red net/ipv4/tcp_bbr net/ipv4/tcp_bic net/ipv4/tcp_dctcp net/ipv4/tcp_highspeed \
	net/ipv4/tcp_htcp net/ipv4/tcp_illinois net/ipv4/tcp_scalable net/ipv4/tcp_vegas net/ipv4/tcp_veno \
	net/ipv4/tcp_westwood net/ipv4/tcp_yeah; do
	insmod "$net/$name.ko"
done
echo 200000 400000 800000 > /proc/sys/net/ipv4/tcp_mem

# Hardware addresses of the two ends of a link.
here=02:00:00:00:00:01
there=02:00:00:00:00:02

# A device of namespace $1 named $2, its peer in $3 named $4, addresses $5 and $6. Each end knows the other's
# hardware address, so that no first packet waits for ARP, whose answer takes the delay of the path.
join() {
	ip link add "$2" address $here netns "$1" gso_max_segs 1 txqueuelen 10000 type veth peer name "$4" \
		address $there netns "$3" gso_max_segs 1 txqueuelen 10000
	for end in "$1 $2 $5 $6 $there" "$3 $4 $6 $5 $here"; do
		set -- $end
		ip netns exec "$1" ethtool -K "$2" tso off gso off gro off
		ip -n "$1" addr add "$3/24" dev "$2"
		ip -n "$1" link set "$2" up
		ip -n "$1" neigh replace "$4" lladdr "$5" dev "$2" nud permanent
	done
}

n=0
while read -r delay sender bottleneck; do
	for role in S R D; do
		ip netns add $role$n
		ip -n $role$n link set lo up
		ip netns exec $role$n sh -c 'echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save'
	done
	join S$n sr R$n rs 10.0.1.1 10.0.1.254
	join R$n rd D$n dr 10.0.2.254 10.0.2.2
	ip netns exec R$n sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
	ip -n S$n route add default via 10.0.1.254
	ip -n D$n route add default via 10.0.2.254
	[ "$sender" = none ] || tc -n S$n qdisc add dev sr root "$sender"
	tc -n R$n qdisc add dev rs root netem delay "${delay}ms" limit 100000
	root=${bottleneck%% | *}
	case $root in
	tbf*) root="stab overhead -14 $root" ;;
	esac
	tc -n R$n qdisc add dev rd root handle 1: $root
	case $bottleneck in
	*" | "*) tc -n R$n qdisc add dev rd parent 1:1 handle 10: ${bottleneck#* | } ;;
	esac
	n=$((n + 1))
done < /mnt/scenarios

/mnt/traffic "$SECONDS_LONG" "$INTERVAL_MS" /mnt/flows /mnt
echo "ended with $?"
while [ $n -gt 0 ]; do
	n=$((n - 1))
	tc -n R$n -d -s qdisc show dev rd
done
sync
echo o > /proc/sysrq-trigger
sleep 10
