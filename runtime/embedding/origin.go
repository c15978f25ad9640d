package embedding

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// watchRuns returns Watch, after which the state folder says which program began each run and how
// its workflow looks, so that commands and pages of wfc find and show the run.
func (o *Options) watchRuns(st store.Store, folder state.Folder, program string) func(local.Notice) {
	if _, forgets := st.(interface{ Forgets() }); forgets {
		return o.Watch
	}
	origin := state.Origin{Program: program, Embedded: true, Store: state.StoreOf(o.OpenDatabase != nil)}
	known := map[string]*flow.Definition{}
	for _, w := range o.Workflows {
		for _, def := range flow.Reachable(w) {
			known[def.Name] = def
		}
	}
	return func(n local.Notice) {
		if n.Begin {
			// A run that wfc finds less quickly, or shows less well, is no reason to fail.
			kept := origin
			kept.Run, kept.Parent, kept.Created = n.RunID, n.Parent, time.Now()
			if run, err := runstore.Brief(context.Background(), st, n.RunID); err == nil {
				kept.Workflow = run.Workflow
				if def := known[run.Workflow]; def != nil {
					_ = folder.KeepDefinition(def.Fingerprint, func() ([]byte, error) { return json.Marshal(def) })
				}
			}
			if above, ok := folder.Origin(n.Parent); ok {
				kept.Workflow = above.Workflow
			}
			_ = folder.KeepOrigin(kept)
		}
		if o.Watch != nil {
			o.Watch(n)
		}
	}
}
