//! One handler for both protocol eras.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Icon, Implementation,
    ListPromptsResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{prompts, twice};
use crate::error::Error;
use crate::tool::dispatch::{Cancelled, Office, Reply};
use crate::tool::render::{ErrorForm, Failure, render};
use crate::tool::session::{Peer, Session};
use crate::tool::{ToolDef, ToolKind};

/// Half of what the writer's queue holds.
const LONG_QUEUE: usize = 512;
/// The lists are fixed for the life of a connection.
const LISTS_TTL_MS: u64 = 3_600_000;
const ICON: &str = include_str!("../../assets/icon.svg");
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

pub(super) struct Server {
    office: Arc<Office>,
    session: Arc<Session>,
    /// Fires when the client has gone.
    gone: CancellationToken,
}

impl Server {
    pub fn new(office: Arc<Office>, session: Arc<Session>, gone: CancellationToken) -> Self {
        Server { office, session, gone }
    }

    /// What a model is told before it sees any tool.
    fn instructions(&self) -> String {
        let mut text = "backoffice keeps the records that must not be lost or given twice.".to_owned();
        if self.session.read_only {
            text.push_str(" This connection can only read.");
        } else {
            for family in self.office.families().iter().filter(|family| self.session.toolsets.has(family)) {
                text.push(' ');
                text.push_str(family.guide);
            }
        }
        text.push_str(
            " project_id may be left out inside a repository. Lists come in pages: pass next_cursor back as \
             cursor. Errors say what to do next; nothing was changed when one comes back.",
        );
        text
    }

    /// Takes note of who is at the other end.
    fn meet(&self, context: &RequestContext<RoleServer>) {
        self.session.introduce(|| {
            let info = context.client_info()?;
            let short = |text: String| text.chars().filter(|c| !c.is_control()).take(64).collect();
            Some(Peer { name: short(info.name), version: short(info.version) })
        });
    }

    fn offers(&self, tool: &str) -> bool {
        self.office.find(&self.session, tool).is_ok()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        let icon = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(ICON.trim()));
        let icon = Icon::new(icon).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()]);
        let implementation = Implementation::new("backoffice", env!("CARGO_PKG_VERSION"))
            .with_title("Back office")
            .with_description(env!("CARGO_PKG_DESCRIPTION"))
            .with_icons(vec![icon]);
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.meet(&context);
        let tools = self.office.offered(&self.session).map(|(_, tool)| described(tool)).collect();
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
        let name = request.name;
        let arguments = request.arguments.unwrap_or_default();
        let cancelled = Cancelled::default();
        let (tell, hear) = oneshot::channel();
        let found = self.office.find(&self.session, &name);
        let start = {
            let (office, session) = (Arc::clone(&self.office), Arc::clone(&self.session));
            let cancelled = Arc::clone(&cancelled);
            move || {
                let told = move |reply| drop(tell.send(reply));
                office.start(&session, &name, arguments, cancelled, Box::new(told));
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
            reply = hear => reply.map_or_else(|_| Err(lost()), answer),
            () = context.ct.cancelled() => {
                cancelled.store(true, Ordering::Relaxed);
                Err(ErrorData::invalid_request("the request was cancelled", None))
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(|tool| self.offers(tool)))
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let found =
            prompts::get(&request.name, &request.arguments.unwrap_or_default(), |tool| self.offers(tool));
        found.map(Into::into).map_err(|error| protocol(&error))
    }

    /// Accepts every subscription; what this server never announces is filtered by the SDK.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = context.cancelled() => {}
            () = self.gone.cancelled() => {}
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if KNOWN_METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("Invalid params: the parameters of `{method}` do not have its form"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}

fn described(tool: &'static ToolDef) -> Tool {
    let schemas = tool.schemas();
    let hints = ToolAnnotations::with_title(tool.title).open_world(false);
    let hints = match tool.kind {
        ToolKind::Read => hints.read_only(true),
        ToolKind::Write { destructive, idempotent, .. } => {
            hints.read_only(false).destructive(destructive).idempotent(idempotent)
        }
    };
    Tool::new(tool.name, tool.description, schemas.input.clone())
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(schemas.output.clone()))
        .with_annotations(hints)
}

/// A success is structured and text; a failure is text only, because clients check structured
/// content against the schema of a success.
fn answer(reply: Reply) -> Result<CallToolResponse, ErrorData> {
    match reply {
        Reply::Success(answer) => Ok(twice::result(answer.json).into()),
        Reply::Failed { failure: Failure::InBand(value), .. } => {
            Ok(CallToolResult::error(vec![ContentBlock::text(value.to_string())]).into())
        }
        Reply::Failed { failure: Failure::Protocol { code, message, data }, .. } => {
            Err(ErrorData::new(ErrorCode(code), message, data))
        }
    }
}

fn protocol(error: &Error) -> ErrorData {
    match render(error, ErrorForm::JsonRpc) {
        Failure::Protocol { code, message, data } => ErrorData::new(ErrorCode(code), message, data),
        Failure::InBand(value) => ErrorData::internal_error("unexpected form", Some(value)),
    }
}

fn lost() -> ErrorData {
    ErrorData::internal_error("Internal error: the call ended without an answer", None)
}
