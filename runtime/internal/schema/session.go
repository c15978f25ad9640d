package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Session is a row of workflow_sessions: an agent's session that later runs of a
// workflow go on with.
type Session struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Session) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "workflow_sessions"}}
}

// Fields implements ent.Interface.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		number(),
		field.String("workflow").Immutable(),
		field.String("key").Immutable(),
		field.String("session"),
	}
}

// Indexes implements ent.Interface.
func (Session) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workflow", "key").Unique()}
}
