package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/databaseurl"
)

// databaseVariable is the environment variable with the database's URL.
const databaseVariable = "WFC_DATABASE_URL"

func (a *app) addDatabase(flags *pflag.FlagSet) {
	flags.StringVar(&a.databaseFlag, "database", "", "`URL` of the PostgreSQL database that keeps the runs (default: WFC_DATABASE_URL)")
}

// databaseURL is the URL of the database, or "" when nobody gives one.
func (a *app) databaseURL() string {
	if a.databaseFlag != "" {
		return a.databaseFlag
	}
	if given := os.Getenv(databaseVariable); given != "" {
		return given
	}
	return a.program.Defaults.Database
}

// openStore opens the store that the program was built with.
func (a *app) openStore(ctx context.Context, folder state.Folder) (store.Store, error) {
	if a.program.OpenDatabase == nil {
		return a.program.OpenStore(ctx, folder)
	}
	given := a.databaseURL()
	if given == "" {
		return nil, usage("this program keeps its runs in PostgreSQL: set %s or give --database, to a URL such as postgres://user:password@host/name", databaseVariable)
	}
	type opened struct {
		store store.Store
		err   error
	}
	done := make(chan opened, 1)
	go func() {
		st, err := a.program.OpenDatabase(ctx, given)
		done <- opened{st, err}
	}()
	patience := time.NewTimer(databaseNotice)
	defer patience.Stop()
	for {
		select {
		case o := <-done:
			return o.store, o.err
		case <-patience.C:
			fmt.Fprintf(a.streams.Err, "%s: waiting for the database %s\n", a.name, databaseurl.Shown(given))
		}
	}
}

// databaseNotice is how long a database may keep people waiting without a word.
const databaseNotice = time.Second

// databaseHint is the flag that makes another call find the same runs, when this
// one was given it. A password is not repeated.
func (a *app) databaseHint() string {
	if a.databaseFlag == "" || databaseurl.Shown(a.databaseFlag) != a.databaseFlag {
		return ""
	}
	return " --database " + plain.ShellWord(a.databaseFlag)
}
