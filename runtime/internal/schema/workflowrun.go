// Package schema defines the tables of the store, from which Ent's code in
// package ent is generated.
package schema

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
// of a status, newest first. Without an index of its own, each would read and sort all runs
// with all that they hold.
func (WorkflowRun) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("created").StorageKey("run_created"),
		index.Fields("workflow", "created").StorageKey("run_workflow_created"),
		index.Fields("status", "created").StorageKey("run_status_created"),
	}
}
