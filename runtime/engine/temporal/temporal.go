// Package temporal is the engine for many machines: it runs workflows on a Temporal
// cluster. Only programs that `wfc build --engine temporal` builds contain this package:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{&shell.Performer{}},
//			Cluster:    temporal.Cluster(),
//		}))
//	}
package temporal

import (
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/remote"
)

// Cluster is the value for the field Cluster of a cli.Program, whose command line says where
// the cluster is.
func Cluster() engine.Extension { return remote.Opener{} }
