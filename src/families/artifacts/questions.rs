use super::document::Document;
#[derive(Debug)]
pub struct Question {
    pub line: usize,
}
pub fn blocking(_: &Document<'_>) -> Vec<Question> {
    Vec::new()
}
