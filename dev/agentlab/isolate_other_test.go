//go:build unix && !linux

package agentlab

import "errors"

// isolate says that only Linux has network namespaces.
func isolate() (code int, err error) {
	return 0, errors.New("this system has no network namespaces")
}

// loopback has nothing to do.
func loopback() error { return nil }
