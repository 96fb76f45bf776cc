//! Endpoints of quinn-proto, and of noq-proto, whose interface is the same except for a few calls.

/// Declares an endpoint over `$proto`. The module that uses it provides the calls that differ:
/// `make_endpoint`, `handle`, `poll_transmit` and `count`.
macro_rules! quinn_like {
    ($proto:ident) => {
        use bytes::BytesMut;
        use std::net::SocketAddr;
        use std::sync::Arc;
        use std::time::Instant;
        use $proto::{
            Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint as Proto, Event,
            ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
        };

        use crate::error::{Error, Result};
        use crate::stack::{Connect, Datagram, Ecn, Endpoint, Stats};
        use crate::stacks::certificate::certificate;

        /// One end.
        struct Side {
            endpoint: Proto,
            peer: SocketAddr,
            connection: Option<(ConnectionHandle, Connection)>,
            stream: Option<StreamId>,
            is_finished: bool,
            /// Datagrams of the endpoint itself, such as a Retry.
            replies: Vec<Vec<u8>>,
            error: Option<String>,
        }

        impl Side {
            fn new(endpoint: Proto, peer: SocketAddr) -> Self {
                let (connection, stream, replies, error) = (None, None, Vec::new(), None);
                Self { endpoint, peer, connection, stream, is_finished: false, replies, error }
            }

            /// Passes events between the connection, the endpoint and the application.
            fn handle_events(&mut self) {
                let is_client = self.peer.port() == SERVER;
                let Some((handle, connection)) = &mut self.connection else { return };
                while let Some(event) = connection.poll_endpoint_events() {
                    if let Some(event) = self.endpoint.handle_event(*handle, event) {
                        connection.handle_event(event);
                    }
                }
                while let Some(event) = connection.poll() {
                    match event {
                        Event::Connected if is_client => self.stream = connection.streams().open(Dir::Uni),
                        Event::Stream(StreamEvent::Opened { dir }) => {
                            self.stream = connection.streams().accept(dir);
                        }
                        Event::ConnectionLost { reason } => self.error = Some(reason.to_string()),
                        _ => {}
                    }
                }
            }
        }

        const CLIENT: u16 = 1;
        const SERVER: u16 = 2;

        fn address(port: u16) -> SocketAddr {
            SocketAddr::from(([127, 0, 0, 1], port))
        }

        impl Endpoint for Side {
            fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
                if let Some(bytes) = self.replies.pop() {
                    return Some(Datagram { bytes, ecn: Ecn::NotEct });
                }
                let (_, connection) = self.connection.as_mut()?;
                let mut bytes = Vec::new();
                let ecn = poll_transmit(connection, now, &mut bytes)?;
                Some(Datagram { bytes, ecn: ecn.map_or(Ecn::NotEct, |ecn| Ecn::from_bits(ecn as u8)) })
            }

            fn handle_datagram(&mut self, now: Instant, datagram: Datagram) {
                let (mut reply, ecn) = (Vec::new(), EcnCodepoint::from_bits(datagram.ecn.bits()));
                let bytes = BytesMut::from(&datagram.bytes[..]);
                match handle(&mut self.endpoint, now, self.peer, ecn, bytes, &mut reply) {
                    Some(DatagramEvent::NewConnection(incoming)) => {
                        match self.endpoint.accept(incoming, now, &mut reply, None) {
                            Ok(accepted) => self.connection = Some(accepted),
                            Err(error) => self.error = Some(error.cause.to_string()),
                        }
                    }
                    Some(DatagramEvent::ConnectionEvent(_, event)) => {
                        if let Some((_, connection)) = &mut self.connection {
                            connection.handle_event(event);
                        }
                    }
                    Some(DatagramEvent::Response(_)) => self.replies.push(reply),
                    None => {}
                }
                self.handle_events();
            }

            fn next_timeout(&mut self) -> Option<Instant> {
                self.connection.as_mut()?.1.poll_timeout()
            }

            fn handle_timeout(&mut self, now: Instant) {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_timeout(now);
                }
                self.handle_events();
            }

            fn write(&mut self, bytes: u64, is_last: bool) -> u64 {
                const ZEROS: [u8; 65_536] = [0; 65_536];
                let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else {
                    return 0;
                };
                let (mut stream, mut done) = (connection.send_stream(stream), 0);
                while done < bytes {
                    let most = ZEROS.len().min((bytes - done) as usize);
                    let Ok(written) = stream.write(&ZEROS[..most]) else { return done };
                    done += written as u64;
                }
                if is_last && !self.is_finished {
                    self.is_finished = stream.finish().is_ok();
                }
                done
            }

            fn read(&mut self) -> u64 {
                let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else {
                    return 0;
                };
                let (mut stream, mut done) = (connection.recv_stream(stream), 0);
                let Ok(mut chunks) = stream.read(true) else { return 0 };
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    done += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize(); // poll_transmit sends what it asks for
                done
            }

            fn stats(&mut self) -> Stats {
                self.connection.as_mut().map_or(Stats::default(), |(_, connection)| count(connection))
            }

            fn error(&self) -> Option<String> {
                self.error.clone()
            }
        }

        /// Makes both ends; `factory` makes the controller of the client.
        fn pair(
            connect: &Connect<'_>,
            factory: Arc<dyn $proto::congestion::ControllerFactory + Send + Sync>,
        ) -> Result<[Box<dyn Endpoint>; 2]> {
            let made = certificate().map_err(|message| Error::new("", message))?;
            let refuse =
                |error: &dyn std::fmt::Display| Error::new("", format!("the stack refuses: {error}"));
            let window = VarInt::from_u64(connect.window_bytes).unwrap_or(VarInt::MAX);
            let transport = || {
                let mut transport = TransportConfig::default();
                transport.initial_mtu(connect.datagram_bytes).mtu_discovery_config(None);
                transport
                    .send_window(connect.window_bytes)
                    .stream_receive_window(window)
                    .receive_window(window);
                transport
            };
            let mut server =
                ServerConfig::with_single_cert(made.chain.clone(), made.key()).map_err(|e| refuse(&e))?;
            server.transport_config(Arc::new(transport()));
            let roots = Arc::new(made.roots.clone());
            let mut client = $proto::ClientConfig::with_root_certificates(roots).map_err(|e| refuse(&e))?;
            let mut sending = transport();
            sending.congestion_controller_factory(factory);
            client.transport_config(Arc::new(sending));
            let endpoint = |port, server| make_endpoint(server, seed(connect.seed, port));
            let mut sides = [
                Side::new(endpoint(CLIENT, None), address(SERVER)),
                Side::new(endpoint(SERVER, Some(Arc::new(server))), address(CLIENT)),
            ];
            let begun = sides[0].endpoint.connect(connect.now, client, address(SERVER), "localhost");
            sides[0].connection = Some(begun.map_err(|e| refuse(&e))?);
            Ok(sides.map(|side| Box::new(side) as Box<dyn Endpoint>))
        }

        fn seed(seed: u64, port: u16) -> [u8; 32] {
            let mut bytes = [port as u8; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            bytes
        }
    };
}

pub(super) use quinn_like;
