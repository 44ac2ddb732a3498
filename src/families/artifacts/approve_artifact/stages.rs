//! The stages of an approval in the log, all with the caller's correlation id.

use serde_json::{Value, json};

use crate::families::ids::model::written;
use crate::families::ids::store::Reservation;
use crate::id::ArtifactId;
use crate::tool::JsonObject;

/// Tells the log how far an approval has come.
#[derive(Debug)]
pub struct Stages<'a> {
    pub artifact_id: &'a str,
    pub correlation: Option<&'a str>,
    /// A preview goes through the same stages and tells nobody.
    pub quiet: bool,
}

impl Stages<'_> {
    pub fn started(&self) {
        self.tell("approval_workflow_started", json!({}));
    }

    pub fn prerequisites_validated(&self) {
        self.tell("approval_prerequisites_validated", json!({}));
    }

    pub fn detected(&self, prefix: Option<&str>, count: usize) {
        self.tell(
            "sub_artifacts_detected",
            json!({ "sub_artifact_type": prefix, "sub_artifacts_count": count }),
        );
    }

    pub fn reserved(&self, reservation: &Reservation) {
        let ids = written(&reservation.prefix, reservation.first_number, reservation.count);
        self.tell(
            "id_range_reserved",
            json!({ "reservation_id": reservation.reservation_id, "reserved_ids": ids }),
        );
    }

    pub fn replaced(&self, mapping: &[(String, ArtifactId)]) {
        let shown: JsonObject =
            mapping.iter().map(|(from, to)| (from.clone(), Value::from(to.to_string()))).collect();
        self.tell(
            "placeholders_replaced",
            json!({ "placeholder_ids_replaced": mapping.len(), "id_mapping": shown }),
        );
    }

    pub fn status_updated(&self, from: &str, to: &str) {
        self.tell("artifact_status_updated", json!({ "old_status": from, "new_status": to }));
    }

    pub fn inputs_resolved(&self, inputs: usize, warnings: &[String]) {
        self.tell("generator_inputs_resolved", json!({ "inputs_count": inputs, "warnings": warnings }));
    }

    pub fn tasks_created(&self, task_ids: &[String]) {
        self.tell("tasks_created", json!({ "tasks_created": task_ids.len(), "task_ids": task_ids }));
    }

    pub fn confirmed(&self, reservation_id: Option<&str>) {
        self.tell("id_reservation_confirmed", json!({ "reservation_id": reservation_id }));
    }

    pub fn completed(&self) {
        self.tell("approval_workflow_completed", json!({ "success": true }));
    }

    fn tell(&self, event: &str, mut fields: Value) {
        if self.quiet {
            return;
        }
        fields["artifact_id"] = self.artifact_id.into();
        if let Some(correlation) = self.correlation {
            fields["task_id"] = correlation.into();
        }
        let fields = fields.to_string();
        tracing::info!(event, tool_name = "approve_artifact", fields);
    }
}
