//! Clarification: reads an intention, asks at most five questions, decides task or decision record.

pub mod catalogue;
pub mod vocabulary;
pub mod words;
