//! A self-signed certificate for both ends.
//!
//! All Ed25519 signatures are of one length, so that two runs exchange packets of the same sizes.

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::sync::OnceLock;

/// The parts that configurations of rustls need.
pub struct Certificate {
    pub roots: RootCertStore,
    pub chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
}

impl Certificate {
    pub fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.clone()))
    }
}

/// Returns the certificate of this process.
pub fn certificate() -> Result<&'static Certificate, String> {
    static MADE: OnceLock<Result<Certificate, String>> = OnceLock::new();
    MADE.get_or_init(make).as_ref().map_err(Clone::clone)
}

fn make() -> Result<Certificate, String> {
    let says = |error: rcgen::Error| format!("no certificate: {error}");
    let signing = KeyPair::generate_for(&PKCS_ED25519).map_err(says)?;
    let params = CertificateParams::new(["localhost".into()]).map_err(says)?;
    let certificate = params.self_signed(&signing).map_err(says)?.der().clone();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).map_err(|error| format!("no certificate: {error}"))?;
    Ok(Certificate { roots, chain: vec![certificate], key: signing.serialize_der() })
}
