package database

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/wfc-lang/wfc/runtime/internal/ent/migrate"
)

var update = flag.Bool("update", false, "write tables.sql")

// TestTables compares tables.sql with package schema, or writes it.
func TestTables(t *testing.T) {
	var b strings.Builder
	for _, table := range migrate.Tables {
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, "\t"+columnText(table, c))
		}
		fmt.Fprintf(&b, "CREATE TABLE %s (\n%s\n);\n", table.Name, strings.Join(columns, ",\n"))
		for _, index := range table.Indexes {
			kind, names := "INDEX", []string{}
			if index.Unique {
				kind = "UNIQUE INDEX"
			}
			for _, c := range index.Columns {
				names = append(names, nameText(c.Name))
			}
			fmt.Fprintf(&b, "CREATE %s %s ON %s (%s);\n", kind, index.Name, table.Name, strings.Join(names, ", "))
		}
	}
	if *update {
		if err := os.WriteFile("tables.sql", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != tables {
		t.Errorf("tables.sql is not that of package schema: run this test with -update\n got %s\nwant %s", tables, b.String())
	}
}

func columnText(table *schema.Table, c *schema.Column) string {
	kind := map[field.Type]string{field.TypeString: "TEXT", field.TypeBytes: "BLOB"}[c.Type]
	if kind == "" {
		kind = "INTEGER"
	}
	text := nameText(c.Name) + " " + kind
	if !c.Nullable {
		text += " NOT NULL"
	}
	if slices.Contains(table.PrimaryKey, c) {
		text += " PRIMARY KEY"
	}
	switch d := c.Default.(type) {
	case nil:
	case string:
		text += " DEFAULT '" + d + "'"
	default:
		text += fmt.Sprint(" DEFAULT ", d)
	}
	return text
}

// nameText quotes the names that are words of SQL.
func nameText(name string) string {
	if name == "from" {
		return `"from"`
	}
	return name
}
