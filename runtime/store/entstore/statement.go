package entstore

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/internal/database"
)

// statement is a statement prepared once on the writer's connection and run by
// its driver directly. Package database/sql converts and checks arguments and
// finds out on which connection a statement is prepared; for the few thousand
// rows a second that steps write that is a good part of their cost.
//
// Arguments are int64, string, []byte or nil.
type statement struct {
	stmt driver.StmtExecContext
	args []driver.NamedValue
}

// prepare prepares a statement on a connection.
func prepare(conn *stdsql.Conn, text string) (s statement, err error) {
	err = conn.Raw(func(c any) error {
		preparer, ok := c.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's connection %T prepares nothing", c)
		}
		stmt, err := preparer.PrepareContext(context.Background(), text)
		if err != nil {
			return err
		}
		if s.stmt, ok = stmt.(driver.StmtExecContext); !ok {
			return fmt.Errorf("the driver's statement %T cannot be run", stmt)
		}
		s.args = make([]driver.NamedValue, 0, len(database.StepColumns))
		return nil
	})
	return s, err
}

// exec runs the statement on the connection on which it was prepared, and
// returns how many rows it changed.
func (s statement) exec(conn *stdsql.Conn, args []driver.Value) (changed int64, err error) {
	named := s.args[:0]
	for i, value := range args {
		named = append(named, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	err = conn.Raw(func(any) error {
		result, err := s.stmt.ExecContext(context.Background(), named)
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	clear(named) // they hold texts of any size
	return changed, err
}

func (s statement) close(conn *stdsql.Conn) error {
	return conn.Raw(func(any) error { return s.stmt.(driver.Stmt).Close() })
}
