package yamlsrc

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// explain turns an error of yaml.v3 into a diagnostic.
func explain(f *source.File, err error) *diag.Diagnostic {
	line, problem := splitError(err)
	text, start := f.Line(min(max(line, 1), f.LineCount()))
	return diag.YAMLSyntax(source.Span{File: f, Start: start, End: start + len(text)}, problem)
}

// splitError takes yaml.v3's line, 0 if there is none, off its message.
func splitError(err error) (line int, problem string) {
	problem = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		if number, text, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				return n, text
			}
		}
	}
	return 0, problem
}
