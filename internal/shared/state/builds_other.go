//go:build !unix

package state

import "os"

// hasSingleLink reports whether a file has no other name, which is not asked here.
func hasSingleLink(os.FileInfo) bool { return false }
