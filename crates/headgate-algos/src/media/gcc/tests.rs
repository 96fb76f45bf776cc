//! GCC as a whole: on a link by hand, and under random reports.

use headgate_model::ecn::Ecn;

use super::*;

const STREAM: MediaStream =
    MediaStream { min_bps: 30e3, max_bps: 20e6, start_bps: 300e3, frame_s: 1.0 / 30.0, packet_bytes: 1200.0 };

fn controller(variant: Variant, probes: bool) -> (Gcc, Rates) {
    let mut gcc = Gcc::new(Params { variant, probes, pacing_factor: 0.0 });
    let mut rates = Rates::starting_at(STREAM.start_bps);
    gcc.on_start(&STREAM, 0.0, &mut rates);
    (gcc, rates)
}

/// One second of a stream on a link.
#[derive(Clone, Copy, Debug)]
struct Second {
    /// Mean target, bit/s.
    target_bps: f64,
    /// Largest wait in the link's queue, seconds.
    wait_s: f64,
}

/// A stream whose packets leave at the pacing rate, on a link of `link_bps` whose queue holds `queue_s`.
/// Reports of each 50 ms return after the delay, 50 ms in each direction.
struct Link {
    bps: f64,
    queue_s: f64,
    free_s: f64,
    waits_s: f64,
    reports: Vec<PacketReport>,
    next: u64,
}

impl Link {
    fn new(bps: f64, queue_s: f64) -> Self {
        Self { bps, queue_s, free_s: 0.0, waits_s: 0.0, reports: Vec::new(), next: 0 }
    }

    fn send(&mut self, sequence: u64, sent_s: f64, size_bytes: f64) {
        let wait_s = (self.free_s - sent_s).max(0.0);
        let mut arrived_s = None;
        if wait_s <= self.queue_s {
            self.waits_s = self.waits_s.max(wait_s);
            self.free_s = sent_s + wait_s + 8.0 * size_bytes / self.bps;
            arrived_s = Some(self.free_s + 0.05);
        }
        self.reports.push(PacketReport { sequence, sent_s, arrived_s, ecn: Ecn::NotEct, size_bytes });
    }

    /// Removes the reports that the receiver can make at a time.
    fn report(&mut self, now_s: f64) -> Vec<PacketReport> {
        let can = |one: &PacketReport| one.arrived_s.unwrap_or(one.sent_s + 0.1) <= now_s;
        let (ready, rest) = std::mem::take(&mut self.reports).into_iter().partition(can);
        self.reports = rest;
        ready
    }
}

fn run(gcc: &mut Gcc, rates: &mut Rates, link: &mut Link, seconds: u32) -> Vec<Second> {
    run_on(gcc, rates, link, (0, seconds))
}

/// Continues a stream from a second on for a number of seconds.
fn run_on(gcc: &mut Gcc, rates: &mut Rates, link: &mut Link, (from, seconds): (u32, u32)) -> Vec<Second> {
    let (mut queue_bytes, mut token_s, mut past) = (0.0f64, f64::from(from), Vec::new());
    let mut sequence = link.next;
    for second in from..from + seconds {
        let mut target_bps = 0.0;
        link.waits_s = 0.0;
        for step in 0..1000 {
            let now_s = f64::from(second) + f64::from(step) / 1e3;
            let mut sender = SenderQueue { now_s, queue_bytes, ..SenderQueue::default() };
            if (30 * step) / 1000 != (30 * (step - 1)) / 1000 || step == 0 {
                queue_bytes += rates.target_bps / 30.0 / 8.0;
                sender.queue_bytes = queue_bytes;
                gcc.on_frame(&Frame { sender, size_bytes: 0.0, is_key: false }, rates);
            }
            if step % 50 == 0 {
                let packets = link.report(now_s - 0.05);
                let feedback = Feedback {
                    sender,
                    in_flight_before_bytes: 0.0,
                    reported_s: now_s - 0.05,
                    packets: &packets,
                };
                gcc.on_feedback(&feedback, rates);
            }
            queue_bytes += std::mem::take(&mut rates.padding_bytes);
            token_s = token_s.max(now_s - 0.001);
            while queue_bytes > 0.0 && token_s <= now_s {
                let size_bytes = queue_bytes.min(STREAM.packet_bytes);
                queue_bytes -= size_bytes;
                link.send(sequence, token_s, size_bytes);
                token_s += 8.0 * size_bytes / rates.pacing_bps;
                sender.queue_bytes = queue_bytes;
                gcc.on_send(&SentPacket { sender, sequence, size_bytes }, rates);
                queue_bytes += std::mem::take(&mut rates.padding_bytes);
                sequence += 1;
            }
            assert!(rates.is_sound(), "{rates:?}");
            target_bps += rates.target_bps / 1e3;
        }
        past.push(Second { target_bps, wait_s: link.waits_s });
    }
    link.next = sequence;
    past
}

fn mean_bps(seconds: &[Second]) -> f64 {
    seconds.iter().map(|second| second.target_bps).sum::<f64>() / seconds.len() as f64
}

#[test]
fn it_fills_a_link_alone_without_filling_its_queue() {
    // an over-use leads to 0.85 of 2 Mbit/s, and the additive increase to a few percent above 2 Mbit/s: the
    // mean is (0.85 + 1.05) / 2 of the link, less the start
    for variant in [Variant::Webrtc, Variant::Draft] {
        let (mut gcc, mut rates) = controller(variant, true);
        let past = run(&mut gcc, &mut rates, &mut Link::new(2e6, 0.5), 120);
        let late = &past[60..];
        let use_of_link = mean_bps(late) / 2e6;
        assert!((0.85..=1.05).contains(&use_of_link), "{variant:?}: {use_of_link}");
        let wait_s = late.iter().fold(0.0f64, |most_s, second| most_s.max(second.wait_s));
        assert!(wait_s < 0.25, "{variant:?}: {wait_s}");
    }
}

#[test]
fn probes_find_the_rate_within_two_seconds_and_without_them_it_takes_half_a_minute() {
    // 300 kbit/s * 1.08^n reaches 80 % of 2 Mbit/s after ln(5.33) / ln(1.08) = 21.8 s
    let first_above = |probes| {
        let (mut gcc, mut rates) = controller(Variant::Webrtc, probes);
        let past = run(&mut gcc, &mut rates, &mut Link::new(2e6, 0.5), 40);
        past.iter().position(|second| second.target_bps > 1.6e6).expect("it gets there")
    };
    assert!(first_above(true) <= 2, "{}", first_above(true));
    assert!((18..=30).contains(&first_above(false)), "{}", first_above(false));
}

#[test]
fn it_follows_a_fall_of_the_capacity() {
    // over-use is detected within a second; the window of a second then holds the new rate, 85 % of which is
    // taken
    for variant in [Variant::Webrtc, Variant::Draft] {
        let (mut gcc, mut rates) = controller(variant, true);
        let mut link = Link::new(2e6, 2.0);
        run(&mut gcc, &mut rates, &mut link, 60);
        link.bps = 0.8e6;
        let past = run_on(&mut gcc, &mut rates, &mut link, (60, 60));
        assert!(past[5].target_bps < 0.85e6, "{variant:?}: {past:?}");
        let late = mean_bps(&past[30..]) / 0.8e6;
        assert!((0.8..=1.05).contains(&late), "{variant:?}: {late}");
    }
}

#[test]
fn random_reports_leave_sound_rates() {
    let mut seed = 7u64;
    let mut draw = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    for round in 0..60 {
        let variant = if round % 2 == 0 { Variant::Webrtc } else { Variant::Draft };
        let (mut gcc, mut rates) = controller(variant, round % 4 == 0);
        let (mut now_s, mut sequence) = (0.0, 0u64);
        for _ in 0..400 {
            now_s += 0.3 * draw() * draw();
            let sender = SenderQueue { now_s, queue_bytes: 1e4 * draw(), ..SenderQueue::default() };
            let mut packets = Vec::new();
            for _ in 0..(12.0 * draw()) as u32 {
                let size_bytes = 40.0 + 1160.0 * draw();
                gcc.on_send(&SentPacket { sender, sequence, size_bytes }, &mut rates);
                let arrived_s = (draw() > 0.1).then(|| now_s + 0.5 * draw());
                packets.push(PacketReport {
                    sequence,
                    sent_s: now_s,
                    arrived_s,
                    ecn: Ecn::NotEct,
                    size_bytes,
                });
                sequence += 1;
            }
            gcc.on_frame(&Frame { sender, size_bytes: 1000.0, is_key: false }, &mut rates);
            let sender = SenderQueue { now_s: now_s + 0.5, ..sender };
            let feedback =
                Feedback { sender, in_flight_before_bytes: 0.0, reported_s: now_s + 0.45, packets: &packets };
            gcc.on_feedback(&feedback, &mut rates);
            if draw() < 0.05 {
                gcc.on_silence(&sender, &mut rates);
            }
            assert!(rates.is_sound(), "{rates:?}");
            assert!((STREAM.min_bps..=STREAM.max_bps).contains(&rates.target_bps), "{rates:?}");
            rates.padding_bytes = 0.0;
        }
    }
}
