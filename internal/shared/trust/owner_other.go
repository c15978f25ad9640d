//go:build !unix

package trust

import "io/fs"

func owned(fs.FileInfo) (owner string, foreign bool) { return "", false }

func writable(fs.FileInfo) bool { return false }
