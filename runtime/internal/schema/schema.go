// Package schema defines the tables of the stores. Package ent is generated from
// it by "go generate", which needs modules that nothing else does and leaves
// go.mod alone.
package schema

//go:generate ./generate.sh

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// WorkflowRun is a row of workflow_runs: one run.
//
// Times are nanoseconds since 1970 in UTC, with 0 for "never": database time
// types lose digits or zones. Texts that programs produced are bytes, because
// they may hold anything.
type WorkflowRun struct{ ent.Schema }

// Annotations implements ent.Interface.
func (WorkflowRun) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_runs"}}
}

// Fields implements ent.Interface.
func (WorkflowRun) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Unique().Immutable(),
		field.String("workflow"),
		field.String("fingerprint"),
		field.String("status"),
		field.Bytes("inputs").Optional(),
		field.String("artifacts_dir"),
		field.String("log_dir"),
		field.String("work_dir"),
		field.String("base_branch").Default(""),
		field.String("docs_dir"),
		field.Bytes("reason").Optional(),
		field.Bytes("error").Optional(),
		field.Bytes("outputs").Optional(),
		field.Bytes("summary").Optional(),
		field.String("executable").Default(""),
		field.Bytes("settings").Optional(),
		field.String("holder").Default(""),
		field.Int64("cancel_requested").Default(0),
		field.String("cancel_by").Default(""),
		field.Int("processes").Default(0),
		field.Int64("created"),
		field.Int64("started").Default(0),
		field.Int64("finished").Default(0),
		field.Int64("updated"),
		field.Bytes("graph").Optional(),
		field.Bytes("deliver_to").Optional(),
		field.String("outcome").Default(""),
	}
}

// Indexes implements ent.Interface. Lists are of all runs, those of a workflow or those
// of a status, newest first. Without its index, each list would read and sort all runs
// with all their data.
func (WorkflowRun) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("created").StorageKey("run_created"),
		index.Fields("workflow", "created").StorageKey("run_workflow_created"),
		index.Fields("status", "created").StorageKey("run_status_created"),
	}
}

// WorkflowStepRun is a row of workflow_step_runs: the last state of one step of a run. The
// numbers that the database gives the rows order a run's steps.
type WorkflowStepRun struct{ ent.Schema }

// Annotations implements ent.Interface.
func (WorkflowStepRun) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_step_runs"}}
}

// Fields implements ent.Interface.
func (WorkflowStepRun) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		field.String("run_id").Immutable(),
		field.String("key").Immutable(),
		field.String("kind").Default(""),
		field.String("status"),
		field.Bytes("reason").Optional(),
		field.Bytes("text").Optional(),
		// failure, meta and question are JSON.
		field.Bytes("failure").Optional(),
		field.Bytes("meta").Optional(),
		field.Bytes("question").Optional(),
		field.Int("attempt").Default(0),
		field.Int64("deadline").Default(0),
		field.Int64("started").Default(0),
		field.Int64("finished").Default(0),
		// prompt is the prompt as it was sent to the agent, or the script as it was started.
		field.Bytes("prompt").Optional(),
	}
}

// Indexes implements ent.Interface.
func (WorkflowStepRun) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id", "key").Unique().StorageKey("step_run_id_key")}
}

// Event is a row of workflow_events: something that happened in a run. The
// numbers that the database gives the rows order them.
type Event struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Event) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_events"}}
}

// Fields implements ent.Interface.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		field.String("run_id").Immutable(),
		field.Int64("time"),
		field.String("type"),
		field.String("key").Default(""),
		field.Bytes("message").Optional(),
	}
}

// Indexes implements ent.Interface.
func (Event) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id")}
}

// Answer is a row of workflow_answers: a person's answer to a question. That the pair of
// run and key is unique makes one answer win.
type Answer struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Answer) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_answers"}}
}

// Fields implements ent.Interface.
func (Answer) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		field.String("run_id").Immutable(),
		field.String("key").Immutable(),
		field.Bytes("text").Optional(),
		field.String("by"),
		field.String("from"),
		field.Int64("given"),
		field.String("choice").Default(""),
	}
}

// Indexes implements ent.Interface.
func (Answer) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id", "key").Unique()}
}

// Session is a row of workflow_sessions: an agent's session that later runs of a workflow
// continue.
type Session struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Session) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_sessions"}}
}

// Fields implements ent.Interface.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		field.String("workflow").Immutable(),
		field.String("key").Immutable(),
		field.String("session"),
	}
}

// Indexes implements ent.Interface.
func (Session) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workflow", "key").Unique()}
}

// Spending is a row of workflow_spending: what one attempt at a prompt may cost, or has
// cost. Rows outlive their runs, because budgets and the command costs count them after a prune.
//
// Amounts of money are millionths of a US dollar, so that sums are exact.
type Spending struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Spending) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_spending"}}
}

// Fields implements ent.Interface.
func (Spending) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		field.String("run_id").Immutable(),
		field.String("key").Immutable(),
		field.Int("attempt").Immutable(),
		field.String("project").Default(""),
		field.String("workflow"),
		field.String("node").Default(""),
		field.String("agent").Default(""),
		field.String("model").Default(""),
		// time is that of the reservation, and then that of the attempt's end.
		field.Int64("time"),
		// state is reserved until the attempt's end is committed, and then settled. It becomes
		// lost when another process takes the run up: nobody knows what the attempt cost.
		field.String("state"),
		// The amounts are estimates unless the row is settled. priced is 0 if nobody knows the
		// price, so that micros counts nothing.
		field.Int64("micros").Default(0),
		field.Int64("input_tokens").Default(0),
		field.Int64("output_tokens").Default(0),
		field.Int("priced").Default(0),
		// warned names the budgets that the attempt brought near their limits.
		field.String("warned").Default(""),
	}
}

// Indexes implements ent.Interface.
func (Spending) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("run_id").StorageKey("spending_run_id"),
		index.Fields("time").StorageKey("spending_time"),
		index.Fields("agent", "time").StorageKey("spending_agent_time"),
	}
}

// Message is a row of workflow_messages: a notice on its way to people, or an event that
// arrived and starts or continues a run. A row is there before anybody acts on it, and a key
// is there once in its box.
type Message struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Message) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_messages"}}
}

// Fields implements ent.Interface.
func (Message) Fields() []ent.Field {
	return []ent.Field{
		autoIncrementID(),
		// box is one of the boxes of package runstore.
		field.String("box").Immutable(),
		field.String("key").Immutable(),
		field.String("run_id").Default(""),
		field.String("workflow").Default(""),
		// event is the kind of the notice, or of what arrived.
		field.String("event").Default(""),
		// target is the channel of a notice, or the trigger that received the message.
		field.String("target").Default(""),
		field.Bytes("body").Optional(),
		// state is queued, done or failed.
		field.String("state"),
		field.Int("attempts").Default(0),
		field.Int64("created"),
		// due is when a queued message may be tried next.
		field.Int64("due").Default(0),
		field.Int64("updated").Default(0),
		field.Bytes("error").Optional(),
	}
}

// Indexes implements ent.Interface.
func (Message) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("box", "key").Unique().StorageKey("message_box_key"),
		index.Fields("state", "due").StorageKey("message_state_due"),
		index.Fields("run_id").StorageKey("message_run_id"),
	}
}

// autoIncrementID is the id of tables whose rows the database numbers, in the order in
// which they come. SQLite uses the last numbers again after their rows are pruned;
// AUTOINCREMENT would write to one more table with every row.
func autoIncrementID() ent.Field {
	off := false
	return field.Int64("id").Annotations(entsql.Annotation{Incremental: &off})
}
