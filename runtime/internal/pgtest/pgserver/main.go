// Command pgserver runs a PostgreSQL server on loopback whose commits are safe against power
// loss. It prints the URL of the database, and ends the server when its own input ends.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
)

func main() {
	s, err := pgtest.Start("fsync=on")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Stop()
}
