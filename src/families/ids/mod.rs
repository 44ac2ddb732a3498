//! ids: artifact numbers that are never handed out twice, and reservations of fifteen minutes.

pub(in crate::families) mod confirm_reservation;
mod get_next_available_id;
mod list_reservations;
pub mod model;
mod release_reservation;
pub(in crate::families) mod reserve_id_range;
pub mod scan;
pub mod store;

use crate::tool::{Family, Sweep, ToolDef};

pub static FAMILY: Family = Family {
    name: "ids",
    guide: "Never invent IDs: get_next_available_id; for several, reserve_id_range, then \
        confirm_reservation within 15 minutes.",
    tools: &TOOLS,
    sweep: Some(Sweep { next_due: store::next_expiry, run: store::expire }),
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 5] = [
    ToolDef::write::<confirm_reservation::ConfirmReservation>(),
    ToolDef::write::<get_next_available_id::GetNextAvailableId>(),
    ToolDef::read::<list_reservations::ListReservations>(),
    ToolDef::write::<release_reservation::ReleaseReservation>(),
    ToolDef::write::<reserve_id_range::ReserveIdRange>(),
];
