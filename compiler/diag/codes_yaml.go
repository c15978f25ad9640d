package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 1xx: what is not YAML, or not of a workflow's shape.
var yamlCodes = []*Code{yamlSyntax}

var yamlSyntax = &Code{
	ID: "WFC101", Slug: "yaml-syntax", Severity: Error,
	Doc: `The file is not YAML. Nothing else can be said about it until it is.

The message is about the first place where reading stopped; tabs used for
indentation, a missing closing quote or bracket and a stray colon are the
usual causes.`,
	Bad:  "name: [\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// YAMLSyntax reports text that is not YAML.
func YAMLSyntax(at source.Span, problem string) *Diagnostic {
	return yamlSyntax.new(at, fmt.Sprintf("not valid YAML: %s", problem))
}
