//! SACK blocks under way: ACKs that report holes point here (RFC 2018, three blocks as with time
//! stamps).

use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SackPool {
    blocks: Vec<Blocks>,
    free: Vec<u32>,
}

impl SackPool {
    pub fn store(&mut self, blocks: Blocks) -> u32 {
        if let Some(index) = self.free.pop() {
            self.blocks[index as usize] = blocks;
            return index;
        }
        self.blocks.push(blocks);
        (self.blocks.len() - 1) as u32
    }

    /// What a record says, which stays.
    pub fn read(&self, index: u32) -> Blocks {
        self.blocks[index as usize]
    }

    pub fn take(&mut self, index: u32) -> Blocks {
        self.free.push(index);
        self.blocks[index as usize]
    }

    /// A record is no longer needed.
    pub fn free(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Number of records in use.
    pub fn held(&self) -> usize {
        self.blocks.len() - self.free.len()
    }
}
