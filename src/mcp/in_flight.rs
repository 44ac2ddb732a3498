//! How much one client may have under way: the bound that keeps a client that floods, one that
//! cancels what it has just asked, or one that never reads its answers, from growing memory or
//! holding others back.
//!
//! A request counts from when it is handed on until its handler has ended, and its answer until it
//! is written. While the places are taken, a few more requests are read and wait; then nothing more
//! is read, the client's own pipe fills, and it waits itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{NotificationContext, RequestContext, Service, ServiceRole};
use tokio::sync::Notify;

/// More than enough to share commits, few enough to be held in memory.
const MOST: usize = 32;
/// Subscriptions stay open; a client needs one or two.
const MOST_SUBSCRIPTIONS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct InFlight {
    now: Mutex<Now>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Now {
    running: HashMap<RequestId, Running>,
    subscriptions: usize,
    sending: usize,
}

#[derive(Debug)]
struct Running {
    /// Whether its handler has begun: the SDK answers some requests without one.
    handled: bool,
    subscription: bool,
}

impl InFlight {
    pub fn has_place(&self) -> bool {
        self.now.lock().is_ok_and(|now| now.running.len() - now.subscriptions + now.sending < MOST)
    }

    /// Waits until a place is free. Only one reader waits, so no wake-up is lost.
    pub async fn place(&self) {
        while !self.has_place() {
            self.freed.notified().await;
        }
    }

    pub fn holds(&self, id: &RequestId) -> bool {
        self.now.lock().is_ok_and(|now| now.running.contains_key(id))
    }

    pub fn may_subscribe(&self) -> bool {
        self.now.lock().is_ok_and(|now| now.subscriptions < MOST_SUBSCRIPTIONS)
    }

    /// Takes a place for a request that is handed on.
    pub fn take(&self, id: &RequestId, subscription: bool) {
        if let Ok(mut now) = self.now.lock() {
            now.subscriptions += usize::from(subscription);
            now.running.insert(id.clone(), Running { handled: false, subscription });
        }
    }

    /// Counts an answer until the guard is dropped.
    pub fn sending(self: &Arc<Self>, id: Option<&RequestId>) -> Sending {
        if let Ok(mut now) = self.now.lock() {
            now.sending += 1;
            if let Some(id) = id.filter(|id| now.running.get(*id).is_some_and(|running| !running.handled)) {
                now.end(id);
            }
        }
        Sending(Arc::clone(self))
    }

    fn handling(self: &Arc<Self>, id: RequestId) -> Handling {
        if let Ok(mut now) = self.now.lock()
            && let Some(running) = now.running.get_mut(&id)
        {
            running.handled = true;
        }
        Handling(Arc::clone(self), id)
    }
}

impl Now {
    fn end(&mut self, id: &RequestId) {
        if let Some(ended) = self.running.remove(id) {
            self.subscriptions -= usize::from(ended.subscription);
        }
    }
}

/// An answer that is being written.
#[derive(Debug)]
pub(super) struct Sending(Arc<InFlight>);

impl Drop for Sending {
    fn drop(&mut self) {
        if let Ok(mut now) = self.0.now.lock() {
            now.sending -= 1;
        }
        self.0.freed.notify_one();
    }
}

/// A handler that is running.
struct Handling(Arc<InFlight>, RequestId);

impl Drop for Handling {
    fn drop(&mut self) {
        if let Ok(mut now) = self.0.now.lock() {
            now.end(&self.1);
        }
        self.0.freed.notify_one();
    }
}

/// A service whose handlers are counted.
pub(super) struct Counted<S> {
    service: S,
    in_flight: Arc<InFlight>,
}

impl<S> Counted<S> {
    pub fn new(service: S, in_flight: Arc<InFlight>) -> Self {
        Counted { service, in_flight }
    }
}

impl<S: Service<RoleServer>> Service<RoleServer> for Counted<S> {
    async fn handle_request(
        &self,
        request: <RoleServer as ServiceRole>::PeerReq,
        context: RequestContext<RoleServer>,
    ) -> Result<<RoleServer as ServiceRole>::Resp, ErrorData> {
        let _handling = self.in_flight.handling(context.id.clone());
        self.service.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: <RoleServer as ServiceRole>::PeerNot,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.service.handle_notification(notification, context).await
    }

    fn get_info(&self) -> <RoleServer as ServiceRole>::Info {
        self.service.get_info()
    }
}
