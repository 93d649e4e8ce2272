//! A number by which a save recognises a tree that is unchanged.

use std::fmt::{self, Write};

use pleach_expr::runtime;

use super::Tree;
use super::outline::Outline;
use crate::Host;

/// A hash of a text (FNV-1a, 64 bits), which is the same on every machine.
struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

impl<H: Host> Tree<H> {
    /// The same number for a tree that has the same nodes, with the same parameters and abort
    /// types, and the same keys. It does not cover what the code of leaves does, nor parameters
    /// that only this code knows. Costs one walk over the tree.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let mut hash = Hash(0xcbf2_9ce4_8422_2325);
            self.describe(&mut hash).expect("a hash takes every text");
            hash.0
        })
    }

    /// Everything that decides what an agent waits for, in words.
    fn describe(&self, to: &mut impl Write) -> fmt::Result {
        for (record, info) in self.records.iter().zip(&self.infos) {
            let text = (&info.kind, &info.name, &info.id, &info.detail);
            write!(to, "{:?} {:?} {:?} {text:?};", record.parent, record.op, record.abort)?;
        }
        for expr in &self.exprs {
            write!(to, "{};", runtime::asks(expr, |it| format!("{it:?}")))?;
        }
        write!(to, "{:?} {:?} {:?} {:?} ", self.spans, self.texts, self.weights, self.cases)?;
        if !self.resets.is_empty() {
            write!(to, "{:?} ", self.resets)?;
        }
        write!(to, "{:?} {:?} {:?} ", self.services, self.service_kinds, Outline::of(self).leaves)?;
        self.schema.keys().try_for_each(|it| write!(to, "{it:?} "))?;
        // Which keys a condition of the host observes, and how often it is asked.
        let table = &self.observers;
        write!(to, "{:?} {:?} {:?} {:?}", table.nodes, table.polled, self.layout.watches(), table.periodic)
    }
}
