//! Follows the registered repositories, whichever client is connected, and as long as they are
//! registered.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::events::Events;
use crate::db::repositories::{self, Registered};
use crate::error::{Error, Result};
use crate::mcp::Changes;
use crate::tool::dispatch::Office;
use crate::tool::follow::Following;

/// Changes gather this long before they are looked at: what was just registered can wait a moment.
const GATHER: Duration = Duration::from_millis(300);
/// After a failure it is tried again this much later.
const AFTER_FAILURE: Duration = Duration::from_secs(30);

type Followed = HashMap<(PathBuf, String), Following>;

pub(super) async fn run(
    office: Arc<Office>,
    changes: Arc<Changes>,
    events: Arc<Events>,
    stop: CancellationToken,
) {
    let mut touches = events.touches();
    let mut followed = Followed::new();
    loop {
        let (shared, teller) = (Arc::clone(&office), Arc::clone(&changes));
        let before = std::mem::take(&mut followed);
        let kept = tokio::task::spawn_blocking(move || keep(&shared, &teller, before)).await;
        let outcome = match kept {
            Ok((kept, outcome)) => {
                followed = kept;
                outcome
            }
            Err(error) => Err(Error::internal("repositories are not followed").because(error)),
        };
        let again = outcome.err().map(|error| {
            tracing::error!(event = "repositories_failed", error = %error.chain());
            AFTER_FAILURE
        });
        tokio::select! {
            () = stop.cancelled() => return,
            () = super::sweeps::sleep(again) => {}
            _ = touches.changed() => tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(GATHER) => {}
            },
        }
    }
}

/// Follows what is registered, and nothing else.
fn keep(office: &Office, changes: &Changes, mut followed: Followed) -> (Followed, Result<()>) {
    let registered = match office.db.read(repositories::all) {
        Ok(registered) => registered,
        Err(error) => return (followed, Err(error)),
    };
    let wanted: Vec<(PathBuf, String)> =
        registered.into_iter().map(|Registered { root, project, .. }| (root, project)).collect();
    followed.retain(|key, _| wanted.contains(key));
    let mut outcome = Ok(());
    for key in wanted {
        let Entry::Vacant(place) = followed.entry(key) else { continue };
        match changes.follow(&place.key().0, &place.key().1) {
            Ok(following) => drop(place.insert(following)),
            Err(error) => outcome = Err(error),
        }
    }
    (followed, outcome)
}
