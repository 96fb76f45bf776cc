//! SACK blocks of ACKs in flight. An ACK that reports holes carries the number of its record here (RFC
//! 2018; three blocks, as with time stamps).

use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

/// Records of SACK blocks, whose numbers are reused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SackPool {
    blocks: Vec<Blocks>,
    free: Vec<u32>,
}

impl SackPool {
    /// Stores a record. Returns its number.
    pub fn store(&mut self, blocks: Blocks) -> u32 {
        if let Some(index) = self.free.pop() {
            self.blocks[index as usize] = blocks;
            return index;
        }
        self.blocks.push(blocks);
        (self.blocks.len() - 1) as u32
    }

    /// Returns a record, which stays stored.
    pub fn read(&self, index: u32) -> Blocks {
        self.blocks[index as usize]
    }

    /// Removes a record and returns it.
    pub fn take(&mut self, index: u32) -> Blocks {
        self.free.push(index);
        self.blocks[index as usize]
    }

    /// Removes a record.
    pub fn free(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Returns the number of stored records.
    pub fn held(&self) -> usize {
        self.blocks.len() - self.free.len()
    }
}
