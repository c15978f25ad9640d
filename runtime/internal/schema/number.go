package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
)

// number is the id of tables whose rows the database numbers, in the order in
// which they come. Rows are never deleted, so numbers are not used twice
// without SQLite's AUTOINCREMENT, which would write to one more table with
// every row.
func number() ent.Field {
	off := false
	return field.Int64("id").Annotations(entsql.Annotation{Incremental: &off})
}
