//! Two spellings of an argument's name: the one that is published, and the one that other systems' users
//! are used to.

use serde_json::Value;

use super::{JsonObject, ToolDef};
use crate::error::{Error, Result};

/// Gives arguments in camelCase their published names.
pub(super) fn settle(tool: &ToolDef, arguments: &mut JsonObject) -> Result<()> {
    let known = tool.schemas().input.get("properties").and_then(Value::as_object);
    let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
    if arguments.keys().all(|name| is_known(name)) {
        return Ok(());
    }
    let mut settled = JsonObject::new();
    for (name, value) in std::mem::take(arguments) {
        let published = Some(snake_case(&name)).filter(|snake| !is_known(&name) && is_known(snake));
        let published = published.unwrap_or(name);
        if settled.insert(published.clone(), value).is_some() {
            return Err(Error::invalid(format!("`{published}` is given twice, in two spellings"))
                .hint("give it once")
                .detail("field", published)
                .reason("invalid_argument"));
        }
    }
    *arguments = settled;
    Ok(())
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn humps_become_underscores() {
        for (camel, snake) in
            [("employeeId", "employee_id"), ("limit", "limit"), ("new_salary", "new_salary")]
        {
            assert_eq!(snake_case(camel), snake);
        }
    }
}
