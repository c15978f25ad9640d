package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Answer is a row of workflow_answers: what a person said to a question. That
// the pair of run and key is unique makes one answer win.
type Answer struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Answer) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_answers"}}
}

// Fields implements ent.Interface.
func (Answer) Fields() []ent.Field {
	return []ent.Field{
		number(),
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
