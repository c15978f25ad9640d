// Package wfc holds the sources of the runtime that built workflows are compiled against,
// so that the wfc binary can build anywhere, without a checkout.
//
// Go programs need this package only to build binaries: Module is the Module of a
// build.Builder (package gen/build). To check and compile workflows, use package
// compiler; to run generated ones, package runtime/embed.
package wfc

import "embed"

// Module is the part of this module that built workflows need: go.mod, go.sum and the
// runtime. It contains the tests, too, which package gen/build does not extract.
//
//go:embed go.mod go.sum runtime
var Module embed.FS
