package cli

import "github.com/wfc-lang/wfc/runtime/deliver/target"

// deliverTo is where the result of a run goes when its workflow does not say:
// back to the session that the run is started from, or where the project wants it.
func (a *app) deliverTo(session string) []string {
	targets, _ := target.Resolve(a.program.Definition.DeliverTo, session, a.program.Defaults.DeliverTo)
	return target.Strings(targets)
}
