//! The loop: reads packets, runs windows that have ended, and writes packets when they are due.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use headgate_lab::simulation::{Arrival, Delivery, ForeignPacket, Loss, Outcomes, Simulation};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};

use crate::arrival_log::ArrivalLog;
use crate::counters;
use crate::device::Device;
use crate::error::EmulationError;
use crate::flows::Flows;
use crate::packet::{PacketSummary, parse, set_ecn};
use crate::payloads::{Payload, Payloads};
use crate::priority;
use crate::report::Report;
use crate::tun::host_of;

/// Largest number of packets that are read from one host before the next host.
const READS_AT_ONCE: usize = 256;

/// Simulated time between two checks of the devices: 2 ms. A simulation that falls behind still reads.
const SLICE: u64 = 2_000_000_000;

/// Picoseconds per nanosecond.
const PS_PER_NS: u64 = 1000;

/// Time for which payloads are kept if links duplicate packets: 2 s of simulated time.
const KEEP_COPIES: u64 = 2_000_000_000_000;

/// The settings of the loop.
#[derive(Debug, Default)]
pub struct Settings {
    /// The devices of the hosts, in the order of the plan.
    pub devices: Vec<OwnedFd>,
    /// `/proc/net/dev` of each host's network.
    pub counters: Vec<File>,
    pub mtu: u32,
    /// The log of arrivals.
    pub arrivals: Option<File>,
    /// For each host a file for the packets of its device; empty without captures.
    pub captures: Vec<File>,
    /// Whether a link duplicates packets.
    pub duplicates: bool,
}

/// A run in real time.
pub struct Live {
    run: Simulation,
    devices: Vec<Device>,
    counters: Vec<File>,
    mtu: usize,
    log: Option<ArrivalLog>,
    captures: Vec<BufWriter<File>>,
    begun: Instant,
    payloads: Payloads,
    pending: VecDeque<Arrival>,
    pub flows: Flows,
    pub report: Report,
}

impl Live {
    pub fn new(run: Simulation, settings: Settings) -> Self {
        Self {
            run,
            devices: settings.devices.into_iter().map(Device::Tun).collect(),
            counters: settings.counters,
            mtu: settings.mtu as usize,
            log: settings.arrivals.map(ArrivalLog::new),
            captures: settings.captures.into_iter().map(BufWriter::new).collect(),
            begun: Instant::now(),
            payloads: Payloads::new(if settings.duplicates { KEEP_COPIES } else { 0 }),
            pending: VecDeque::new(),
            flows: Flows::default(),
            report: Report::default(),
        }
    }

    /// Replaces a host's device.
    pub fn replace_device(&mut self, host: usize, device: Device) {
        self.devices[host] = device;
    }

    /// Runs until the simulation ends or `stop` is set, which ends it at that time. Time starts now.
    ///
    /// # Errors
    /// If a device or user-defined code of the plan fails.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), EmulationError> {
        self.report.real_time = priority::rise();
        self.begun = Instant::now();
        let answer = self.turn(stop);
        priority::fall();
        let flushed = self.captures.iter_mut().try_for_each(BufWriter::flush);
        let logged = self.log.take().map_or(Ok(()), ArrivalLog::finish);
        let counted = self.close_devices();
        answer
            .and(flushed.map_err(|error| format!("the capture cannot be written: {error}").into()))
            .and(logged.map_err(|error| format!("the log of arrivals cannot be written: {error}").into()))
            .and(counted.map_err(|error| format!("the counters of a device cannot be read: {error}").into()))
    }

    /// Closes the devices. Their counters are read first, because these end with the devices.
    fn close_devices(&mut self) -> io::Result<()> {
        self.report.drops =
            self.counters.drain(..).map(|mut file| counters::read(&mut file)).collect::<Result<_, _>>()?;
        self.devices.clear();
        Ok(())
    }

    fn turn(&mut self, stop: &AtomicBool) -> Result<(), EmulationError> {
        loop {
            self.read_all()?;
            let now = self.now();
            let over = self.advance(now.min(self.run.now() + SLICE))?;
            self.note_lag();
            self.write_all()?;
            self.log_due(now)?;
            if over {
                return Ok(());
            }
            if stop.load(Ordering::Relaxed) {
                return self.end_here();
            }
            self.wait(now)?;
        }
    }

    fn log_due(&mut self, now: u64) -> Result<(), EmulationError> {
        let going = self.log.as_mut().is_none_or(|log| log.send_due(now));
        self.check_log(going)
    }

    /// Checks the log. If it no longer accepts rows, its end returns the reason.
    fn check_log(&mut self, going: bool) -> Result<(), EmulationError> {
        if going {
            return Ok(());
        }
        let why = self.log.take().map_or(Ok(()), ArrivalLog::finish);
        why.map_err(|error| format!("the log of arrivals cannot be written: {error}").into())
    }

    /// Ends the run at the current time.
    fn end_here(&mut self) -> Result<(), EmulationError> {
        self.run.end_at(self.run.now());
        while !self.advance(u64::MAX)? {}
        self.write_all()
    }

    /// Real time since the start, ps.
    fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64 * PS_PER_NS
    }

    fn advance(&mut self, until: u64) -> Result<bool, EmulationError> {
        let answer = self.run.advance_with(&mut self.pending, until);
        if let Some(fault) = self.run.fault() {
            return Err(fault.message.clone().into());
        }
        if let Some(excess) = self.run.excess() {
            return Err(excess.limit.to_string().into());
        }
        answer.map_err(|refused| refused.to_string().into())
    }

    /// Records how far the simulation is behind after it has run the windows that were due.
    fn note_lag(&mut self) {
        let now = self.now();
        let lag = now.saturating_sub(self.run.window_end());
        self.report.second(now).lag = self.report.second(now).lag.max(lag);
        self.report.longest_lag = self.report.longest_lag.max(lag);
    }

    fn read_all(&mut self) -> Result<(), EmulationError> {
        (0..self.devices.len()).try_for_each(|host| self.read_host(host))
    }

    fn read_host(&mut self, host: usize) -> Result<(), EmulationError> {
        for _ in 0..READS_AT_ONCE {
            let mut bytes = self.payloads.buffer();
            bytes.resize(self.mtu, 0);
            match self.devices[host].read(&mut bytes) {
                Ok(size) => {
                    bytes.truncate(size);
                    self.take(host, bytes)?;
                }
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    self.payloads.give_back(bytes);
                    return Ok(());
                }
                Err(error) => return Err(format!("the device of host {host} cannot be read: {error}").into()),
            }
        }
        Ok(())
    }

    /// Takes a packet that a host has sent.
    fn take(&mut self, host: usize, bytes: Vec<u8>) -> Result<(), EmulationError> {
        let now = self.now().max(self.run.now());
        self.report.second(now).read += 1;
        self.capture(host, now, &bytes)?;
        let Some(seen) = parse(&bytes) else {
            self.report.malformed += 1;
            self.payloads.give_back(bytes);
            return Ok(());
        };
        let from = host as u32;
        let to = host_of(seen.key.destination, self.devices.len() as u32);
        let Some(to) = to.filter(|&to| self.run.can_send(from, to)) else {
            self.report.unreachable += 1;
            self.payloads.give_back(bytes);
            return Ok(());
        };
        self.send(now, [from, to], &seen, bytes)
    }

    fn send(
        &mut self,
        time: u64,
        [from, to]: [u32; 2],
        seen: &PacketSummary,
        bytes: Vec<u8>,
    ) -> Result<(), EmulationError> {
        let flow = self.flows.send(seen, [from, to], time);
        let payload = Payload::new(bytes, (to, flow), seen.payload_bytes, seen.ecn, time);
        let id = self.payloads.add(payload);
        let PacketSummary { size_bytes, ecn, .. } = *seen;
        let arrival = (time, ForeignPacket { id, from, to, flow, size_bytes, ecn });
        self.pending.push_back(arrival);
        let going = self.log.as_mut().is_none_or(|log| log.add(&arrival));
        self.check_log(going)
    }

    /// Writes the packets that arrived in the windows that were run.
    fn write_all(&mut self) -> Result<(), EmulationError> {
        let Outcomes { delivered, lost } = self.run.take_outcomes();
        lost.iter().for_each(|loss| self.lose(loss));
        delivered.iter().try_for_each(|delivery| self.deliver(delivery))?;
        self.payloads.free(self.run.now());
        Ok(())
    }

    fn lose(&mut self, loss: &Loss) {
        let Some(payload) = self.payloads.hear(loss.id, loss.time) else { return };
        self.flows.lose(payload.flow, loss.time);
        self.report.lost += 1;
        self.report.second(loss.time).lost += 1;
    }

    fn deliver(&mut self, delivery: &Delivery) -> Result<(), EmulationError> {
        let Some(payload) = self.payloads.hear(delivery.id, delivery.time) else { return Ok(()) };
        let newly_marked = delivery.ecn.is_marked() && !payload.ecn.is_marked();
        if delivery.ecn != payload.ecn {
            set_ecn(&mut payload.bytes, delivery.ecn);
        }
        let (to, delay) = (payload.to as usize, delivery.time - payload.sent);
        self.flows.deliver(payload.flow, payload.payload_bytes, delivery.time, delay, newly_marked);
        let written = self.devices[to].write(&payload.bytes);
        let now = self.begun.elapsed().as_nanos() as u64 * PS_PER_NS;
        self.report.write(delivery.time, now, written.is_ok());
        if let Some(file) = self.captures.get_mut(to) {
            record(file, now, true, &payload.bytes)?;
        }
        Ok(())
    }

    fn capture(&mut self, host: usize, time: u64, bytes: &[u8]) -> Result<(), EmulationError> {
        self.captures.get_mut(host).map_or(Ok(()), |file| record(file, time, false, bytes))
    }

    /// Sleeps until the next window ends or a packet arrives.
    fn wait(&self, now: u64) -> Result<(), EmulationError> {
        let left = self.run.window_end().saturating_sub(self.now());
        if left == 0 || self.run.window_end() <= now {
            return Ok(());
        }
        let mut ends: Vec<_> =
            self.devices.iter().map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN)).collect();
        let pause = Duration::from_nanos(left / PS_PER_NS);
        match ppoll(&mut ends, Some(pause.into()), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(format!("the devices cannot be waited for: {error}").into()),
        }
    }

    /// The simulation, once it has ended; its results are those of a run.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.run
    }

    /// Number of packets in the network.
    pub fn under_way(&self) -> usize {
        self.payloads.len()
    }
}

/// Writes one packet of a capture: time in ns, length, direction, then the packet.
fn record(file: &mut impl Write, time: u64, inwards: bool, bytes: &[u8]) -> Result<(), EmulationError> {
    let mut head = [0; 16];
    head[..8].copy_from_slice(&(time / PS_PER_NS).to_le_bytes());
    head[8..12].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    head[12] = u8::from(inwards);
    file.write_all(&head)
        .and_then(|()| file.write_all(bytes))
        .map_err(|error| format!("the capture cannot be written: {error}").into())
}
