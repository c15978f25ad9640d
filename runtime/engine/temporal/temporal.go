// Package temporal is the engine for many machines: it runs workflows on a Temporal
// cluster. A binary that `wfc build --engine temporal` makes names it; no other binary
// links it.
package temporal

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/remote"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// Open connects to a cluster; it is for the field Cluster of a cli.Program. The commands of
// the program give the address.
func Open(ctx context.Context, c cluster.Connection) (cluster.Cluster, error) {
	return remote.Open(ctx, c)
}
