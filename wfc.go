// Package wfc holds the sources of the runtime that built workflows are
// compiled against, so that the wfc binary can build anywhere, with its
// checkout gone.
package wfc

import "embed"

// Module is the part of this module that built workflows need: go.mod, go.sum
// and the runtime. Its tests are in it too; whoever extracts it leaves them out.
//
//go:embed go.mod go.sum runtime
var Module embed.FS
