package conformance

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// resourceCodes are the fields that findings about resources are about.
var resourceCodes = map[string]string{
	"invalid-name": "command", "script-runtime": "script", "ambiguous-name": "script", "shell-quoted-reference": "bash",
	"unknown-agent": "provider", "unknown-model": "model", "unknown-model-alias": "model",
}

// planValidate compares the fields and nodes with problems. Levels are not
// compared: the engine has a command of its own for these, and its loader takes
// all of the files, so by DESIGN.md section 10 they are warnings.
func planValidate(_ *bench, c *recorded) (plan, error) {
	var in struct {
		YAML  string
		Files map[string]string
	}
	var problems []struct{ NodeID, Field, Message string }
	if err := c.decode(&in, &problems); err != nil {
		return plan{}, err
	}
	var want []string
	for _, p := range problems {
		if p.Field == "runtime" {
			continue // what is installed is a matter of the machine that runs
		}
		want = append(want, p.NodeID+"."+p.Field)
	}
	r := compile(in.YAML, in.Files)
	var got []string
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Note {
			continue
		}
		got = append(got, findingNode(d)+"."+findingField(d))
	}
	slices.Sort(want)
	slices.Sort(got)
	return judged(same("problems", strings.Join(want, " "), strings.Join(got, " "))), nil
}

// findingField is the field that a finding is about.
func findingField(d *diag.Diagnostic) string {
	if field := resourceCodes[d.Code.Slug]; field != "" {
		return field
	}
	if d.Code == codes.MissingFile {
		for word, field := range map[string]string{"command `": "command", "script `": "script", "skill `": "skills", "MCP file `": "mcp"} {
			if strings.Contains(d.Message, word) {
				return field
			}
		}
	}
	// An option that the agent does not take is named by the place.
	if d.Code.Slug == "ignored-option" {
		return strings.Trim(strings.SplitN(d.Span.Text(), ":", 2)[0], `"' `)
	}
	if d.Code.Slug == "unknown-tool" {
		before := string(d.Span.File.Content[:d.Span.Start])
		if strings.LastIndex(before, "denied_tools") > strings.LastIndex(before, "allowed_tools") {
			return "denied_tools"
		}
		return "allowed_tools"
	}
	return d.Code.Slug
}

// findingNode is the id of the node in whose text a finding stands, or "".
func findingNode(d *diag.Diagnostic) string {
	if d.Span.File == nil {
		return ""
	}
	var bag diag.Bag
	doc := yamlsrc.Parse(d.Span.File, &bag)
	if doc == nil || doc.Root == nil || doc.Root.Get("nodes") == nil {
		return ""
	}
	for _, n := range doc.Root.Get("nodes").Items {
		if d.Span.Start < n.Span.Start || d.Span.Start >= n.Span.End {
			continue
		}
		if id := n.Get("id"); id != nil {
			return strings.TrimSpace(id.Value)
		}
	}
	return ""
}
