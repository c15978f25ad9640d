//go:build !linux

package process

// marked returns nothing where the environment of a process cannot be read.
func marked(int, Owner) []int { return nil }

// markedGroups returns nothing there either.
func markedGroups(string, []string, map[int]bool) map[int]string { return nil }
