//! Numbers that look drawn but are not: the same topic and index always give the same ones.

use uuid::Builder;

/// A sequence of its own for each row, so that a row can be made without those before it.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(topic: &str, index: usize) -> Self {
        // FNV-1a of the topic; the index is mixed in by the first step.
        let seed = topic.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut dice = Dice(seed ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95));
        dice.draw();
        dice
    }

    /// SplitMix64: small, quick, and the same on every machine and in every version of this program.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn uuid(&mut self) -> String {
        let bytes = (u128::from(self.draw()) << 64 | u128::from(self.draw())).to_be_bytes();
        Builder::from_custom_bytes(bytes).into_uuid().to_string()
    }
}

/// 24 hexadecimal digits that grow with the index, as ids of document stores do.
pub fn object_id(topic: &str, first: u32, index: usize) -> String {
    let leading = first.wrapping_add((index as u32).wrapping_mul(977));
    format!("{leading:08x}{:016x}", Dice::new(topic, index).draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_topic_and_index_give_the_same_numbers() {
        let draws = |topic, index| {
            let mut dice = Dice::new(topic, index);
            (dice.draw(), dice.draw())
        };
        assert_eq!(draws("deals", 7), draws("deals", 7));
        assert_ne!(draws("deals", 7), draws("deals", 8));
        assert_ne!(draws("deals", 7), draws("tickets", 7));
        // Pinned: another generator would change what everybody has seen.
        assert_eq!(Dice::new("deals", 7).uuid(), "b7b5f34f-0cf0-8300-946a-e8ab0cc95c29");
    }

    #[test]
    fn numbers_stay_in_their_bounds_and_reach_them() {
        let mut dice = Dice::new("bounds", 0);
        let drawn: Vec<i64> = (0..500).map(|_| dice.between(-2, 2)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&2)));
    }

    #[test]
    fn object_ids_grow() {
        let ids: Vec<String> = (0..100).map(|index| object_id("deal", 0x6600_0000, index)).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.len() == 24));
    }
}
