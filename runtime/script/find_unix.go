//go:build !windows

package script

// pythons are the names of Python 3.
var pythons = []string{"python3"}
