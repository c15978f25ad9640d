package build

import (
	"fmt"
	"slices"
	"strings"
)

// A MissingModuleError says that a build needs modules that are not in the module cache
// and cannot be downloaded.
type MissingModuleError struct {
	// Modules are the modules' paths with their versions, as far as they are
	// known.
	Modules []string
	// Output is the output of the go command.
	Output string
}

func (e *MissingModuleError) Error() string {
	what := "the build cannot download a missing module"
	if len(e.Modules) > 0 {
		what = fmt.Sprintf("the build cannot download the missing module %s", e.Modules[0])
	}
	if more := len(e.Modules) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return what + "\n" + indentLines(firstLines(e.Output, 3)) +
		"\n  Run the same command once with access to a Go module proxy (GOPROXY), and later builds work offline; or use wfc-full, which contains all modules"
}

// A CompileError says that generated code does not compile. That is a bug in wfc, not a
// mistake in the workflow.
type CompileError struct {
	// Output is the output of the Go compiler. Its positions are those of the workflow file
	// if the code was generated with gen.Options.LineDirectives.
	Output string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("internal error: the generated code does not compile; please report it with the workflow file\n%s", indentLines(e.Output))
}

// A TargetError says that the Go toolchain cannot build programs for Builder.GOOS and
// Builder.GOARCH.
type TargetError struct {
	GOOS, GOARCH string
	// Output is the output of the go command.
	Output string
}

func (e *TargetError) Error() string {
	return fmt.Sprintf("cannot build workflows for %s/%s; `go tool dist list` lists the systems, and --store memory supports more of them\n%s", e.GOOS, e.GOARCH, indentLines(firstLines(e.Output, 3)))
}

// explainFailure turns what the go command printed into an error.
func (b *Builder) explainFailure(o *output, err error) error {
	printed := strings.TrimSpace(o.String())
	if modules, ok := missingModules(printed); ok {
		if len(modules) == 0 {
			modules = o.downloads // of modules that it may not even ask for, go names the importing line only
		}
		return &MissingModuleError{Modules: modules, Output: printed}
	}
	if strings.Contains(printed, "no space left on device") {
		return fmt.Errorf("the disk is full: builds need about 300 MB in %s, and 100 MB in the folder for temporary files\n%s", b.Cache, indentLines(firstLines(printed, 3)))
	}
	if strings.Contains(printed, "unsupported GOOS/GOARCH pair") || strings.Contains(printed, "build constraints exclude all Go files") {
		return &TargetError{GOOS: b.targetOS(), GOARCH: b.targetArch(), Output: printed}
	}
	if strings.HasPrefix(printed, "# ") || strings.Contains(printed, "\n# ") {
		return &CompileError{Output: workflowLines(printed)}
	}
	return fmt.Errorf("go build: %w\n%s", err, indentLines(printed))
}

// workflowLines takes the folder where the generated package seems to stand
// from positions.
func workflowLines(printed string) string {
	var lines []string
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		line = strings.TrimPrefix(line, "./")
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, mainDir+"/"), mainDir+`\`))
	}
	return strings.Join(lines, "")
}

// missingModules finds the modules whose download failed. The go command's message depends on
// how the network fails: most say that it could not look a module up, and the rest contain
// one of these phrases.
func missingModules(printed string) (modules []string, found bool) {
	signs := []string{
		"module lookup disabled by", "dial tcp", "no such host", "i/o timeout", "proxyconnect", "connection refused",
		"connection reset", "missing go.sum entry", "403 Forbidden", "404 Not Found", "502 Bad", "503 Service", "504 Gateway",
		"cannot find module providing", "TLS handshake", "x509:", "reading file://", "terminal prompts disabled", "unrecognized import path",
	}
	for line := range strings.Lines(printed) {
		if !slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(line, sign) }) {
			continue
		}
		found = true
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n:()\"", r) }) {
			path, _, versioned := strings.Cut(word, "@")
			first, _, _ := strings.Cut(path, "/")
			if versioned && strings.Contains(first, ".") && !strings.HasPrefix(word, ".") && !slices.Contains(modules, word) {
				modules = append(modules, word)
				break
			}
		}
	}
	return modules, found
}

func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = append(lines[:n:n], fmt.Sprintf("(%d more lines)", len(lines)-n))
	}
	return strings.Join(lines, "\n")
}

func indentLines(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
