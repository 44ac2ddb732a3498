//! One handler for both protocol eras.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ConstString, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestMethod, ReadResourceRequestParams, ReadResourceResponse,
    ServerConfig, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestMethod, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::{OnceCell, oneshot};
use tokio_util::sync::CancellationToken;

use super::ask::{self, Asking};
use super::changes::{Changes, Listening};
use super::inbox::News;
use super::{about, completion, listen, prompts, resources, tools};
use crate::error::{Error, Kind};
use crate::tool::ask::Speaker;
use crate::tool::dispatch::{Cancelled, Office, Reply};
use crate::tool::render::{ErrorForm, Failure, render};
use crate::tool::session::{self, Session};
use crate::tool::{JsonObject, confirm};

/// Half of what the writer's queue holds.
const LONG_QUEUE: usize = 512;
/// The lists are fixed for the life of a connection.
const LISTS_TTL_MS: u64 = 3_600_000;
/// Resources change at any time, also by the client's own next call; it must see that.
const RESOURCES_TTL_MS: u64 = 0;
/// Methods whose parameters did not fit arrive as unknown ones; these are not unknown.
const KNOWN_METHODS: [&str; 7] = [
    "initialize",
    "server/discover",
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "subscriptions/listen",
];
const RESOURCE_METHODS: [&str; 3] = [
    ListResourcesRequestMethod::VALUE,
    ListResourceTemplatesRequestMethod::VALUE,
    ReadResourceRequestMethod::VALUE,
];
/// The newer era has `subscriptions/listen` instead.
const OLDER_METHODS: [&str; 2] = [SubscribeRequestMethod::VALUE, UnsubscribeRequestMethod::VALUE];

pub(super) struct Server {
    pub office: Arc<Office>,
    session: Arc<Session>,
    changes: Arc<Changes>,
    /// What a client of the older era hears; one of the newer era has a subscription for it.
    hearing: OnceCell<Arc<Listening>>,
    /// Fires when the client has gone.
    pub gone: CancellationToken,
    pub asking: Asking,
}

impl Server {
    pub fn new(
        office: Arc<Office>,
        session: Arc<Session>,
        changes: Arc<Changes>,
        gone: CancellationToken,
        patience: Duration,
    ) -> Self {
        let asking = Asking::new(patience);
        Server { office, session, changes, hearing: OnceCell::new(), gone, asking }
    }

    /// Takes note of who is at the other end.
    fn meet(&self, context: &RequestContext<RoleServer>) {
        self.session.introduce(|| {
            let info = context.client_info()?;
            let short = |text: String| text.chars().filter(|c| !c.is_control()).take(64).collect();
            Some(session::Peer { name: short(info.name), version: short(info.version) })
        });
    }

    /// Whether a tool may ask a person.
    pub fn asks(&self, tool: &str) -> bool {
        self.office.find(&self.session, tool).is_ok_and(|(_, tool)| tool.asks())
    }

    /// Runs a tool to its end, or until the client no longer wants it.
    pub async fn run(
        &self,
        tool: &str,
        arguments: JsonObject,
        speaker: Speaker,
        unwanted: &CancellationToken,
    ) -> Result<Reply, ErrorData> {
        let cancelled = Cancelled::default();
        let (tell, hear) = oneshot::channel();
        let found = self.office.find(&self.session, tool);
        let start = {
            let (office, session) = (Arc::clone(&self.office), Arc::clone(&self.session));
            let (tool, cancelled) = (tool.to_owned(), Arc::clone(&cancelled));
            move || {
                let told = move |reply| drop(tell.send(reply));
                office.start(&session, &tool, arguments, speaker, cancelled, Box::new(told));
            }
        };
        // A long queue means that submitting may have to wait, and the threads here serve everybody.
        let may_wait = self.office.db.queue_depth() >= LONG_QUEUE;
        if may_wait || found.is_ok_and(|(_, tool)| tool.touches_files()) {
            tokio::task::spawn_blocking(start);
        } else {
            start();
        }
        tokio::select! {
            biased;
            reply = hear => reply.map_err(|_| lost()),
            () = unwanted.cancelled() => {
                cancelled.store(true, Ordering::Relaxed);
                Err(unwanted_any_more())
            }
        }
    }

    /// Takes down what this connection's person has decided in a form.
    pub async fn decide(&self, id: &str, approved: bool) -> Result<Result<Reply, Error>, ErrorData> {
        let (office, session) = (Arc::clone(&self.office), Arc::clone(&self.session));
        let id = id.to_owned();
        let decided = tokio::task::spawn_blocking(move || {
            let proof = confirm::Proof::by_form(&session.caller.user_id);
            let decided = confirm::decide(&office, &id, approved, proof, &session.signature())?;
            session.hears(&id);
            Ok(confirm::reply(decided))
        });
        decided.await.map_err(|_| lost())
    }

    /// What a decided confirmation has led to, as the reply to the call that asked for it.
    pub fn became_of(&self, id: &str) -> Option<Reply> {
        self.session.hears(id);
        confirm::became_of(&self.office, id)
    }

    /// Puts the verdicts that this connection waits for behind an answer.
    fn with_verdicts(&self, response: CallToolResponse) -> CallToolResponse {
        match response {
            CallToolResponse::Complete(result) => {
                tools::with_verdicts(result, &confirm::verdicts(&self.office, &self.session))
            }
            asks => asks,
        }
    }

    /// Looks at the file away from the threads that serve: a look may read files, too.
    async fn look<T: Send + 'static>(
        &self,
        told: fn(&Error) -> ErrorData,
        look: impl FnOnce(&Office, &Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (office, session) = (Arc::clone(&self.office), Arc::clone(&self.session));
        let seen = tokio::task::spawn_blocking(move || look(&office, &session)).await;
        seen.map_err(|_| lost())?.map_err(|error| told(&error))
    }

    /// Whether a method that is not for every connection is there.
    fn has<M: ConstString>(&self, is_offered: fn(&Office, &Session) -> bool) -> Result<(), ErrorData> {
        let offered = is_offered(&self.office, &self.session);
        offered.then_some(()).ok_or_else(ErrorData::method_not_found::<M>)
    }

    /// What a client of the older era hears: from its first wish on, until it goes.
    async fn hearing(&self, peer: &Peer<RoleServer>) -> Result<&Arc<Listening>, ErrorData> {
        let open = || async {
            let wanted = News { list: true, ..News::default() };
            let listening = listen::open(&self.changes, &self.session, wanted).await?;
            let (hears, client) = (Arc::clone(&listening), listen::Client::Older(peer.clone()));
            let gone = self.gone.clone();
            tokio::spawn(async move {
                tokio::select! {
                    () = client.tell(&hears) => {}
                    () = gone.cancelled() => {}
                }
            });
            Ok(listening)
        };
        self.hearing.get_or_try_init(open).await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        about::config(&self.office, &self.session)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.meet(&context);
        let tools = self.office.offered(&self.session).map(|(_, tool)| tools::described(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.meet(&context);
        ask::call(self, request, &context).await.map(|response| self.with_verdicts(response))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let offered = prompts::offered(&self.office, &self.session);
        let prompts = offered.map(|(_, prompt)| prompts::described(prompt)).collect();
        Ok(ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let got = self
            .look(protocol, move |office, session| prompts::get(office, session, &request.name, &arguments));
        got.await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.has::<CompleteRequestMethod>(completion::is_offered)?;
        self.look(protocol, |office, session| completion::complete(office, session, request)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.has::<ListResourcesRequestMethod>(resources::is_offered)?;
        let cursor = request.and_then(|request| request.cursor);
        let listed =
            self.look(protocol, move |office, session| resources::list(office, session, cursor.as_deref()));
        Ok(listed.await?.with_ttl_ms(RESOURCES_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.has::<ListResourceTemplatesRequestMethod>(resources::is_offered)?;
        let templates = resources::templates(&self.office, &self.session);
        Ok(ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.has::<ReadResourceRequestMethod>(resources::is_offered)?;
        let read = self.look(absent, move |office, session| resources::read(office, session, &request.uri));
        Ok(read.await?.with_ttl_ms(RESOURCES_TTL_MS).with_cache_scope(CacheScope::Private).into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // Only the older era opens like this; the newer one is told nothing it has not asked for.
        let opened = context.peer.peer_info().is_some();
        if opened
            && resources::is_offered(&self.office, &self.session)
            && let Err(error) = self.hearing(&context.peer).await
        {
            tracing::error!(event = "listen_failed", error = %error.message);
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.has::<SubscribeRequestMethod>(resources::is_offered)?;
        let hearing = self.hearing(&context.peer).await?;
        hearing.inbox.add(&request.uri).map_err(|error| protocol(&error))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.has::<UnsubscribeRequestMethod>(resources::is_offered)?;
        self.hearing(&context.peer).await?.inbox.remove(&request.uri);
        Ok(())
    }

    /// Accepts every subscription; what this server never announces is filtered by the SDK.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let ended = async {
            match context.request_context().extensions.get::<Arc<Listening>>() {
                Some(listening) => listen::Client::Subscription(context.sink()).tell(listening).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = self.gone.cancelled() => {}
            () = ended => {}
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let is_newer =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let known = match method.as_str() {
            CompleteRequestMethod::VALUE => completion::is_offered(&self.office, &self.session),
            method if RESOURCE_METHODS.contains(&method) => {
                resources::is_offered(&self.office, &self.session)
            }
            method if OLDER_METHODS.contains(&method) => {
                !is_newer && resources::is_offered(&self.office, &self.session)
            }
            method => KNOWN_METHODS.contains(&method),
        };
        if known {
            return Err(ErrorData::invalid_params(
                format!("Invalid params: the parameters of `{method}` do not have its form"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}

pub(super) fn protocol(error: &Error) -> ErrorData {
    match render(error, ErrorForm::JsonRpc) {
        Failure::Protocol { code, message, data } => ErrorData::new(ErrorCode(code), message, data),
        Failure::InBand(value) => ErrorData::internal_error("unexpected form", Some(value)),
    }
}

/// The same for resources: one that is not there has a code of its own in the protocol.
fn absent(error: &Error) -> ErrorData {
    let told = protocol(error);
    match error.kind() {
        Kind::NotFound => ErrorData::resource_not_found(told.message, told.data),
        _ => told,
    }
}

pub(super) fn unwanted_any_more() -> ErrorData {
    ErrorData::invalid_request("the request was cancelled", None)
}

pub(super) fn lost() -> ErrorData {
    ErrorData::internal_error("Internal error: the call ended without an answer", None)
}
