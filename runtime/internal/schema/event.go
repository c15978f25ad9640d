package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

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
		number(),
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
