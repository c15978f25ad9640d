// Package bom removes byte order marks.
package bom

import "bytes"

// Trim returns the text of a file without a byte order mark, which Windows programs write
// at the beginning and JSON does not allow.
func Trim(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }
