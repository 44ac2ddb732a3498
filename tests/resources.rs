//! Resources, their changes, prompts and completion, as a client of either era sees them.
//!
//! The family here keeps notes: writing one is a change, and its content is how often it was written.

use std::sync::Arc;
use std::time::Duration;

use backoffice::clock::{Clock, Timestamp};
use backoffice::db::{Db, Mode, ReadTx, WriteTx, audit, sequences};
use backoffice::error::{Error, Result};
use backoffice::mcp::Changes;
use backoffice::tool::offer::{self, Content, Link, Prompt, PromptArgument, Resources, Template};
use backoffice::tool::page::{Listing, Page};
use backoffice::tool::session::{Session, Toolsets};
use backoffice::tool::{Access, Family, JsonObject, ReadCx, Tool, ToolDef, WriteCx, WriteTool};
use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio_util::sync::CancellationToken;

use crate::client::modern_meta;
use crate::office::TestOffice;
use crate::protocol::Connection;

const PAGE: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Written {
    name: String,
    times: i64,
}

struct WriteNote;

impl Tool for WriteNote {
    type Args = Args;
    type Output = Written;
    const NAME: &'static str = "write_note";
    const TITLE: &'static str = "Write a note";
    const DESCRIPTION: &'static str = "Writes a note";
    const ACCESS: Access = Access::Everyone;
    // The trail then tells which note was written.
    const CORRELATION: Option<&'static str> = Some("name");

    fn links(written: &Written) -> Vec<Link> {
        vec![link(&written.name)]
    }
}

impl WriteTool for WriteNote {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Written> {
        let times = sequences::take(cx.write, &cx.session.project, &args.name, 1, cx.now)?;
        Ok(Written { name: args.name.clone(), times })
    }
}

fn link(name: &str) -> Link {
    let title = Some(format!("Note {name}"));
    Link { uri: format!("note:{name}"), name: name.to_owned(), title, mime_type: "text/plain", size: Some(7) }
}

fn list(cx: &ReadCx<'_>, cursor: Option<&str>) -> Result<Page<Link>> {
    let listing = Listing::new(cx, &"notes")?;
    let from = listing.key(cursor)?.map_or(0, |key| key + 1);
    let notes = sequences::all(cx.tx, &cx.session.project)?.into_iter().zip(0..);
    let rows: Vec<_> = notes.filter(|(_, at)| *at >= from).take(PAGE + 1).collect();
    let page = listing.page(rows, PAGE, |(_, at)| *at, |_| 100);
    let rows = page.rows.iter().map(|((name, _), _)| link(name)).collect();
    Ok(Page { rows, next_cursor: page.next_cursor })
}

fn read(cx: &ReadCx<'_>, uri: &str) -> Result<Content> {
    let absent = || Error::not_found(format!("there is no note `{uri}`")).hint("list the resources");
    let name = uri.strip_prefix("note:").ok_or_else(absent)?;
    match name {
        "panic" => panic!("ouch"),
        "secret" => return Err(Error::forbidden("this note is not for everybody")),
        _ => {}
    }
    let times = sequences::last(cx.tx, &cx.session.project, name)?.ok_or_else(absent)?;
    Ok(Content { uri: uri.to_owned(), mime_type: "text/plain", text: times.to_string() })
}

fn last_change(tx: &ReadTx<'_>, _: &str) -> Result<i64> {
    audit::last_id(tx)
}

fn changes(tx: &ReadTx<'_>, project: &str, after: i64) -> Result<offer::Changes> {
    let entries = audit::after(tx, after, 100_000)?;
    let mut changes =
        offer::Changes { last: entries.last().map_or(after, |entry| entry.id), ..Default::default() };
    let written: Vec<_> = entries.iter().filter_map(|entry| entry.correlation_id.as_deref()).collect();
    for name in &written {
        let times = sequences::last(tx, project, name)?;
        let times_now = written.iter().filter(|other| *other == name).count();
        changes.listed |= times == i64::try_from(times_now).ok();
        changes.uris.extend(times.map(|_| format!("note:{name}")));
    }
    Ok(changes)
}

fn complete(cx: &ReadCx<'_>, name: &str, typed: &str, others: &JsonObject) -> Result<Vec<String>> {
    if name == "tone" {
        return Ok(others.keys().map(|other| format!("{typed} {other}")).collect());
    }
    let notes = sequences::all(cx.tx, &cx.session.project)?;
    Ok(notes.into_iter().map(|(name, _)| name).filter(|name| name.starts_with(typed)).collect())
}

fn praise(cx: &ReadCx<'_>, arguments: &JsonObject) -> Result<String> {
    Ok(format!("Praise {} in {}", arguments["name"].as_str().unwrap(), cx.session.project))
}

static TOOLS: [ToolDef; 1] = [ToolDef::write::<WriteNote>()];
static NOTES: Family = Family {
    name: "notes",
    guide: "Notes.",
    tools: &TOOLS,
    resources: Some(&Resources {
        templates: &[Template {
            uri: "note:{name}",
            name: "note",
            title: "A note",
            description: "How often it was written",
            mime_type: "text/plain",
        }],
        also_with: &[],
        follows_files: false,
        list,
        read,
        last_change: |tx, scope| last_change(tx, &scope.project),
        changes: |tx, scope, after| changes(tx, &scope.project, after),
    }),
    prompts: &[
        Prompt {
            name: "praise",
            title: "Praise",
            description: "Praise a note",
            arguments: &[
                PromptArgument { name: "name", description: "The note", required: true },
                PromptArgument { name: "tone", description: "How", required: false },
            ],
            needs: "write_note",
            get: praise,
        },
        Prompt {
            name: "impossible",
            title: "Impossible",
            description: "Needs what nobody has",
            arguments: &[],
            needs: "no_such_tool",
            get: praise,
        },
    ],
    complete: Some(complete),
    ..Family::EMPTY
};

/// A second family, whose only resource never changes.
static SIGNS: Family = Family {
    name: "signs",
    resources: Some(&Resources {
        templates: &[],
        also_with: &[],
        follows_files: false,
        list: |_, _| {
            let exit = Link { uri: "sign:exit".to_owned(), title: None, size: None, ..link("exit") };
            Ok(Page { rows: vec![exit], next_cursor: None })
        },
        read: |_, uri| match uri {
            "sign:exit" => {
                Ok(Content { uri: uri.to_owned(), mime_type: "text/plain", text: "This way".to_owned() })
            }
            _ => Err(Error::not_found("there is no such sign")),
        },
        last_change: |_, _| Ok(0),
        changes: |_, _, _| Ok(offer::Changes::default()),
    }),
    ..Family::EMPTY
};
static PLAIN: Family = Family { name: "plain", ..Family::EMPTY };
const FAMILIES: &[&Family] = &[&NOTES, &SIGNS, &PLAIN];

/// An office and what its connections share.
struct House {
    office: TestOffice,
    changes: Arc<Changes>,
    stop: CancellationToken,
}

impl House {
    fn new() -> Self {
        let office = TestOffice::with(FAMILIES);
        let changes = Arc::new(Changes::new(Arc::clone(&office.office)));
        House { office, changes, stop: CancellationToken::new() }
    }

    fn with(&self, session: Session) -> Client {
        let stop = self.stop.clone();
        Client {
            connection: Connection::silent(&self.office.office, &self.changes, session, stop),
            modern: true,
            next_id: 1,
            passed_over: Vec::new(),
        }
    }

    fn modern(&self) -> Client {
        self.with(self.office.owner())
    }

    async fn legacy(&self, version: &str) -> Client {
        let mut client = self.modern();
        client.modern = false;
        client.connection.initialize(version).await;
        client
    }

    fn limited_to(&self, toolsets: &str) -> Session {
        let mut session = self.office.owner();
        session.toolsets = Toolsets::parse(toolsets, FAMILIES).unwrap();
        session
    }

    fn write(&self, name: &str) {
        let session = Arc::new(self.office.owner());
        self.office.value(&session, "write_note", json!({"name": name}));
    }
}

struct Client {
    connection: Connection,
    modern: bool,
    next_id: u64,
    /// What came while an answer was waited for.
    passed_over: Vec<Value>,
}

impl Client {
    async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        if self.modern {
            params["_meta"] = modern_meta();
        }
        self.next_id += 1;
        self.connection.ask(self.next_id, method, params).await;
        self.next_id
    }

    async fn next(&mut self) -> Value {
        let next = tokio::time::timeout(Duration::from_secs(60), self.connection.next());
        next.await.expect("something must come")
    }

    async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
            self.passed_over.push(message);
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.answer_to(id).await
    }

    async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    async fn error(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params).await["error"].clone()
    }

    /// Subscribes, and waits for the acknowledgement.
    async fn listen(&mut self, notifications: Value) -> u64 {
        let id = self.ask("subscriptions/listen", json!({"notifications": notifications})).await;
        let acknowledged = self.next().await;
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
        assert_eq!(acknowledged["params"]["notifications"], notifications);
        id
    }

    async fn content(&mut self, uri: &str) -> String {
        let read = self.result("resources/read", json!({"uri": uri})).await;
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Waits for news, those that have come already first.
    async fn news(&mut self) -> String {
        let message = match self.passed_over.is_empty() {
            true => self.next().await,
            false => self.passed_over.remove(0),
        };
        let method = message["method"].as_str().unwrap_or_else(|| panic!("{message}"));
        let uri = message["params"]["uri"].as_str().unwrap_or_default();
        format!("{} {uri}", method.strip_prefix("notifications/resources/").unwrap()).trim_end().to_owned()
    }
}

#[tokio::test]
async fn lists_come_in_pages_one_family_after_the_other() {
    let house = House::new();
    let mut client = house.modern();
    let empty = client.result("resources/list", json!({})).await;
    assert_eq!(empty["resources"][0]["uri"], "sign:exit", "an empty family is passed over: {empty}");
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        house.write(name);
    }
    let (mut pages, mut params) = (Vec::new(), json!({}));
    loop {
        let page = client.result("resources/list", params).await;
        assert_eq!((&page["ttlMs"], &page["cacheScope"]), (&json!(0), &json!("private")));
        let uris = page["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap());
        pages.push(uris.collect::<Vec<_>>().join(" "));
        let Some(cursor) = page.get("nextCursor") else { break };
        params = json!({"cursor": cursor});
    }
    assert_eq!(pages, ["note:a note:b note:c", "note:d note:e note:f", "note:g", "sign:exit"]);
    for cursor in ["", "x", "notes:x", "plain:", "nobody:"] {
        let error = client.error("resources/list", json!({"cursor": cursor})).await;
        assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32602), &json!("invalid_cursor")));
    }
    let mut limited = house.with(house.limited_to("signs"));
    let only = limited.result("resources/list", json!({})).await;
    assert_eq!((only["resources"].as_array().unwrap().len(), only.get("nextCursor")), (1, None));
    assert_eq!(limited.error("resources/read", json!({"uri": "note:a"})).await["code"], -32602);
    assert_eq!(limited.content("sign:exit").await, "This way");
}

#[tokio::test]
async fn a_resource_is_described_and_read_in_either_era() {
    let house = House::new();
    house.write("a");
    let mut modern = house.modern();
    let listed = modern.result("resources/list", json!({})).await;
    assert_snapshot!(listed["resources"][0], @r#"{"uri":"note:a","name":"a","title":"Note a","mimeType":"text/plain","size":7}"#);
    let templates = modern.result("resources/templates/list", json!({})).await;
    assert_snapshot!(templates, @r#"{"resultType":"complete","ttlMs":3600000,"cacheScope":"private","resourceTemplates":[{"uriTemplate":"note:{name}","name":"note","title":"A note","description":"How often it was written","mimeType":"text/plain"}]}"#);
    let read = modern.result("resources/read", json!({"uri": "note:a"})).await;
    assert_snapshot!(read, @r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[{"uri":"note:a","mimeType":"text/plain","text":"1"}]}"#);
    let mut legacy = house.legacy("2025-11-25").await;
    assert_eq!(legacy.content("note:a").await, "1");
    assert_eq!(legacy.content("sign:exit").await, "This way");
}

#[tokio::test]
async fn what_cannot_be_read_says_why() {
    let house = House::new();
    let mut told = Vec::new();
    for mut client in [house.legacy("2025-11-25").await, house.modern()] {
        for uri in ["note:none", "web:none", "note:secret", "note:panic", &"x".repeat(5_000)] {
            told.push(client.error("resources/read", json!({"uri": uri})).await.to_string());
        }
    }
    assert_snapshot!(told.join("\n"), @r#"
    {"code":-32002,"message":"Resource not found: there is no note `note:none`","data":{"uri":"note:none","hint":"list the resources"}}
    {"code":-32002,"message":"Resource not found: there is no note `web:none`","data":{"uri":"web:none","hint":"list the resources"}}
    {"code":-32000,"message":"Permission denied: this note is not for everybody","data":{"uri":"note:secret"}}
    {"code":-32603,"message":"Internal error: the call failed unexpectedly; nothing was changed","data":{"uri":"note:panic"}}
    {"code":-32602,"message":"Invalid params: `uri` is longer than 2048 bytes","data":{"field":"uri"}}
    {"code":-32602,"message":"Resource not found: there is no note `note:none`","data":{"uri":"note:none","hint":"list the resources"}}
    {"code":-32602,"message":"Resource not found: there is no note `web:none`","data":{"uri":"web:none","hint":"list the resources"}}
    {"code":-32000,"message":"Permission denied: this note is not for everybody","data":{"uri":"note:secret"}}
    {"code":-32603,"message":"Internal error: the call failed unexpectedly; nothing was changed","data":{"uri":"note:panic"}}
    {"code":-32602,"message":"Invalid params: `uri` is longer than 2048 bytes","data":{"field":"uri"}}
    "#);
}

#[tokio::test]
async fn who_has_no_resources_says_so() {
    let house = House::new();
    let mut with = house.modern();
    let told = with.result("server/discover", json!({})).await;
    assert_eq!(told["capabilities"]["resources"], json!({"subscribe": true, "listChanged": true}));
    assert_eq!(told["capabilities"]["completions"], json!({}));
    assert!(told["instructions"].as_str().unwrap().contains("resources"));
    let mut without = house.with(house.limited_to("plain"));
    let told = without.result("server/discover", json!({})).await;
    assert_eq!(told["capabilities"], json!({"prompts": {}, "tools": {}}));
    assert!(!told["instructions"].as_str().unwrap().contains("resources"));
    let complete =
        json!({"ref": {"type": "ref/prompt", "name": "praise"}, "argument": {"name": "name", "value": ""}});
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "note:a"})),
        ("resources/read", json!({"uri": 7})),
        ("completion/complete", complete),
        ("completion/complete", json!({})),
    ] {
        assert_eq!(without.error(method, params).await["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_refused_and_what_an_era_does_not_have_is_unknown() {
    let house = House::new();
    let (mut legacy, mut modern) = (house.legacy("2025-06-18").await, house.modern());
    for (method, era) in [
        ("resources/read", "both"),
        ("completion/complete", "both"),
        ("resources/subscribe", "older"),
        ("resources/unsubscribe", "older"),
    ] {
        assert_eq!(legacy.error(method, json!({"uri": 7})).await["code"], -32602, "{method}");
        let code = if era == "both" { -32602 } else { -32601 };
        assert_eq!(modern.error(method, json!({"uri": 7})).await["code"], code, "{method}");
    }
    assert_eq!(modern.error("resources/subscribe", json!({"uri": "note:a"})).await["code"], -32601);
    let listen = json!({"notifications": {"resourcesListChanged": true}});
    assert_eq!(legacy.error("subscriptions/listen", listen).await["code"], -32601);
    let many: Vec<_> = (0..2_000).map(|number| format!("note:{number}")).collect();
    let listen = json!({"notifications": {"resourceSubscriptions": many}});
    assert_eq!(modern.error("subscriptions/listen", listen).await["code"], -32602);
}

#[tokio::test]
async fn arguments_are_completed() {
    let house = House::new();
    for number in 0..105 {
        house.write(&format!("n{number:03}"));
    }
    house.write("other");
    let mut client = house.modern();
    let template = json!({"type": "ref/resource", "uri": "note:{name}"});
    let prompt = json!({"type": "ref/prompt", "name": "praise"});
    let asked =
        |of: &Value, name: &str, value: &str| json!({"ref": of, "argument": {"name": name, "value": value}});
    let told = client.result("completion/complete", asked(&template, "name", "n10")).await;
    assert_eq!(
        told["completion"],
        json!({"values": ["n100", "n101", "n102", "n103", "n104"], "total": 5, "hasMore": false})
    );
    let told = client.result("completion/complete", asked(&prompt, "name", "n")).await["completion"].clone();
    assert_eq!((told["values"].as_array().unwrap().len(), &told["total"]), (100, &json!(105)));
    assert_eq!(told["hasMore"], true);
    let mut with_others = asked(&prompt, "tone", "loud");
    with_others["context"] = json!({"arguments": {"name": "n001"}});
    let told = client.result("completion/complete", with_others).await;
    assert_eq!(told["completion"]["values"], json!(["loud name"]));
    let mut refused = Vec::new();
    for params in [
        asked(&template, "nmae", ""),
        asked(&json!({"type": "ref/resource", "uri": "note:{nam}"}), "name", ""),
        asked(&json!({"type": "ref/prompt", "name": "nothing"}), "name", ""),
    ] {
        refused.push(client.error("completion/complete", params).await.to_string());
    }
    assert_snapshot!(refused.join("\n"), @r#"
    {"code":-32602,"message":"Invalid params: unknown argument `nmae`","data":{"field":"nmae","reason":"unknown_argument","hint":"did you mean `name`?"}}
    {"code":-32602,"message":"Invalid params: unknown resource template `note:{nam}`","data":{"hint":"did you mean `note:{name}`?"}}
    {"code":-32602,"message":"Invalid params: unknown prompt `nothing`","data":{"hint":"list the prompts to see them"}}
    "#);
}

#[tokio::test]
async fn prompts_are_those_whose_tools_are_there_and_their_arguments_are_checked() {
    let house = House::new();
    let mut client = house.legacy("2025-11-25").await;
    let listed = client.result("prompts/list", json!({})).await["prompts"].clone();
    assert_snapshot!(listed, @r#"[{"name":"praise","title":"Praise","description":"Praise a note","arguments":[{"name":"name","description":"The note","required":true},{"name":"tone","description":"How","required":false}]}]"#);
    let mut told = Vec::new();
    for params in [
        json!({"name": "praise", "arguments": {"name": "a", "tone": "loud"}}),
        json!({"name": "praise"}),
        json!({"name": "praise", "arguments": {"name": "a", "tune": "loud"}}),
        json!({"name": "praise", "arguments": {"name": 7}}),
        json!({"name": "prase", "arguments": {"name": "a"}}),
        json!({"name": "impossible"}),
    ] {
        let answer = client.request("prompts/get", params).await;
        told.push(answer.get("result").unwrap_or(&answer["error"]).to_string());
    }
    assert_snapshot!(told.join("\n"), @r#"
    {"description":"Praise a note","messages":[{"role":"user","content":{"type":"text","text":"Praise a in shop"}}]}
    {"code":-32602,"message":"Invalid params: `name` must be given","data":{"missing":["name"],"reason":"missing_argument"}}
    {"code":-32602,"message":"Invalid params: unknown argument `tune`","data":{"field":"tune","reason":"unknown_argument","hint":"did you mean `tone`?"}}
    {"code":-32602,"message":"Invalid params: `name` is not a text","data":{"field":"name","reason":"invalid_argument"}}
    {"code":-32602,"message":"Invalid params: unknown prompt `prase`","data":{"hint":"did you mean `praise`?"}}
    {"code":-32602,"message":"Invalid params: unknown prompt `impossible`","data":{"hint":"list the prompts to see them"}}
    "#);
    let mut reader = house.office.owner();
    reader.read_only = true;
    let listed = house.with(reader).result("prompts/list", json!({})).await;
    assert_eq!(listed["prompts"], json!([]), "its tool writes");
}

/// Which version a client speaks decides whether results may point to resources.
#[tokio::test]
async fn results_point_to_resources_for_clients_that_know_it() {
    let house = House::new();
    let call = json!({"name": "write_note", "arguments": {"name": "a"}});
    for (version, knows) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let result = house.legacy(version).await.result("tools/call", call.clone()).await;
        assert_eq!(result["content"].as_array().unwrap().len(), 1 + usize::from(knows), "{version}");
    }
    let result = house.modern().result("tools/call", call).await;
    assert_snapshot!(result, @r#"{"resultType":"complete","content":[{"type":"text","text":"{\"name\":\"a\",\"times\":5}"},{"type":"resource_link","uri":"note:a","name":"a","title":"Note a","mimeType":"text/plain","size":7}],"structuredContent":{"name":"a","times":5},"isError":false}"#);
}

#[tokio::test]
async fn a_change_right_after_the_acknowledgement_is_told() {
    let house = House::new();
    house.write("a");
    let mut client = house.modern();
    for _ in 0..100 {
        let id = client.listen(json!({"resourceSubscriptions": ["note:a"]})).await;
        house.write("a");
        let news = client.next().await;
        assert_eq!(news["params"]["uri"], "note:a", "{news}");
        assert_eq!(news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        client.connection.send(cancel).await;
        // Taken in order: once this is answered, the cancellation has been seen.
        client.content("note:a").await;
        client.passed_over.clear();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_quick_the_changes_the_last_one_is_told() {
    let house = House::new();
    house.write("a");
    let (mut modern, mut legacy) = (house.modern(), house.legacy("2025-11-25").await);
    modern.listen(json!({"resourcesListChanged": true, "resourceSubscriptions": ["note:a", "note:z"]})).await;
    legacy.result("resources/subscribe", json!({"uri": "note:a"})).await;
    let mut writer = house.modern();
    let call = json!({"name": "write_note", "arguments": {"name": "a"}});
    for _ in 0..199 {
        writer.result("tools/call", call.clone()).await;
    }
    for mut client in [modern, legacy] {
        let mut told = 0;
        loop {
            assert_eq!(client.news().await, "updated note:a");
            told += 1;
            if client.content("note:a").await == "200" {
                break;
            }
        }
        assert!(told <= 200, "never more often than it changed");
    }
}

#[tokio::test]
async fn lists_and_contents_are_told_to_who_asked_for_them_and_only_in_their_project() {
    let house = House::new();
    house.write("a");
    let mut lists = house.modern();
    lists.listen(json!({"resourcesListChanged": true})).await;
    let mut contents = house.modern();
    contents.listen(json!({"resourceSubscriptions": ["note:b", "note:c"]})).await;
    let mut session = house.office.owner();
    session.stand_in(None, Some("elsewhere")).unwrap();
    let mut elsewhere = house.with(session);
    elsewhere.listen(json!({"resourcesListChanged": true, "resourceSubscriptions": ["note:c"]})).await;
    house.write("a");
    house.write("b");
    assert_eq!(lists.news().await, "list_changed");
    assert_eq!(contents.news().await, "updated note:b");
    house.write("c");
    assert_eq!(contents.news().await, "updated note:c");
    assert_eq!(lists.news().await, "list_changed");
    let call = json!({"name": "write_note", "arguments": {"name": "own"}});
    elsewhere.result("tools/call", call).await;
    assert_eq!(elsewhere.news().await, "list_changed", "the first it hears is its own");
}

#[tokio::test]
async fn an_older_client_is_told_of_lists_unasked_and_of_contents_until_it_no_longer_wants_it() {
    let house = House::new();
    house.write("a");
    let mut client = house.legacy("2024-11-05").await;
    assert_eq!(client.result("resources/subscribe", json!({"uri": "note:a"})).await, json!({}));
    house.write("a");
    assert_eq!(client.news().await, "updated note:a");
    assert_eq!(client.result("resources/unsubscribe", json!({"uri": "note:a"})).await, json!({}));
    house.write("a");
    house.write("b");
    assert_eq!(client.news().await, "list_changed", "and not the note");
    let many = (0..1_001).map(|number| json!({"uri": format!("note:{number}")}));
    let mut last = Value::Null;
    for params in many {
        last = client.request("resources/subscribe", params).await;
    }
    assert_eq!(last["error"]["code"], -32602, "what a client may ask for is bounded");
}

#[tokio::test]
async fn what_another_process_changes_is_told_too() {
    let house = House::new();
    house.write("a");
    let mut client = house.modern();
    client.listen(json!({"resourceSubscriptions": ["note:a"]})).await;
    let other = Db::open(house.office.office.db.file(), Mode::Full, &Clock::System, "o").unwrap();
    let entry = audit::Entry {
        id: 0,
        at: Timestamp(1),
        caller: "ann".to_owned(),
        client: "other".to_owned(),
        tool: "write_note".to_owned(),
        outcome: "ok".to_owned(),
        correlation_id: Some("a".to_owned()),
        run_us: 1,
        receipt: None,
    };
    let write = move |tx: &WriteTx<'_>| {
        sequences::take(tx, "shop", "a", 1, Timestamp(1))?;
        audit::append(tx, &entry)
    };
    other.write(write).unwrap();
    assert_eq!(client.news().await, "updated note:a");
    assert_eq!(client.content("note:a").await, "2");
}

/// Its pipe is full after a few; what it is not told of is kept once, not a thousand times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_that_does_not_read_holds_nobody_and_catches_up() {
    let house = House::new();
    house.write("a");
    let (mut deaf, mut other) = (house.modern(), house.modern());
    deaf.listen(json!({"resourceSubscriptions": ["note:a"]})).await;
    other.listen(json!({"resourceSubscriptions": ["note:a"]})).await;
    for round in 2..=300 {
        house.write("a");
        loop {
            assert_eq!(other.news().await, "updated note:a");
            if other.content("note:a").await == round.to_string() {
                break;
            }
        }
    }
    let id = deaf.ask("resources/read", json!({"uri": "note:a"})).await;
    assert_eq!(deaf.answer_to(id).await["result"]["contents"][0]["text"], "300");
    assert!(deaf.passed_over.len() < 100, "{} were kept", deaf.passed_over.len());
}

#[tokio::test]
async fn subscriptions_end_in_good_order_when_the_server_stops() {
    let house = House::new();
    let (mut modern, _legacy) = (house.modern(), house.legacy("2025-11-25").await);
    let id = modern.listen(json!({"resourcesListChanged": true})).await;
    house.stop.cancel();
    assert!(modern.answer_to(id).await["result"].is_object());
}

/// The SDK waits five seconds for handlers that are still there when the input has ended.
#[tokio::test]
async fn a_client_that_goes_while_it_is_told_news_is_let_go_at_once() {
    let house = House::new();
    house.write("a");
    let mut told = house.modern();
    let id = told.listen(json!({"resourceSubscriptions": ["note:a"]})).await;
    house.write("a");
    told.connection.write.shutdown().await.unwrap();
    assert!(told.answer_to(id).await["result"].is_object());
    let mut hasty = house.modern();
    hasty.ask("subscriptions/listen", json!({"notifications": {"resourcesListChanged": true}})).await;
    hasty.connection.write.shutdown().await.unwrap();
    let older = house.legacy("2025-11-25").await;
    let Connection { write, read, served } = older.connection;
    house.write("a");
    drop((write, read));
    for served in [told.connection.served, hasty.connection.served, served] {
        let ended = tokio::time::timeout(Duration::from_secs(3), served).await;
        ended.expect("at once").unwrap().unwrap();
    }
}
