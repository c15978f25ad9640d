//go:build !linux

package process

// marked returns nothing where the environment of a process cannot be read.
func marked(int, Owner) []int { return nil }
