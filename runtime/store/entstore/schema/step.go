package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Step is a row of workflow_step_runs: the last state of one step of a run. The
// numbers that the database gives the rows order a run's steps.
type Step struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Step) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_step_runs"}}
}

// Fields implements ent.Interface.
func (Step) Fields() []ent.Field {
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
	}
}

// Indexes implements ent.Interface.
func (Step) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id", "key").Unique()}
}
