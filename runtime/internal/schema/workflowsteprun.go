package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

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
		number(),
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
		// prompt is what an agent was asked, as it was sent.
		field.Bytes("prompt").Optional(),
	}
}

// Indexes implements ent.Interface.
func (WorkflowStepRun) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id", "key").Unique().StorageKey("step_run_id_key")}
}
