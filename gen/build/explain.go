package build

import (
	"fmt"
	"strings"
)

// A MissingModuleError says that a build needs a module that is neither in the
// module cache nor to be had.
type MissingModuleError struct {
	// Module is the module's path and, where known, its version.
	Module string
	// Printed is what the go command said.
	Printed string
}

func (e *MissingModuleError) Error() string {
	return fmt.Sprintf("the module %s is not in the module cache and cannot be downloaded; run `wfc build --prefetch` once with access to a module proxy, then builds work offline\n%s", e.Module, indent(e.Printed))
}

// A CompileError says that generated code does not compile, which is a fault of
// wfc and not of its user.
type CompileError struct {
	// Printed is what the compiler said; its positions are of the workflow
	// file.
	Printed string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("internal error: the generated code does not compile; please report it with the workflow file\n%s", indent(e.Printed))
}

// explain turns what the go command printed into an error.
func explain(printed string, err error) error {
	printed = strings.TrimSpace(printed)
	if module, ok := missingModule(printed); ok {
		return &MissingModuleError{Module: module, Printed: printed}
	}
	if strings.HasPrefix(printed, "# ") || strings.Contains(printed, "\n# ") {
		return &CompileError{Printed: printed}
	}
	if strings.Contains(printed, "no space left on device") {
		return fmt.Errorf("the disk is full: builds need about 300 MB in the cache folder and in TMPDIR\n%s", indent(printed))
	}
	return fmt.Errorf("go build: %w\n%s", err, indent(printed))
}

// missingModule finds the module that a failed download was about.
func missingModule(printed string) (string, bool) {
	signs := []string{
		"module lookup disabled by GOPROXY=off", "dial tcp", "no such host", "i/o timeout", "proxyconnect",
		"connection refused", "missing go.sum entry", "403 Forbidden", "404 Not Found", "cannot find module providing", "TLS handshake",
	}
	for _, line := range strings.Split(printed, "\n") {
		found := false
		for _, s := range signs {
			found = found || strings.Contains(line, s)
		}
		if !found {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t:()\"", r) }) {
			path, _, versioned := strings.Cut(word, "@")
			if first, _, _ := strings.Cut(path, "/"); versioned && strings.Contains(first, ".") {
				return word, true
			}
		}
		return "that the build needs", true
	}
	return "", false
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
