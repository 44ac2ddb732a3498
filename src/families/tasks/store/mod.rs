//! All SQL of tasks: the queue's and the to-dos'.

pub mod queue;
pub mod todo;
