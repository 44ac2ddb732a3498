//! Forty intentions: what is understood, asked and decided; and what must never happen again.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::catalogue::{COMPANION, OTHER};
use super::*;

/// A session as its owner would keep it: text, answers, ids that were shown.
pub(super) struct Session {
    reading: Reading,
    answers: Answers,
    hints: Hints,
    decisions: Decisions,
    conflicts: Vec<Conflict>,
    asked: Vec<String>,
    proposed: Vec<Proposal>,
    pub(super) force_adr: bool,
}

impl Session {
    pub(super) fn of(intention: &str) -> Self {
        Session {
            reading: Reading::of(intention, None).unwrap(),
            answers: Answers::default(),
            hints: Hints::default(),
            decisions: Decisions::new(),
            conflicts: Vec::new(),
            asked: Vec::new(),
            proposed: Vec::new(),
            force_adr: false,
        }
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            reading: &self.reading,
            answers: &self.answers,
            hints: &self.hints,
            decisions: &self.decisions,
            conflicts: &self.conflicts,
            asked: &self.asked,
            proposed: &self.proposed,
            force_adr: self.force_adr,
            ask_for_paths: false,
        }
    }

    pub(super) fn decided(mut self, category: &str, field: &str, value: &str) -> Self {
        self.decisions.entry(category.to_owned()).or_default().insert(field.to_owned(), value.to_owned());
        self
    }

    pub(super) fn ask(&mut self) -> Plan {
        let plan = next_questions(&self.situation());
        self.asked.extend(plan.questions.iter().map(|question| question.id.clone()));
        plan
    }

    pub(super) fn answer(&mut self, given: &Value) -> Result<(), Invalid> {
        self.answers = accept(&self.situation(), given.as_object().unwrap(), Provenance::Person)?;
        Ok(())
    }

    pub(super) fn outcome(&self) -> Outcome {
        decide(&self.situation())
    }
}

pub(super) fn ids(questions: &[Question]) -> Vec<&str> {
    questions.iter().map(|question| question.id.as_str()).collect()
}

pub(super) fn fields(outcome: &Outcome) -> Vec<String> {
    let Kind::Adr { fields, .. } = &outcome.kind else { return Vec::new() };
    let line = |field: &Decided| {
        format!("{}.{}={} ({})", field.category, field.field, field.value, field.provenance.word())
    };
    fields.iter().map(line).collect()
}

#[test]
fn forty_intentions() {
    // intention · main category · detected · asked at first · reason of the outcome
    let table = [
        ("Add authentication", "Authentication", "", 2, "ADR: `authentication` concerns Authentication"),
        (
            "Add OAuth login with Clerk",
            "Authentication",
            "OAuth, Clerk",
            1,
            "ADR: `OAuth` concerns Authentication",
        ),
        ("Fix typo in login button", "Authentication", "", 0, "task only: it is a fix (`fix`)"),
        ("Build the user guide page", "", "", 2, "task only: nothing in it calls for a decision record"),
        ("Give feedback on the guide", "", "", 2, "task only: nothing in it calls for a decision record"),
        ("Choose the storage layer", "Database", "", 3, "ADR: `storage` concerns Database"),
        (
            "Add Google as an OAuth provider",
            "Authentication",
            "OAuth",
            0,
            "task only: it is a further OAuth provider, which is configuration (`oauth provider`)",
        ),
        ("Migrate from MySQL to PostgreSQL", "Database", "PostgreSQL", 2, "ADR: `MySQL` concerns Database"),
        ("Add caching to the product list", "Infra", "", 1, "ADR: `caching` concerns Infra"),
        ("Use Redis or Memcached for caching", "Infra", "", 1, "ADR: `Redis` concerns Infra"),
        (
            "Add a React component for avatars",
            "Frontend",
            "React",
            1,
            "ADR: React is a new dependency: nothing here shows it yet",
        ),
        (
            "Add a REST endpoint for orders",
            "Backend",
            "REST",
            2,
            "task only: nothing in it calls for a decision record",
        ),
        (
            "Add a GraphQL API",
            "Backend",
            "GraphQL",
            2,
            "ADR: GraphQL is a new dependency: nothing here shows it yet",
        ),
        (
            "Set up a message queue with RabbitMQ",
            "Messaging",
            "RabbitMQ",
            1,
            "ADR: `message queue` concerns Messaging",
        ),
        (
            "Send events through Kafka, exactly-once delivery",
            "Messaging",
            "Kafka, Exactly once",
            0,
            "ADR: `Kafka` concerns Messaging",
        ),
        ("Deploy to Vercel", "Infra", "Vercel", 0, "ADR: `deploy` concerns Infra"),
        ("Set up CI with GitHub Actions", "Infra", "GitHub Actions", 0, "ADR: `ci` concerns Infra"),
        ("Style the rest of the page", "", "", 2, "task only: nothing in it calls for a decision record"),
        ("Refactor the database layer", "Database", "", 0, "task only: it is a refactoring (`refactor`)"),
        ("Rename the auth module", "Authentication", "", 0, "task only: it is a renaming (`rename`)"),
        ("Write an ADR for the retry behaviour", "", "", 2, "ADR: the request asks for it (`adr`)"),
        ("Fix our caching strategy", "Infra", "", 1, "ADR: the request asks for it (`strategy`)"),
        ("Refactor the strategy pattern class", "", "", 0, "task only: it is a refactoring (`refactor`)"),
        (
            "Add a database table for invoices, no ADR",
            "Database",
            "",
            0,
            "task only: the request wants no ADR",
        ),
        ("Touch 25 files to update the licence header", "", "", 2, "ADR: 25 files are touched"),
        ("Change twelve files of the importer", "", "", 2, "ADR: 12 files are touched"),
        ("Add lodash to package.json", "", "", 2, "ADR: `package.json` is to change: a new dependency"),
        (
            "Pick a framework for the admin",
            "",
            "",
            2,
            "ADR: `framework` concerns what everything is built on",
        ),
        (
            "Set up the frontend with Next.js and Tailwind",
            "Frontend",
            "Next.js, Tailwind CSS",
            0,
            "ADR: Next.js is a new dependency: nothing here shows it yet",
        ),
        (
            "Build a public API in Rust with axum",
            "Backend",
            "Rust, axum",
            1,
            "ADR: axum is a new dependency: nothing here shows it yet",
        ),
        ("Connect to SQL Server", "Database", "SQL Server", 2, "ADR: `SQL Server` concerns Database"),
        (
            "Add OAuth login with Clerk to the Next.js app",
            "Authentication",
            "Next.js, OAuth, Clerk",
            1,
            "ADR: `OAuth` concerns Authentication",
        ),
        ("Add bug tracking with Sentry", "Infra", "Sentry", 0, "ADR: `Sentry` concerns Infra"),
        ("Debug the prefix parser", "", "", 0, "task only: it is a fix (`debug`)"),
        (
            "Add a dashboard with Vue and Pinia on MongoDB",
            "Frontend",
            "Vue, Pinia, MongoDB",
            1,
            "ADR: `MongoDB` concerns Database",
        ),
        ("Introduce a new library for PDF export", "", "", 2, "ADR: it is a new dependency (`new library`)"),
        ("Rewrite the importer", "", "", 2, "ADR: it is a cross-cutting change (`rewrite`)"),
        ("Add sign-in with GitHub", "Authentication", "GitHub", 2, "ADR: `sign in` concerns Authentication"),
        ("Keep drafts in local storage", "", "", 2, "task only: nothing in it calls for a decision record"),
        (
            "Set up authentication, database and deployment",
            "Authentication",
            "",
            4,
            "ADR: `authentication` concerns Authentication",
        ),
        ("Fix the Redis cache timeout", "Infra", "Redis", 0, "task only: it is a fix (`fix`)"),
        (
            "Go to the next page and render the rest",
            "",
            "",
            2,
            "task only: nothing in it calls for a decision record",
        ),
    ];
    assert!(table.len() >= 40);
    for (intention, category, detected, asked, reason) in table {
        let mut session = Session::of(intention);
        let main = session.reading.hits.first().map_or("", |hit| hit.category);
        let values: Vec<String> = session.reading.detected.iter().map(Detected::value).collect();
        assert_eq!((main, values.join(", ").as_str()), (category, detected), "{intention}");
        let plan = session.ask();
        assert_eq!(plan.questions.len(), asked, "{intention}: {:?}", ids(&plan.questions));
        let outcome = session.outcome();
        assert_eq!(outcome.reason, reason, "{intention}");
        assert_eq!(
            outcome.reason.starts_with("ADR"),
            matches!(outcome.kind, Kind::Adr { .. }),
            "{intention}"
        );
    }
}

#[test]
fn what_was_detected_is_what_is_decided() {
    let session = Session::of("Add OAuth login with Clerk");
    let outcome = session.outcome();
    assert_eq!(
        fields(&outcome),
        ["Authentication.Strategy=OAuth (detected)", "Authentication.Library=Clerk (detected)",]
    );
    assert_eq!(outcome.notes, [""; 0]);
    let mut session = Session::of("Add OAuth login with Clerk");
    session.answer(&json!({ "auth_library": "auth0" })).unwrap();
    assert_eq!(fields(&session.outcome())[1], "Authentication.Library=Auth0 (person)", "an answer wins");
}

#[test]
fn the_example_of_two_turns_completes() {
    let mut session = Session::of("Add authentication");
    assert_eq!(ids(&session.ask().questions), ["auth_strategy", "auth_library"]);
    session.answer(&json!({ "auth_strategy": "oauth", "auth_library": "next-auth" })).unwrap();
    assert!(session.ask().is_complete());
    let expected = ["Authentication.Strategy=OAuth (person)", "Authentication.Library=NextAuth.js (person)"];
    assert_eq!(fields(&session.outcome()), expected);
    assert_eq!(progress(&session.situation()), (2, 2));
}

#[test]
fn the_generic_path_completes_for_every_category() {
    let catalogue = catalogue::Catalogue::get().unwrap();
    let names = catalogue.categories.iter().map(|category| category.name.as_str());
    for name in names.chain(["infrastructure", "Other (specify)"]) {
        let mut session = Session::of("Make it better");
        session.force_adr = true;
        assert_eq!(ids(&session.ask().questions), ["category", "description"]);
        session.answer(&json!({ "category": name, "description": "Use a queue" })).unwrap();
        if name.starts_with("Other") {
            assert_eq!(ids(&session.ask().questions), ["category__other"]);
            session.answer(&json!({ "category__other": "Full text search" })).unwrap();
        }
        let opened = session.ask().questions;
        for question in &opened {
            session.answer(&json!({ question.id.clone(): question.options[0] })).unwrap();
        }
        assert!(session.ask().is_complete(), "{name}");
        let outcome = session.outcome();
        let Kind::Adr { category, fields } = &outcome.kind else { panic!("{name}") };
        assert_eq!(
            fields.len(),
            opened.len().max(1),
            "{name}: a description only where there is nothing else"
        );
        for field in fields {
            assert_eq!(&field.category, category);
            assert_eq!(catalogue.field(category, &field.field).as_ref(), Some(&field.field), "{name}");
        }
        assert!(outcome.constraints.contains(&"Use a queue".to_owned()) || category == "Other");
        assert!(!outcome.constraints.iter().any(|line| line.contains("Use Use")));
    }
}

#[test]
fn an_answered_category_opens_its_questions_within_the_five() {
    let mut session = Session::of("Make it better");
    session.ask();
    session.answer(&json!({ "category": "backend" })).unwrap();
    let plan = session.ask();
    assert_eq!(ids(&plan.outstanding), ["description"]);
    assert_eq!(ids(&plan.questions), ["backend_language", "backend_framework", "api_style"]);
    let answers = json!({ "backend_language": "Go", "backend_framework": "Gin", "api_style": "REST" });
    session.answer(&answers).unwrap();
    assert!(session.ask().is_complete(), "what the category decides needs no description");
    assert_eq!(session.outcome().reason, "ADR: the answers decide Backend.Language, which was open");

    // What is decided or visible already is not asked, and a sentence about the work decides nothing.
    let mut session = Session::of("Make it better").decided("Authentication", "Strategy", "OAuth").decided(
        "Authentication",
        "Library",
        "Clerk",
    );
    session.ask();
    session.answer(&json!({ "category": "auth", "description": "Larger buttons" })).unwrap();
    assert!(session.ask().is_complete());
    let outcome = session.outcome();
    assert_eq!(outcome.kind, Kind::TaskOnly, "{}", outcome.reason);
    assert!(outcome.constraints.contains(&"Authentication Library: Clerk (as decided)".to_owned()));
    assert!(outcome.path_words.contains(&"login".to_owned()));

    // The last question is kept for what `Other` stands for.
    let mut session = Session::of("Make it better");
    session.ask();
    session.answer(&json!({ "category": "Database", "description": "Keep orders" })).unwrap();
    assert_eq!(ids(&session.ask().questions), ["db_type", "db_orm"]);
    session.answer(&json!({ "db_type": OTHER, "db_orm": "None" })).unwrap();
    assert_eq!(ids(&session.ask().questions), ["db_type__other"]);
}

#[test]
fn other_without_text_is_asked_and_with_text_is_not() {
    let mut session = Session::of("Add authentication");
    session.ask();
    session.answer(&json!({ "auth_strategy": "OTHER (specify)", "auth_library": "Clerk" })).unwrap();
    let plan = session.ask();
    assert_eq!(ids(&plan.questions), ["auth_strategy__other"]);
    assert!(plan.questions[0].options.is_empty() && !plan.questions[0].optional);
    session.answer(&json!({ "auth_strategy__other": " Kerberos\n tickets " })).unwrap();
    assert!(session.ask().is_complete());
    assert_eq!(fields(&session.outcome())[0], "Authentication.Strategy=Kerberos tickets (person)");

    let mut early = Session::of("Add authentication");
    early.answer(&json!({ "auth_strategy__other": "Kerberos", "auth_library": "Custom" })).unwrap();
    assert!(early.ask().is_complete());
    assert_eq!(fields(&early.outcome())[0], "Authentication.Strategy=Kerberos (person)");
}

#[test]
fn five_questions_are_enough_and_the_rest_is_said() {
    let mut session = Session::of("Set up authentication, database, message queue, frontend and backend");
    let first = session.ask();
    assert_eq!(first.questions.len(), 4);
    let answers: Map<String, Value> =
        first.questions.iter().map(|question| (question.id.clone(), json!(question.options[0]))).collect();
    session.answer(&Value::Object(answers)).unwrap();
    let second = session.ask();
    assert_eq!(second.questions.len(), 1);
    session
        .answer(&json!({ second.questions[0].id.clone(): second.questions[0].options[0].clone() }))
        .unwrap();
    let third = session.ask();
    assert!(third.is_complete() && !third.notes.is_empty());
    let outcome = session.outcome();
    let taken = fields(&outcome).iter().filter(|field| field.ends_with("(default)")).count();
    assert!(taken > 0);
    assert_eq!(outcome.notes.len(), taken, "every default is said: {:?}", outcome.notes);
}

#[test]
fn follow_ups_come_only_when_their_condition_holds() {
    let asked = ids(&Session::of("Add OAuth login").ask().questions).join(" ");
    assert_eq!(asked, "auth_library oauth_providers");
    let asked = ids(&Session::of("Add SAML login").ask().questions).join(" ");
    assert_eq!(asked, "auth_library");
    let mut session = Session::of("Add SAML login");
    session.answer(&json!({ "oauth_providers": "Google" })).unwrap();
    let outcome = session.outcome();
    assert!(outcome.notes.iter().any(|note| note.contains("oauth_providers")));
    assert!(!outcome.constraints.iter().any(|line| line.contains("Google")));
}

#[test]
fn recommendations_come_from_the_record_then_the_repository_then_the_catalogue() {
    let hint = |value: &str| repository::Hint { value: value.to_owned(), source: "package.json".to_owned() };
    let mut session = Session::of("Add a database").decided("Database", "ORM", "Kysely");
    session.hints = Hints(BTreeMap::from([("db_type".to_owned(), vec![hint("MongoDB")])]));
    let plan = session.ask();
    assert_eq!(plan.questions[0].options[0], "MongoDB");
    let shown = Because::Shown("package.json".to_owned());
    assert_eq!(plan.questions[0].recommended.as_ref().unwrap().because, shown);
    assert!(!ids(&plan.questions).contains(&"db_orm"), "what is decided is not asked again");
    let mut anew = Session::of("Switch to another database layer").decided("Database", "ORM", "Homemade");
    let plan = anew.ask();
    let orm = plan.questions.iter().find(|question| question.id == "db_orm").unwrap();
    assert_eq!((orm.options[0].as_str(), orm.options.last().unwrap().as_str()), ("Homemade", OTHER));
    let mut python = Session::of("Add a database");
    python.hints = Hints(BTreeMap::from([("backend_language".to_owned(), vec![hint("Python")])]));
    assert_eq!(python.ask().questions[1].options[0], "SQLAlchemy");
}

#[test]
fn what_is_decided_is_not_decided_twice() {
    let session = Session::of("Add a database table for invoices")
        .decided("Database", "Type", "PostgreSQL")
        .decided("Database", "ORM", "Prisma");
    let outcome = session.outcome();
    assert_eq!(outcome.kind, Kind::TaskOnly);
    assert_eq!(outcome.constraints[0], "Database ORM: Prisma (as decided)");
    let session = Session::of("Keep it in MongoDB").decided("Database", "Type", "PostgreSQL");
    assert_eq!(fields(&session.outcome())[0], "Database.Type=MongoDB (detected)");
    let mut session = Session::of("Add an avatar component").decided("Frontend", "Framework", "Vue");
    session.answer(&json!({ "styling": "Sass" })).unwrap();
    assert_eq!(session.outcome().reason, "ADR: Frontend has decisions already, and this changes them");
    let mut session = Session::of("Add an avatar component");
    session.answer(&json!({ "frontend_framework": "Vue", "styling": "Sass" })).unwrap();
    assert_eq!(session.outcome().reason, "ADR: the answers decide Frontend.Framework, which was open");
}

#[test]
fn a_conflict_is_the_first_question_also_of_a_small_request() {
    let values = vec!["PostgreSQL".to_owned(), "MySQL".to_owned()];
    let mut session = Session::of("Fix typo in login button").decided("Database", "Type", "MySQL");
    session.conflicts = vec![Conflict { category: "Database".into(), field: "Type".into(), values }];
    let plan = session.ask();
    assert_eq!(ids(&plan.questions), ["conflict__database__type"]);
    assert_eq!(plan.questions[0].options, ["MySQL", "PostgreSQL", OTHER]);
    session.answer(&json!({ "conflict__database__type": "mysql" })).unwrap();
    let outcome = session.outcome();
    assert_eq!(outcome.reason, "ADR: it settles which decision on Database.Type holds");
    assert_eq!(fields(&outcome), ["Database.Type=MySQL (person)"]);
}

#[test]
fn huge_texts_are_read_quickly_and_only_so_far() {
    let reading = Reading::of(&"redis queue ".repeat(100_000), Some(&"x".repeat(1_000_000))).unwrap();
    assert_eq!(reading.hits.len(), 2);
}

#[test]
fn a_mixed_intention_keeps_each_field_in_its_category() {
    let outcome = Session::of("Use Vue with Pinia and Vue Router, store in MongoDB").outcome();
    let Kind::Adr { category, fields } = &outcome.kind else { panic!() };
    assert_eq!(category, "Frontend");
    let catalogue = catalogue::Catalogue::get().unwrap();
    assert!(fields.iter().all(|field| catalogue.field(&field.category, &field.field).is_some()));
    assert!(fields.iter().any(|field| field.category == "Database" && field.value == "MongoDB"));
}

#[test]
fn a_forced_record_always_says_something() {
    let mut session = Session::of("Fix typo in login button");
    session.force_adr = true;
    let plan = session.ask();
    assert_eq!(ids(&plan.questions), ["auth_strategy", "auth_library"]);
    session.decisions = Session::of("x").decided("Authentication", "Strategy", "OAuth").decisions;
    assert!(!fields(&session.outcome()).is_empty());
    assert_eq!(session.outcome().reason, "ADR: it was demanded (`force_adr`)");
}

#[test]
fn answers_that_do_not_fit_are_refused_and_nothing_is_taken() {
    let cases = [
        (json!({ "auth_strategy": "banana" }), "auth_strategy"),
        (json!({ "auth_strategy": ["OAuth"] }), "auth_strategy"),
        (json!({ "auth_strategy": { "a": 1 } }), "auth_strategy"),
        (json!({ "auth_strategy": null }), "auth_strategy"),
        (json!({ "auth_strategy": 7 }), "auth_strategy"),
        (json!({ "auth_strategy": "" }), "auth_strategy"),
        (json!({ "oauth_providers": [] }), "oauth_providers"),
        (json!({ "oauth_providers": ["Google", "banana"] }), "oauth_providers"),
        (json!({ "oauth_providers": [["Google"]] }), "oauth_providers"),
        (json!({ "description": "   " }), "description"),
        (json!({ "description": ["a"] }), "description"),
        (json!({ "description": OTHER }), "description"),
        (json!({ "auth_strategy__other": "other (specify)" }), "auth_strategy__other"),
        (json!({ "description": "x".repeat(100_000) }), "description"),
        (json!({ "allowlist_paths": "src, **/*" }), "allowlist_paths"),
        (json!({ "allowlist_paths": "../x" }), "allowlist_paths"),
        (json!({ "auth_stratgy": "OAuth" }), "auth_stratgy"),
        (json!({ "description__other": "x" }), "description__other"),
        (json!({ "": "x" }), ""),
    ];
    for (given, question) in cases {
        let mut session = Session::of("Add authentication");
        let refused = session.answer(&given).unwrap_err();
        assert_eq!(refused.question, question, "{given}");
        assert_eq!(session.answers, Answers::default());
    }
    let refused = Session::of("Add authentication").answer(&json!({ "auth_stratgy": "OAuth" })).unwrap_err();
    assert_eq!(refused.message, "there is no such question; did you mean `auth_strategy`?");
    let refused = Session::of("Add authentication").answer(&json!({ "auth_strategy": "x" })).unwrap_err();
    assert_eq!(refused.options, ["OAuth", "Email/Password", "Magic Links", "SAML", OTHER]);
    let mut session = Session::of("Add OAuth login");
    session.answer(&json!({ "oauth_providers": "github, google,github", "auth_library": null })).unwrap_err();
    session.answer(&json!({ "oauth_providers": "github, google,github", "auth_library": "CLERK" })).unwrap();
    assert_eq!(session.answers.raw("oauth_providers").unwrap(), ["GitHub", "Google"]);
    assert!(session.outcome().constraints.contains(&"OAuth providers: GitHub, Google".to_owned()));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        prop_oneof![Just(OTHER), Just("OAuth"), Just("PostgreSQL"), Just("Database"), Just("Google, GitHub")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("\\PC{0,8}", inner), 0..3)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

fn any_intention() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "add", "OAuth", "login", "database", "queue", "React", "from", "MySQL", "cache", "fix", "ADR", "no",
        "Go", "deploy", "frontend", "backend", "10", "files", "switch", "REST", "Redis", "or", "İ", "ß", ".",
        "\n", "ﬁ",
    ]);
    prop_oneof!["\\PC{1,60}", prop::collection::vec(words, 1..14).prop_map(|words| words.join(" "))]
}

fn extra(id: &str, options: &[&str], optional: bool) -> Proposal {
    Proposal {
        id: id.to_owned(),
        kind: if options.is_empty() { catalogue::Type::FreeText } else { catalogue::Type::MultiChoice },
        question: format!("What about {id}?"),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        optional,
        rationale: None,
    }
}

fn any_proposals() -> impl Strategy<Value = Vec<Proposal>> {
    let all = vec![
        extra("auth_library", &[], false),
        extra("db_orm", &["x"], false),
        extra("x_one", &["PostgreSQL", "OAuth"], false),
        extra("x_two", &[], true),
        extra("x_three", &[], false),
    ];
    prop::sample::subsequence(all, 0..=3)
}

#[test]
fn proposals_move_questions_forward_and_decide_nothing() {
    let mut plain = Session::of("Add authentication");
    let mut advised = Session::of("Add authentication");
    advised.proposed =
        vec![extra("auth_library", &[], true), extra("x_one", &["PostgreSQL", "Redis"], false)];
    assert_eq!(ids(&plain.ask().questions), ["auth_strategy", "auth_library"]);
    assert_eq!(ids(&advised.ask().questions), ["auth_library", "auth_strategy", "x_one"]);
    let both = json!({ "auth_strategy": "SAML", "auth_library": "Auth0" });
    plain.answer(&both).unwrap();
    advised.answer(&both).unwrap();
    assert_eq!(ids(&advised.ask().outstanding), ["x_one"], "it is asked like any other");
    advised.answer(&json!({ "x_one": ["postgresql", "Redis"] })).unwrap();
    assert!(advised.ask().is_complete());
    let (without, with) = (plain.outcome(), advised.outcome());
    assert_eq!((&with.kind, &with.reason), (&without.kind, &without.reason));
    assert_eq!(with.further[0].value, "PostgreSQL, Redis");
    assert!(with.constraints.contains(&"What about x_one: PostgreSQL, Redis".to_owned()), "{with:?}");
    assert!(!advised.situation().in_use().contains(&"Redis"), "an extra answer recommends nothing");
}

#[test]
fn a_small_request_gets_no_extra_question() {
    let mut session = Session::of("Fix typo in login button");
    session.proposed = vec![extra("x_one", &[], false)];
    assert!(session.ask().is_complete());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_session_asks_at_most_five_and_never_panics(
        intention in any_intention(),
        turns in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), any_json()), 0..4), 1..6),
        force_adr in any::<bool>(),
        proposed in any_proposals(),
    ) {
        let Ok(reading) = Reading::of(&intention, Some(&intention)) else { return Ok(()) };
        let mut session = Session { reading, force_adr, proposed, ..Session::of("x") };
        let extra = session.proposed.iter().flat_map(|one| [one.id.clone(), format!("{}{COMPANION}", one.id)]);
        let known: Vec<String> = session.reading.catalogue.ids().into_iter().chain(extra).collect();
        for turn in turns {
            let before = session.asked.clone();
            let plan = session.ask();
            prop_assert_eq!(&plan, &next_questions(&Situation { asked: &before, ..session.situation() }));
            prop_assert!(plan.questions.iter().all(|question| !before.contains(&question.id)), "asked twice");
            prop_assert!(session.asked.len() <= plan::MOST);
            let given: Map<String, Value> =
                turn.into_iter().map(|(id, value)| (id.get(&known).clone(), value)).collect();
            let _ = session.answer(&Value::Object(given));
            // The person at least tries to answer what was asked.
            for question in plan.questions {
                let value = question.options.first().cloned().unwrap_or_else(|| "something".to_owned());
                session.answer(&json!({ question.id: value })).unwrap();
            }
            let outcome = session.outcome();
            prop_assert_eq!(&outcome, &session.outcome());
            if let Kind::Adr { category, fields } = &outcome.kind {
                prop_assert!(!fields.is_empty());
                prop_assert!(fields.iter().any(|field| &field.category == category));
                for field in fields {
                    let spelled = session.reading.catalogue.field(&field.category, &field.field);
                    prop_assert_eq!(spelled.as_ref(), Some(&field.field));
                    prop_assert!(!field.value.trim().is_empty() && !field.value.contains('\n') && field.value != OTHER);
                    prop_assert!(field.provenance != Provenance::Default || !outcome.notes.is_empty());
                }
            }
        }
        prop_assert!(session.asked.iter().filter(|id| id.ends_with(COMPANION)).count() <= plan::MOST);
    }
}

#[test]
fn what_is_not_wanted_is_neither_recommended_nor_decided() {
    // intention · detected · recommended for the first question
    let table = [
        ("Add caching without Redis", "", "Memcached"),
        ("We don't want Redis or Memcached for caching", "", "In-memory"),
        ("Don't use Prisma, use Drizzle", "Drizzle", "PostgreSQL"),
        ("Move MySQL to PostgreSQL", "PostgreSQL", "Prisma"),
        ("Migrate from PostgreSQL", "", "SQLite"),
        ("Use Redis as a message queue", "Redis Streams", "At least once"),
        ("Should we use Kafka or RabbitMQ?", "", "Kafka"),
        ("Remove Redis from the stack", "", "None"),
    ];
    for (intention, detected, recommended) in table {
        let mut session = Session::of(intention);
        let found: Vec<String> = session.reading.detected.iter().map(Detected::value).collect();
        assert_eq!(found.join(", "), detected, "{intention}");
        let first = session.ask().questions.swap_remove(0);
        assert_eq!(first.options[0], recommended, "{intention}");
        assert_eq!(first.recommended.unwrap().value, recommended, "{intention}");
    }
    let found = Session::of("Make the menu so that it does not use React Router").reading.detected;
    assert_eq!(found, []);
}

#[test]
fn giving_up_what_is_on_record_opens_it_again() {
    let on_record = |intention: &str| {
        let session = Session::of(intention).decided("Authentication", "Library", "Clerk");
        session.decided("Authentication", "Strategy", "OAuth").decided("Infra", "Caching", "Redis")
    };
    let mut session = on_record("Remove Clerk");
    assert_eq!(ids(&session.ask().questions), ["auth_library", "oauth_providers"]);
    let answers = json!({"auth_library": "Auth0", "oauth_providers": ["Google"]});
    session.answer(&answers).unwrap();
    let outcome = session.outcome();
    assert_eq!(fields(&outcome), ["Authentication.Library=Auth0 (person)"]);
    assert_eq!(outcome.alternatives, ["Authentication.Library = Clerk (the request does not want it)"]);
    // What decides no field is told, too, with who said it.
    assert_eq!(
        (outcome.further[0].about.as_str(), outcome.further[0].value.as_str()),
        ("OAuth providers", "Google")
    );
    assert_eq!(outcome.further[0].provenance, Provenance::Person);
    let mut session = on_record("Get rid of Redis");
    assert_eq!(session.ask().questions[0].options[0], "None");
    for intention in ["Remove Redis keys older than 3 days", "Remove Clerk logos", "Read the list from Redis"]
    {
        assert_eq!(on_record(intention).ask().questions, [], "{intention}");
    }
}

#[test]
fn paths_of_a_cache_are_not_those_of_the_pipeline() {
    let words = Session::of("Cache the list in Redis").outcome().path_words;
    assert!(words.contains(&"cache".to_owned()) && !words.contains(&"workflows".to_owned()), "{words:?}");
    assert!(Session::of("Set up the infrastructure").outcome().path_words.contains(&"workflows".to_owned()));
}

#[test]
fn the_first_field_is_of_the_records_own_category() {
    let mut session = Session::of("Build a dashboard with Tailwind on a database with a login");
    session.ask();
    let Kind::Adr { category, fields } = session.outcome().kind else { panic!("a record is due") };
    assert!(fields.iter().any(|field| field.category != category), "{fields:?}");
    assert_eq!(fields[0].category, category);
}
