//! Tables of eight ways: a hash selects a set of eight places, and a tag identifies the owner of a place.

use crate::parts::round_robin::mix;

/// Places of a table, and of one set (Linux `sch_cake.c`).
pub(super) const PLACES: usize = 1024;
pub(super) const WAYS: usize = 8;

/// Returns the hash of a number.
pub(super) fn hash(number: u64) -> u32 {
    (mix(number) >> 32) as u32
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The place has this tag.
    Own(usize),
    /// The first free place of the set.
    Free(usize),
    /// No place is free: the one to which the hash points.
    Shared(usize),
}

/// Finds the place of a hash, from the one to which it points on, around its set.
#[inline]
pub(super) fn find(tags: &[u32], hash: u32, is_free: impl Fn(usize) -> bool) -> Found {
    let direct = hash as usize % PLACES;
    if tags[direct] == hash {
        return Found::Own(direct);
    }
    let (first, inner) = (direct / WAYS * WAYS, direct % WAYS);
    let around = || (0..WAYS).map(|step| first + (inner + step) % WAYS);
    if let Some(own) = around().find(|&place| tags[place] == hash) {
        return Found::Own(own);
    }
    around().find(|&place| is_free(place)).map_or(Found::Shared(direct), Found::Free)
}

/// The hosts at one end, and the number of their queues that persist.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Hosts {
    tags: Vec<u32>,
    flows: Vec<u32>,
}

impl Hosts {
    pub fn new() -> Self {
        Self { tags: vec![0; PLACES], flows: vec![0; PLACES] }
    }

    /// Returns the place of a host.
    pub fn place(&mut self, host: u64) -> u16 {
        let hash = hash(host);
        let place = match find(&self.tags, hash, |place| self.flows[place] == 0) {
            Found::Own(place) | Found::Free(place) | Found::Shared(place) => place,
        };
        self.tags[place] = hash;
        place as u16
    }

    pub fn add(&mut self, place: u16) {
        self.flows[usize::from(place)] += 1;
    }

    pub fn remove(&mut self, place: u16) {
        self.flows[usize::from(place)] -= 1;
    }

    pub fn flows(&self, place: u16) -> u32 {
        self.flows[usize::from(place)]
    }
}
