package cli

import "github.com/wfc-lang/wfc/runtime/internal/metrics"

// figures are the figures of the program's runs.
func (s *session) figures() *metrics.Figures {
	names := map[string]bool{}
	for _, def := range reachableDefinitions(s.program.Definition) {
		names[def.Name] = true
	}
	return metrics.New(metrics.Source{Store: s.store, Runs: s.engine.ListRuns, Counts: func(workflow string) bool { return names[workflow] }})
}
