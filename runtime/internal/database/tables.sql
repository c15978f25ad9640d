CREATE TABLE workflow_answers (
	id INTEGER NOT NULL PRIMARY KEY,
	run_id TEXT NOT NULL,
	key TEXT NOT NULL,
	text BLOB,
	by TEXT NOT NULL,
	"from" TEXT NOT NULL,
	given INTEGER NOT NULL,
	choice TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX answer_run_id_key ON workflow_answers (run_id, key);
CREATE TABLE workflow_events (
	id INTEGER NOT NULL PRIMARY KEY,
	run_id TEXT NOT NULL,
	time INTEGER NOT NULL,
	type TEXT NOT NULL,
	key TEXT NOT NULL DEFAULT '',
	message BLOB
);
CREATE INDEX event_run_id ON workflow_events (run_id);
CREATE TABLE workflow_messages (
	id INTEGER NOT NULL PRIMARY KEY,
	box TEXT NOT NULL,
	key TEXT NOT NULL,
	run_id TEXT NOT NULL DEFAULT '',
	workflow TEXT NOT NULL DEFAULT '',
	event TEXT NOT NULL DEFAULT '',
	target TEXT NOT NULL DEFAULT '',
	body BLOB,
	state TEXT NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL,
	due INTEGER NOT NULL DEFAULT 0,
	updated INTEGER NOT NULL DEFAULT 0,
	error BLOB
);
CREATE UNIQUE INDEX message_box_key ON workflow_messages (box, key);
CREATE INDEX message_state_due ON workflow_messages (state, due);
CREATE INDEX message_run_id ON workflow_messages (run_id);
CREATE TABLE workflow_sessions (
	id INTEGER NOT NULL PRIMARY KEY,
	workflow TEXT NOT NULL,
	key TEXT NOT NULL,
	session TEXT NOT NULL
);
CREATE UNIQUE INDEX session_workflow_key ON workflow_sessions (workflow, key);
CREATE TABLE workflow_spending (
	id INTEGER NOT NULL PRIMARY KEY,
	run_id TEXT NOT NULL,
	key TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	project TEXT NOT NULL DEFAULT '',
	workflow TEXT NOT NULL,
	node TEXT NOT NULL DEFAULT '',
	agent TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	time INTEGER NOT NULL,
	state TEXT NOT NULL,
	micros INTEGER NOT NULL DEFAULT 0,
	input_tokens INTEGER NOT NULL DEFAULT 0,
	output_tokens INTEGER NOT NULL DEFAULT 0,
	priced INTEGER NOT NULL DEFAULT 0,
	warned TEXT NOT NULL DEFAULT ''
);
CREATE INDEX spending_run_id ON workflow_spending (run_id);
CREATE INDEX spending_time ON workflow_spending (time);
CREATE INDEX spending_agent_time ON workflow_spending (agent, time);
CREATE TABLE workflow_runs (
	id TEXT NOT NULL PRIMARY KEY,
	workflow TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	status TEXT NOT NULL,
	inputs BLOB,
	artifacts_dir TEXT NOT NULL,
	log_dir TEXT NOT NULL,
	work_dir TEXT NOT NULL,
	base_branch TEXT NOT NULL DEFAULT '',
	docs_dir TEXT NOT NULL,
	reason BLOB,
	error BLOB,
	outputs BLOB,
	summary BLOB,
	executable TEXT NOT NULL DEFAULT '',
	settings BLOB,
	holder TEXT NOT NULL DEFAULT '',
	cancel_requested INTEGER NOT NULL DEFAULT 0,
	cancel_by TEXT NOT NULL DEFAULT '',
	processes INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL,
	started INTEGER NOT NULL DEFAULT 0,
	finished INTEGER NOT NULL DEFAULT 0,
	updated INTEGER NOT NULL,
	graph BLOB,
	deliver_to BLOB,
	outcome TEXT NOT NULL DEFAULT ''
);
CREATE INDEX run_created ON workflow_runs (created);
CREATE INDEX run_workflow_created ON workflow_runs (workflow, created);
CREATE INDEX run_status_created ON workflow_runs (status, created);
CREATE TABLE workflow_step_runs (
	id INTEGER NOT NULL PRIMARY KEY,
	run_id TEXT NOT NULL,
	key TEXT NOT NULL,
	kind TEXT NOT NULL DEFAULT '',
	status TEXT NOT NULL,
	reason BLOB,
	text BLOB,
	failure BLOB,
	meta BLOB,
	question BLOB,
	attempt INTEGER NOT NULL DEFAULT 0,
	deadline INTEGER NOT NULL DEFAULT 0,
	started INTEGER NOT NULL DEFAULT 0,
	finished INTEGER NOT NULL DEFAULT 0,
	prompt BLOB
);
CREATE UNIQUE INDEX step_run_id_key ON workflow_step_runs (run_id, key);
