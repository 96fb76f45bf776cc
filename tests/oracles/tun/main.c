/* Linux's own TCP over an emulated path, in real time.
 *
 *     headgate-tun rate=20e6 delay_ms=20 buffer=67 loss=0 seed=1 duration=60 from=20 flows=bbr:0:0,cubic:5:300
 *
 * A flow is cca:start_s:segments, 0 segments being endless. One JSON object goes to standard output. Needs a
 * kernel that lets users make namespaces and has /dev/net/tun; no root. */

#define _GNU_SOURCE
#include "tun.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above ordinary processes. The path comes first: what it writes, the kernel's TCP answers at once. */
#define PATH_PRIORITY 20
#define FLOWS_PRIORITY 19

struct job {
    const struct plan *plan;
    struct ends ends;
    ns_t zero;
    volatile int stop;
    int real_time;
    struct path_report report;
};

static void set_flows(struct plan *plan, char *text) {
    for (char *one = strtok(text, ","); one; one = strtok(NULL, ",")) {
        double start_s = 0;
        struct flow *flow = &plan->flow[plan->flows++];
        if (plan->flows > MOST_FLOWS || sscanf(one, "%15[^:]:%lf:%ld", flow->cca, &start_s, &flow->segments) != 3)
            die("a flow is cca:start_s:segments");
        flow->start = start_s * 1e9;
    }
}

static void set(struct plan *plan, char *argument) {
    char *value = strchr(argument, '=');
    if (!value)
        die(argument);
    *value++ = 0;
    double number = atof(value);
    if (!strcmp(argument, "rate")) plan->rate_bps = number;
    else if (!strcmp(argument, "delay_ms")) plan->delay = number * 1e6;
    else if (!strcmp(argument, "buffer")) plan->buffer = number;
    else if (!strcmp(argument, "loss")) plan->loss = number;
    else if (!strcmp(argument, "seed")) plan->seed = number;
    else if (!strcmp(argument, "duration")) plan->duration = number * 1e9;
    else if (!strcmp(argument, "from")) plan->from = number * 1e9;
    else if (!strcmp(argument, "sample_ms")) plan->sample = number * 1e6;
    else if (!strcmp(argument, "flows")) set_flows(plan, value);
    else if (!strcmp(argument, "trace")) plan->trace = value;
    else die(argument);
}

/* A new user namespace takes the right away, so it is asked for before and inherited. */
static int run_at(int priority) {
    struct sched_param parameter = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) == 0;
}

static void *carry_packets(void *given) {
    struct job *job = given;
    carry(job->plan, job->ends, job->zero, &job->stop, &job->report);
    return NULL;
}

static void print_array(const char *name, const long *values, int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%ld", i ? ", " : "", values[i]);
    printf("]");
}

/* Of both hosts. */
static long lost_in_devices(struct ends ends) {
    enter(ends.left_net);
    long left = device_drops();
    enter(ends.right_net);
    return left + device_drops();
}

static void print_path(const struct job *job) {
    const struct path_report *r = &job->report;
    print_array("drops", r->drops, job->plan->flows);
    print_array("lost", r->lost, job->plan->flows);
    printf(", \"mean_queue\": %.4f, \"max_queue\": %ld, \"utilisation\": %.5f", r->mean_queue, r->max_queue,
           r->utilisation);
    printf(", \"carried\": %ld, \"late_mean_us\": %.1f, \"late_p99_us\": %.0f, \"late_max_us\": %.0f",
           r->carried, r->late_mean_us, r->late_p99_us, r->late_max_us);
    printf(", \"device_drops\": %ld", lost_in_devices(job->ends));
    printf(", \"real_time\": %s}\n", job->real_time ? "true" : "false");
}

int main(int argc, char **argv) {
    static struct plan plan = {.rate_bps = 20e6, .delay = 20000000, .buffer = 67, .seed = 1,
                               .duration = 10 * SECOND, .sample = SECOND / 50};
    static struct job job;
    pthread_t thread;
    for (int i = 1; i < argc; i++)
        set(&plan, argv[i]);
    job.real_time = run_at(PATH_PRIORITY);
    job.plan = &plan;
    job.ends = build_hosts();
    job.zero = now();
    if (pthread_create(&thread, NULL, carry_packets, &job))
        die("pthread_create");
    if (job.real_time)
        run_at(FLOWS_PRIORITY);
    printf("{");
    run_flows(&plan, job.ends, job.zero);
    job.stop = 1;
    pthread_join(thread, NULL);
    print_path(&job);
    return 0;
}
