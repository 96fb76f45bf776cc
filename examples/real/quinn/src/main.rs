//! A QUIC server that sends as many bytes as a client requests, and the client.
//!
//! `headgate-quinn-transfer serve CERTIFICATE` writes its certificate into that file. `headgate-quinn-transfer fetch
//! CERTIFICATE ADDRESS BYTES` prints the round-trip time in seconds.

use std::env::args;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

const ANYWHERE: &str = "0.0.0.0:4433";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", certificate] => serve(certificate).await,
        ["fetch", certificate, address, count] => fetch(certificate, address.parse()?, count.parse()?).await,
        _ => bail!("serve CERTIFICATE | fetch CERTIFICATE ADDRESS BYTES"),
    }
}

async fn serve(certificate: &str) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(vec!["b".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let settings = ServerConfig::with_single_cert(vec![made.cert.der().clone()], key.into())?;
    let endpoint = Endpoint::server(settings, ANYWHERE.parse()?)?;
    fs::write(certificate, made.cert.der())?;
    println!("ready");
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move { answer(incoming.await?).await });
    }
    Ok(())
}

/// Answers each stream until the client closes the connection.
async fn answer(connection: Connection) -> Result<()> {
    loop {
        let (mut sender, mut receiver) = connection.accept_bi().await?;
        let asked: usize = String::from_utf8(receiver.read_to_end(20).await?)?.parse()?;
        sender.write_all(&vec![0; asked]).await?;
        sender.finish()?;
    }
}

async fn fetch(certificate: &str, address: SocketAddr, count: usize) -> Result<()> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(fs::read(certificate)?))?;
    let mut endpoint = Endpoint::client("0.0.0.0:0".parse()?)?;
    endpoint.set_default_client_config(ClientConfig::with_root_certificates(Arc::new(roots))?);
    let connection = endpoint.connect(address, "b")?.await.context("no connection")?;
    let (mut sender, mut receiver) = connection.open_bi().await?;
    sender.write_all(count.to_string().as_bytes()).await?;
    sender.finish()?;
    ensure!(receiver.read_to_end(count).await?.len() == count, "bytes are missing");
    println!("{}", connection.rtt().as_secs_f64());
    connection.close(0u32.into(), b"done");
    endpoint.wait_idle().await;
    Ok(())
}
