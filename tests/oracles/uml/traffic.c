/* Endless TCP flows between network namespaces, and samples of flows and queues.
 *
 *     traffic SECONDS INTERVAL_MS FLOWS OUT
 *
 * FLOWS has a line for each flow: scenario, algorithm, start in seconds. Scenario n sends from the namespace Sn
 * to 10.0.2.2 in Dn over the device rd of Rn. One process does it all: starting one costs milliseconds, and
 * two would disturb each other. Samples stay in memory until the end, so that no disk is waited for.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FLOWS = 256, MOST_SCENARIOS = 16, PORT = 5001, CHUNK = 1 << 20 };

struct flow {
	int scenario, fd;
	char cca[16];
	double start_s;
};

struct queue {
	int netlink, device, listener;
};

struct event {
	enum { SENDER, RECEIVER, LISTENER, TIMER } kind;
	int fd;
};

static struct flow flows[MOST_FLOWS];
static struct queue queues[MOST_SCENARIOS];
static int flow_count, scenario_count, poll_fd;
static struct timespec began;
static FILE *flow_rows, *queue_rows;
static char payload[CHUNK];

static void fail(const char *what)
{
	fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int check(int result, const char *what)
{
	if (result < 0)
		fail(what);
	return result;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - began.tv_sec + (now.tv_nsec - began.tv_nsec) / 1e9;
}

static void enter(char role, int scenario)
{
	char path[64];
	snprintf(path, sizeof path, "/run/netns/%c%d", role, scenario);
	int space = check(open(path, O_RDONLY), path);
	check(setns(space, CLONE_NEWNET), path);
	close(space);
}

static void watch(int fd, int kind, unsigned events)
{
	struct event *event = malloc(sizeof *event);
	*event = (struct event){ kind, fd };
	struct epoll_event entry = { .events = events, .data.ptr = event };
	check(epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &entry), "epoll_ctl");
}

static void set(int fd, int level, int option, int value)
{
	check(setsockopt(fd, level, option, &value, sizeof value), "setsockopt");
}

static void choose(int fd, const char *cca)
{
	check(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cca, strlen(cca)), cca);
}

static struct sockaddr_in address(const char *host)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	inet_pton(AF_INET, host, &to.sin_addr);
	return to;
}

static int stream_socket(void)
{
	return check(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
}

/* How a receiver echoes marks is its algorithm's matter too, so it has that of the first flow. */
static const char *first_cca(int scenario)
{
	int at = 0;
	while (flows[at].scenario != scenario)
		at++;
	return flows[at].cca;
}

static void listen_in(int scenario)
{
	enter('D', scenario);
	int fd = stream_socket();
	struct sockaddr_in here = address("10.0.2.2");
	set(fd, SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20);
	choose(fd, first_cca(scenario));
	check(bind(fd, (struct sockaddr *)&here, sizeof here), "bind");
	check(listen(fd, MOST_FLOWS), "listen");
	watch(fd, LISTENER, EPOLLIN);
}

static void open_queue(int scenario)
{
	enter('R', scenario);
	queues[scenario].netlink = check(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), "netlink");
	queues[scenario].device = if_nametoindex("rd");
}

/* Many flows share the memory of the machine, so each has a smaller buffer. */
static void connect_flow(struct flow *flow)
{
	enter('S', flow->scenario);
	struct sockaddr_in to = address("10.0.2.2");
	flow->fd = stream_socket();
	choose(flow->fd, flow->cca);
	set(flow->fd, SOL_SOCKET, SO_SNDBUFFORCE, flow_count > 16 ? 1 << 19 : flow_count > 8 ? 1 << 20 : 4 << 20);
	if (connect(flow->fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS)
		fail("connect");
	watch(flow->fd, SENDER, EPOLLOUT | EPOLLET);
}

static void accept_all(int listener)
{
	int fd;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
		watch(fd, RECEIVER, EPOLLIN);
}

static void sample_flow(double at_s, int index)
{
	struct tcp_info info = { 0 };
	socklen_t length = sizeof info;
	if (flows[index].fd <= 0 || getsockopt(flows[index].fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0)
		return;
	fprintf(flow_rows, "%.4f,%d,%d,%u,%d,%u,%u,%u,%u,%u,%llu\n", at_s, flows[index].scenario, index,
		info.tcpi_snd_cwnd, (int)info.tcpi_snd_ssthresh, info.tcpi_unacked, info.tcpi_rtt, info.tcpi_min_rtt,
		info.tcpi_ca_state, info.tcpi_total_retrans, (unsigned long long)info.tcpi_bytes_acked);
}

/* Length of the root and drops of the innermost qdisc, which is the one that decides. */
static void read_qdisc(struct nlmsghdr *message, int device, struct gnet_stats_queue *root, unsigned *drops)
{
	struct tcmsg *tc = NLMSG_DATA(message);
	int left = TCA_PAYLOAD(message);
	if (tc->tcm_ifindex != device)
		return;
	for (struct rtattr *a = TCA_RTA(tc); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != TCA_STATS2)
			continue;
		int inner = RTA_PAYLOAD(a);
		for (struct rtattr *s = RTA_DATA(a); RTA_OK(s, inner); s = RTA_NEXT(s, inner)) {
			struct gnet_stats_queue stats;
			if (s->rta_type != TCA_STATS_QUEUE)
				continue;
			memcpy(&stats, RTA_DATA(s), sizeof stats);
			if (tc->tcm_parent == TC_H_ROOT)
				*root = stats;
			*drops = stats.drops;
		}
	}
}

static void sample_queue(double at_s, int scenario)
{
	struct {
		struct nlmsghdr head;
		struct tcmsg tc;
	} ask = { { sizeof ask, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, 0, 0 }, { AF_UNSPEC } };
	static char answer[1 << 16];
	struct gnet_stats_queue root = { 0 };
	unsigned drops = 0;
	check(send(queues[scenario].netlink, &ask, sizeof ask, 0), "ask for qdiscs");
	for (int done = 0; !done;) {
		int size = check(recv(queues[scenario].netlink, answer, sizeof answer, 0), "qdiscs");
		for (struct nlmsghdr *m = (void *)answer; NLMSG_OK(m, size); m = NLMSG_NEXT(m, size)) {
			if (m->nlmsg_type == NLMSG_DONE)
				done = 1;
			else
				read_qdisc(m, queues[scenario].device, &root, &drops);
		}
	}
	fprintf(queue_rows, "%.4f,%d,%u,%u,%u\n", at_s, scenario, root.qlen, root.backlog, drops);
}

static void on_timer(int timer)
{
	unsigned long long ticks;
	double at_s = now_s();
	check(read(timer, &ticks, sizeof ticks), "timer");
	for (int i = 0; i < flow_count; i++) {
		if (!flows[i].fd && at_s >= flows[i].start_s)
			connect_flow(&flows[i]);
		sample_flow(now_s(), i);
	}
	for (int i = 0; i < scenario_count; i++)
		sample_queue(now_s(), i);
}

static void handle(struct event *event)
{
	switch (event->kind) {
	case SENDER:
		while (send(event->fd, payload, CHUNK, 0) > 0)
			;
		break;
	case RECEIVER:
		while (recv(event->fd, NULL, CHUNK, MSG_TRUNC) > 0)
			;
		break;
	case LISTENER:
		accept_all(event->fd);
		break;
	case TIMER:
		on_timer(event->fd);
	}
}

static void read_flows(const char *path)
{
	FILE *file = fopen(path, "r");
	if (!file)
		fail(path);
	struct flow *flow = flows;
	while (flow_count < MOST_FLOWS &&
	       fscanf(file, "%d %15s %lf", &flow->scenario, flow->cca, &flow->start_s) == 3) {
		if (flow->scenario >= scenario_count)
			scenario_count = flow->scenario + 1;
		flow = &flows[++flow_count];
	}
	fclose(file);
}

/* A file that stays in memory until it is closed. */
static FILE *table(const char *folder, const char *name, const char *header)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (!file)
		fail(path);
	setvbuf(file, NULL, _IOFBF, 64 << 20);
	fputs(header, file);
	return file;
}

static void start_timer(int interval_ms)
{
	struct timespec step = { interval_ms / 1000, interval_ms % 1000 * 1000000L };
	struct itimerspec often = { step, step };
	int timer = check(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), "timerfd");
	check(timerfd_settime(timer, 0, &often, NULL), "timerfd");
	watch(timer, TIMER, EPOLLIN);
}

int main(int count, char **words)
{
	if (count != 5)
		return fputs("usage: traffic SECONDS INTERVAL_MS FLOWS OUT\n", stderr), 2;
	read_flows(words[3]);
	poll_fd = check(epoll_create1(0), "epoll");
	flow_rows = table(words[4], "flows.csv",
			  "t_s,scenario,flow,cwnd,ssthresh,unacked,srtt_us,min_rtt_us,state,retrans,acked_bytes\n");
	queue_rows = table(words[4], "queues.csv", "t_s,scenario,packets,bytes,drops\n");
	for (int i = 0; i < scenario_count; i++) {
		listen_in(i);
		open_queue(i);
	}
	clock_gettime(CLOCK_MONOTONIC, &began);
	start_timer(atoi(words[2]));
	while (now_s() < atof(words[1])) {
		struct epoll_event ready[64];
		int found = check(epoll_wait(poll_fd, ready, 64, -1), "epoll_wait");
		for (int i = 0; i < found; i++)
			handle(ready[i].data.ptr);
	}
	fclose(flow_rows);
	fclose(queue_rows);
	return 0;
}
