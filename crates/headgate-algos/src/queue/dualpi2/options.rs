//! The words that parameters of DualPI2 can take.

headgate_model::choices! {
    /// The text that is followed.
    pub enum Variant {
        /// The pseudo-code of RFC 9332, appendix A.
        Rfc = "rfc",
        /// `sch_dualpi2.c` of Linux 6.17.
        Linux = "linux",
    }
}

headgate_model::choices! {
    /// The wait that the control sees.
    pub enum PiWait {
        /// As the variant has it.
        Variant = "variant",
        /// Of the first packet of C.
        Classic = "classic",
        /// Of the first packet of either queue, if it is larger.
        Larger = "larger",
    }
}

headgate_model::choices! {
    /// Which queue sends next while both have packets.
    pub enum Scheduler {
        /// By the share of bytes that C is due.
        Weighted = "weighted",
        /// The packet that has waited longer, if those of L count as older by a shift.
        TimeShifted = "time-shifted",
    }
}

headgate_model::choices! {
    /// Which packets join L.
    pub enum Classifier {
        /// ECT(1) and CE (RFC 9331).
        L4s = "l4s",
        /// All that are capable of ECN.
        AnyEct = "any-ect",
    }
}

headgate_model::choices! {
    /// When it is decided whether a packet is dropped.
    pub enum DropAt {
        /// When it would leave.
        Dequeue = "dequeue",
        /// When it arrives.
        Enqueue = "enqueue",
    }
}
