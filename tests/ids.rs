//! ids: stories through the real dispatch.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use crate::office::TestOffice;

#[test]
fn numbers_count_up_per_project_and_type() {
    let office = TestOffice::new();
    assert_snapshot!(office.call("get_next_available_id", json!({"artifact_type": "backlog_story", "task_id": "abc-123"})), @r#"
    {
      "success": true,
      "artifact_type": "backlog_story",
      "next_id": "US-001"
    }
    "#);
    let session = Arc::new(office.owner());
    let next = |arguments| office.value(&session, "get_next_available_id", arguments)["next_id"].clone();
    assert_eq!(next(json!({"artifact_type": "US"})), "US-002");
    assert_eq!(next(json!({"artifact_type": "HLS"})), "HLS-001");
    assert_eq!(next(json!({"artifact_type": "us", "project_id": "other"})), "US-001");
}

#[test]
fn a_reservation_takes_its_numbers_at_once() {
    let office = TestOffice::new();
    assert_snapshot!(office.call("reserve_id_range", json!({"artifact_type": "hls", "count": 3})), @r#"
    {
      "success": true,
      "reservation_id": "00000000-0000-4000-8000-000000000001",
      "artifact_type": "hls",
      "reserved_ids": [
        "HLS-001",
        "HLS-002",
        "HLS-003"
      ],
      "expires_at": "2025-10-20T14:45:05.123Z"
    }
    "#);
    let session = Arc::new(office.owner());
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "hls"}));
    assert_eq!(next["next_id"], "HLS-004");
}

#[test]
fn confirming_is_possible_for_fifteen_minutes_and_repeatable_afterwards() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    let id = office.value(&session, "reserve_id_range", json!({"artifact_type": "US", "count": 1}))["reservation_id"].clone();
    office.clock.advance(Duration::from_secs(15 * 60 - 1));
    assert_snapshot!(office.call("confirm_reservation", json!({"reservation_id": id})), @r#"
    {
      "success": true,
      "reservation_id": "00000000-0000-4000-8000-000000000001",
      "confirmed": true
    }
    "#);
    office.clock.advance(Duration::from_secs(3600));
    let again = office.value(&session, "confirm_reservation", json!({"reservation_id": id}));
    assert_eq!(again["confirmed"], true, "a confirmed reservation does not expire");
    assert_snapshot!(office.call("release_reservation", json!({"reservation_id": id})), @r#"
    -32000 Reservation 00000000-0000-4000-8000-000000000001 is confirmed already; its numbers are in use
    {"reason":"reservation_confirmed"}
    "#);
}

#[test]
fn expired_and_unknown_are_different_answers_and_neither_gives_numbers_back() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    let id = office.value(&session, "reserve_id_range", json!({"artifact_type": "US", "count": 2}))["reservation_id"].clone();
    office.clock.advance(Duration::from_secs(15 * 60));
    assert_snapshot!(office.call("confirm_reservation", json!({"reservation_id": id})), @r#"
    -32000 Reservation 00000000-0000-4000-8000-000000000001 expired at 2025-10-20T14:45:05.123Z; its numbers stay used
    {"reason":"reservation_expired","hint":"reserve a new range with reserve_id_range"}
    "#);
    assert_snapshot!(office.call("confirm_reservation", json!({"reservation_id": "nobody"})), @r#"
    -32001 Resource not found: reservation `nobody` is unknown
    {"field":"reservation_id","reason":"reservation_unknown"}
    "#);
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "US"}));
    assert_eq!(next["next_id"], "US-003");
}

#[test]
fn a_released_reservation_leaves_a_gap() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    let id = office.value(&session, "reserve_id_range", json!({"artifact_type": "US", "count": 2}))["reservation_id"].clone();
    assert_snapshot!(office.call("release_reservation", json!({"reservation_id": id})), @r#"
    {
      "success": true,
      "reservation_id": "00000000-0000-4000-8000-000000000001",
      "released": true
    }
    "#);
    assert_snapshot!(office.call("confirm_reservation", json!({"reservation_id": id})), @r#"
    -32000 Reservation 00000000-0000-4000-8000-000000000001 was released
    {"reason":"reservation_released","hint":"reserve a new range with reserve_id_range"}
    "#);
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "US"}));
    assert_eq!(next["next_id"], "US-003");
}

#[test]
fn reservations_are_listed_newest_first_in_pages() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    for kind in ["US", "HLS", "US"] {
        office.value(&session, "reserve_id_range", json!({"artifact_type": kind, "count": 1}));
    }
    let page = office.value(&session, "list_reservations", json!({"limit": 2}));
    let ids = |page: &serde_json::Value| -> Vec<String> {
        let rows = page["reservations"].as_array().unwrap();
        rows.iter().map(|row| row["reserved_ids"][0].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&page), ["US-002", "HLS-001"]);
    let cursor = &page["next_cursor"];
    let rest = office.value(&session, "list_reservations", json!({"limit": 2, "cursor": cursor}));
    assert_eq!((ids(&rest), rest.get("next_cursor")), (vec!["US-001".to_owned()], None));
    let stories = office.value(&session, "list_reservations", json!({"artifact_type": "backlog_story"}));
    assert_eq!(ids(&stories), ["US-002", "US-001"]);
    let other = json!({"artifact_type": "US", "cursor": cursor});
    assert_snapshot!(office.call("list_reservations", other), @r#"
    -32602 Invalid params: `cursor` does not belong to this listing
    {"field":"cursor","reason":"invalid_cursor","hint":"repeat the call with the same filters, or start again without a cursor"}
    "#);
}

#[test]
fn the_state_filter_follows_the_clock() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    office.value(&session, "reserve_id_range", json!({"artifact_type": "US", "count": 1}));
    let count = |state: &str| {
        let page = office.value(&session, "list_reservations", json!({"state": state}));
        page["reservations"].as_array().unwrap().len()
    };
    assert_eq!((count("active"), count("expired")), (1, 0));
    office.clock.advance(Duration::from_secs(16 * 60));
    assert_eq!((count("active"), count("expired")), (0, 1));
}

#[test]
fn bad_arguments_are_refused_with_what_to_do_and_use_no_number() {
    let office = TestOffice::new();
    let cases = [
        ("get_next_available_id", json!({"artifact_type": "research"})),
        ("get_next_available_id", json!({"artifact_type": "US", "project": "x"})),
        ("get_next_available_id", json!({"artifact_type": 7})),
        ("get_next_available_id", json!({})),
        ("get_next_available_id", json!({"artifact_type": "US", "project_id": "../up"})),
        ("get_next_available_id", json!({"artifact_type": "US", "project_id": ".."})),
        ("get_next_available_id", json!({"artifact_type": "US", "task_id": "x".repeat(129)})),
        ("reserve_id_range", json!({"artifact_type": "US", "count": 0})),
        ("reserve_id_range", json!({"artifact_type": "US", "count": 101})),
        ("reserve_id_range", json!({"artifact_type": "US", "count": 1.5})),
        ("reserve_id_range", json!({"artifact_type": "US", "count": "3"})),
        ("reserve_id_range", json!({"artifact_type": "US", "count": 1e300})),
        ("list_reservations", json!({"state": "activ"})),
        ("list_reservations", json!({"limit": 51})),
        ("list_reservations", json!({"cursor": "AAAA"})),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|(tool, arguments)| {
            format!("{arguments}\n  {}", office.call(tool, arguments.clone()).replace('\n', "\n  "))
        })
        .collect();
    assert_snapshot!(told.join("\n").replace(&"x".repeat(129), "xxx…"), @r#"
    {"artifact_type":"research"}
      -32602 Invalid params: Invalid artifact_type: research. Valid types: product_vision (VIS), initiative (INIT), epic (EPIC), prd (PRD), hls (HLS), funcspec (FS), backlog_story (US), spike (SPIKE), adr (ADR), tech_spec (SPEC), task (TASK)
      {"field":"artifact_type","received":"research","reason":"unknown_type"}
    {"artifact_type":"US","project":"x"}
      -32602 Invalid params: unknown argument `project`
      {"field":"project","reason":"unknown_argument","hint":"did you mean `project_id`?"}
    {"artifact_type":7}
      -32602 Invalid params: `artifact_type` is a number, expected a text
      {"field":"artifact_type","received":"a number","expected":"a text","reason":"invalid_argument"}
    {}
      -32602 Invalid params: `artifact_type` is missing, expected a text
      {"field":"artifact_type","received":"nothing","expected":"a text","reason":"invalid_argument"}
    {"artifact_type":"US","project_id":"../up"}
      -32602 Invalid params: `project_id` is not a name, expected a text without slashes
      {"field":"project_id","received":"../up","reason":"invalid_argument"}
    {"artifact_type":"US","project_id":".."}
      -32602 Invalid params: `project_id` is not a name, expected a text without slashes
      {"field":"project_id","received":"..","reason":"invalid_argument"}
    {"artifact_type":"US","task_id":"xxx…"}
      -32602 Invalid params: `task_id` is 129 characters, expected at most 128 characters
      {"field":"task_id","received":"129 characters","expected":"at most 128 characters","reason":"invalid_argument"}
    {"artifact_type":"US","count":0}
      -32602 Invalid params: `count` is 0, expected a whole number from 1 to 100
      {"field":"count","received":"0","expected":"a whole number from 1 to 100","reason":"invalid_argument"}
    {"artifact_type":"US","count":101}
      -32602 Invalid params: `count` is 101, expected a whole number from 1 to 100
      {"field":"count","received":"101","expected":"a whole number from 1 to 100","reason":"invalid_argument"}
    {"artifact_type":"US","count":1.5}
      -32602 Invalid params: `count` is 1.5, expected a whole number from 1 to 100
      {"field":"count","received":"1.5","expected":"a whole number from 1 to 100","reason":"invalid_argument"}
    {"artifact_type":"US","count":"3"}
      -32602 Invalid params: `count` is a text, expected a whole number from 1 to 100
      {"field":"count","received":"a text","expected":"a whole number from 1 to 100","reason":"invalid_argument"}
    {"artifact_type":"US","count":1e+300}
      -32602 Invalid params: `count` is 1e+300, expected a whole number from 1 to 100
      {"field":"count","received":"1e+300","expected":"a whole number from 1 to 100","reason":"invalid_argument"}
    {"state":"activ"}
      -32602 Invalid params: `state` is "activ", expected one of active, confirmed, expired, released
      {"field":"state","received":"\"activ\"","expected":"one of active, confirmed, expired, released","reason":"invalid_argument","hint":"did you mean `active`?"}
    {"limit":51}
      -32602 Invalid params: `limit` is 51, expected a whole number from 1 to 50
      {"field":"limit","received":"51","expected":"a whole number from 1 to 50","reason":"invalid_argument"}
    {"cursor":"AAAA"}
      -32602 Invalid params: `cursor` does not belong to this listing
      {"field":"cursor","reason":"invalid_cursor","hint":"repeat the call with the same filters, or start again without a cursor"}
    "#);
    let session = Arc::new(office.owner());
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "US"}));
    assert_eq!(next["next_id"], "US-001");
}

#[test]
fn sixteen_threads_get_sixteen_hundred_different_numbers() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    let mut numbers: Vec<String> = std::thread::scope(|scope| {
        let take = || {
            (0..100)
                .map(|_| office.value(&session, "get_next_available_id", json!({"artifact_type": "US"})))
                .map(|answer| answer["next_id"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(take)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 1600);
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "US"}));
    assert_eq!(next["next_id"], "US-1601", "no number was skipped either");
}
