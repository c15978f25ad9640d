//go:build !unix

package trust

import "io/fs"

func foreignOwner(fs.FileInfo) (owner string, foreign bool) { return "", false }

func isWritableByOthers(fs.FileInfo) bool { return false }
