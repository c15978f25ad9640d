// Package temporal is the engine for many machines: it runs workflows on a Temporal
// cluster. Only programs that `wfc build --engine temporal` builds contain this package:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{&shell.Performer{}},
//			Cluster:    temporal.Open,
//		}))
//	}
package temporal

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/remote"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// Open connects to a cluster. It is the value for the field Cluster of a cli.Program,
// which calls it with the address from the program's command line; other code cannot call
// it.
//
// Connection and Cluster are opaque: cli.Main and cli.Run make the connection and use the
// cluster.
func Open(ctx context.Context, c cluster.Connection) (cluster.Cluster, error) {
	return remote.Open(ctx, c)
}
