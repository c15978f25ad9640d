package serving

import (
	"context"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// HeaderVariables are the variables with credentials for collectors. No step gets them.
var HeaderVariables = []string{
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
}

// HeaderSecrets returns the values of headers as entries of an environment, for maskers.
func HeaderSecrets(lookup func(name string) string) (entries []string) {
	for _, variable := range HeaderVariables {
		for pair := range strings.SplitSeq(lookup(variable), ",") {
			if _, value, ok := strings.Cut(pair, "="); ok && value != "" {
				entries = append(entries, "OTEL_HEADER_SECRET="+strings.TrimSpace(value))
			}
		}
	}
	return entries
}

// An Exporter exports the traces of runs for the commands of a program, which links it only if it
// was built with --otel.
type Exporter interface {
	engine.Extension
	// Open returns a sink, or nil if the environment asks for no export.
	Open(ctx context.Context, o ExportOptions) (Sink, error)
}

// ExportOptions are what an exporter needs.
type ExportOptions struct {
	Store store.Store
	// Workflow and Build name the program.
	Workflow, Build string
	// Agents are the settings of the agents that the program asks.
	Agents settings.Agents
	// RunDir returns the folder of a run, in which the exporter notes what it has exported.
	RunDir func(id string) string
	// Getenv reads the environment, Mask hides secrets, and Warn shows a problem to people.
	Getenv func(name string) string
	Mask   func(text string) string
	Warn   func(message string)
}

// A Sink exports traces while runs run. Its methods are safe for concurrent use, and never wait
// for a collector but in Close.
type Sink interface {
	// Begun tells the sink of a run and the run that began it, or "".
	Begun(run, parent string)
	// Changed tells it that a run's journal has changed.
	Changed(run string)
	// Close exports what is left, as far as ctx allows. It returns the runs of which spans are
	// not exported.
	Close(ctx context.Context) (left []string)
}
