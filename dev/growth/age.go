package growth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// times are the columns of a store that have times, in nanoseconds since 1970; 0 is none.
var times = map[string][]string{
	"workflow_runs":      {"created", "started", "finished", "updated", "cancel_requested"},
	"workflow_step_runs": {"started", "finished", "deadline"},
	"workflow_events":    {"time"},
	"workflow_answers":   {"given"},
}

// Age moves all times in the SQLite store in a file back, as if its runs had begun earlier. No
// process may have the store open. The caller links package entstore, which has the driver.
func Age(ctx context.Context, file string, by time.Duration) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for table, columns := range times {
		var set []string
		for _, c := range columns {
			set = append(set, fmt.Sprintf("%s = CASE %s WHEN 0 THEN 0 ELSE %s - %d END", c, c, c, by.Nanoseconds()))
		}
		if _, err := db.ExecContext(ctx, "UPDATE "+table+" SET "+strings.Join(set, ", ")); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}
