-- preflight: a language model may propose questions at the first turn of a session. They are kept
-- with it, so that the model is asked once, and a restart between two turns loses none of them.

-- JSON: the questions that were proposed and found fit to be put.
ALTER TABLE preflight_sessions ADD COLUMN proposed TEXT NOT NULL DEFAULT '[]';
