//go:build unix

// Command floor does what a durable run cannot do without, and nothing else: before each of a
// number of steps it commits a row to an SQLite database, then it runs `bash -c true`, and it
// commits the end of the last one:
//
//	floor DATABASE STEPS
//
// It uses the driver of wfc with the same settings. So no program in Go that keeps its steps in
// this way takes less time.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	_ "modernc.org/sqlite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "floor: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: floor DATABASE STEPS")
	}
	steps, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+args[0]+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(256)&_txlock=immediate")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY, state TEXT NOT NULL)"); err != nil {
		return err
	}
	commit, err := db.Prepare("INSERT INTO steps (state) VALUES (?)")
	if err != nil {
		return err
	}
	for range steps {
		if _, err := commit.Exec("running"); err != nil {
			return err
		}
		if err := exec.Command("bash", "-c", "true").Run(); err != nil {
			return err
		}
	}
	_, err = commit.Exec("completed")
	return err // the end of the process closes the database
}
