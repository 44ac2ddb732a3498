//! Subscriptions of both eras: what is heard is opened before the client is told that it is.
//!
//! The SDK acknowledges a subscription and only then calls the handler; who began to listen there
//! would miss what changes in between. So it begins here, around the handler, and what hears travels
//! with the request.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientRequest, ErrorData, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, Service, ServiceRole, SubscriptionSink};
use tokio_util::sync::CancellationToken;

use super::changes::{Changes, Listening};
use super::inbox::News;
use super::server::{lost, protocol};
use crate::tool::session::Session;

/// A service whose subscriptions hear before they are acknowledged.
pub(super) struct Hearing<S> {
    pub service: S,
    pub changes: Arc<Changes>,
    pub session: Arc<Session>,
    pub gone: CancellationToken,
}

impl<S: Service<RoleServer>> Service<RoleServer> for Hearing<S> {
    async fn handle_request(
        &self,
        request: <RoleServer as ServiceRole>::PeerReq,
        mut context: RequestContext<RoleServer>,
    ) -> Result<<RoleServer as ServiceRole>::Resp, ErrorData> {
        let ClientRequest::SubscriptionsListenRequest(asked) = &request else {
            return self.service.handle_request(request, context).await;
        };
        let wanted = News::wanted(&asked.params.notifications).map_err(|error| protocol(&error))?;
        if !wanted.is_empty() && self.service.get_info().capabilities.resources.is_some() {
            context.extensions.insert(open(&self.changes, &self.session, wanted).await?);
        }
        tokio::select! {
            biased;
            result = self.service.handle_request(request, context) => result,
            // Nobody takes an acknowledgement any more, and waiting for that would hold the process.
            () = self.gone.cancelled() => Err(lost()),
        }
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

/// Begins to listen, away from the threads that serve.
pub(super) async fn open(
    changes: &Arc<Changes>,
    session: &Arc<Session>,
    wanted: News,
) -> Result<Arc<Listening>, ErrorData> {
    let (changes, session) = (Arc::clone(changes), Arc::clone(session));
    let opened = tokio::task::spawn_blocking(move || changes.listen(&session, wanted)).await;
    opened.map_err(|_| lost())?.map(Arc::new).map_err(|error| protocol(&error))
}

/// Where news go: a client of the older era is told without having asked for a stream.
pub(super) enum Client<'a> {
    Older(Peer<RoleServer>),
    Subscription(&'a SubscriptionSink),
}

impl Client<'_> {
    /// Tells what is heard until nothing more comes or nobody takes it.
    pub async fn tell(&self, listening: &Listening) {
        while let Some(news) = listening.inbox.next().await {
            let list = news.list.then(|| {
                ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification {
                    method: Default::default(),
                    extensions: Default::default(),
                })
            });
            let updates = news.uris.into_iter().map(|uri| {
                let update = ResourceUpdatedNotificationParam::new(uri);
                ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(update))
            });
            for notification in list.into_iter().chain(updates) {
                if !self.send(notification).await {
                    return;
                }
            }
        }
    }

    async fn send(&self, notification: ServerNotification) -> bool {
        match self {
            Client::Older(peer) => peer.send_notification(notification).await.is_ok(),
            Client::Subscription(sink) => sink.send(notification).await.is_ok(),
        }
    }
}
