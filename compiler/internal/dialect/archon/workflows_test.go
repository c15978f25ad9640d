package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A workflow is found by the name that its file declares, in whatever form.
func TestWorkflowsByName(t *testing.T) {
	const body = "description: d\nnodes:\n  - {id: a, bash: echo}\n"
	for name, c := range map[string]struct {
		files testkit.Memory
		want  string
	}{
		"plain":        {testkit.Memory{"a.yaml": "name: kid\n" + body}, "a.yaml"},
		"quoted":       {testkit.Memory{"a.yml": "name: 'kid' # its name\n" + body}, "a.yml"},
		"crlf":         {testkit.Memory{"a.yaml": strings.ReplaceAll("name: kid\n"+body, "\n", "\r\n")}, "a.yaml"},
		"flow":         {testkit.Memory{"a.yaml": "{name: kid, description: d, nodes: [{id: a, bash: echo}]}\n"}, "a.yaml"},
		"at the end":   {testkit.Memory{"a.yaml": body + "name: kid\n"}, "a.yaml"},
		"in a comment": {testkit.Memory{"a.yaml": "name: other\n# name: kid\n" + body}, ""},
		"in a string":  {testkit.Memory{"a.yaml": "name: other\ndescription: |\n  x\n  name: kid\nnodes:\n  - {id: a, bash: echo}\n"}, ""},
		"duplicate":    {testkit.Memory{"a.yaml": "name: first\nname: kid\n" + body}, "a.yaml"},
		"no list":      {testkit.Memory{"a.yaml": "name: kid\nnodes:\n  a: {bash: echo}\n"}, ""},
		"no nodes":     {testkit.Memory{"a.yaml": "name: kid\nsteps:\n  - {name: a, bash: echo}\n"}, ""},
		"other ending": {testkit.Memory{"a.txt": "name: kid\n" + body}, ""},
		"deep":         {testkit.Memory{".archon/workflows/pack/sub/a.yaml": "name: kid\n" + body}, ".archon/workflows/pack/sub/a.yaml"},
		"home":         {testkit.Memory{"home/.archon/workflows/a.yaml": "name: kid\n" + body}, "/home/.archon/workflows/a.yaml"},
		"nearer": {testkit.Memory{"home/.archon/workflows/a.yaml": "name: kid\n" + body, ".archon/workflows/b.yaml": "name: kid\n" + body},
			".archon/workflows/b.yaml"},
		"overridden": {testkit.Memory{".archon/workflows/defaults/a.yaml": "name: kid\n" + body, ".archon/workflows/b.yaml": "name: kid\n" + body},
			".archon/workflows/b.yaml"},
		"override of the user": {testkit.Memory{".archon/workflows/defaults/a.yaml": "name: kid\n" + body, "home/.archon/workflows/b.yaml": "name: kid\n" + body},
			"/home/.archon/workflows/b.yaml"},
		"exact before loose": {testkit.Memory{"a.yaml": "name: Kid\n" + body, "b.yaml": "name: kid\n" + body, "c.yaml": "name: my-kid\n" + body}, "b.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			p, list := lint(t, project(c.files), nodes("  - {id: a, workflow: kid}\n"))
			call, ok := p.Workflow.Body.All()[0].Action.(*ir.Call)
			switch {
			case c.want == "" && (ok || len(list) == 0):
				t.Errorf("it is found: %q", findings(list))
			case c.want != "" && (!ok || len(p.Resources) != 1 || !strings.HasSuffix(p.Resources[0].Name, c.want) || hasError(list)):
				t.Errorf("call %v, resources %v, findings %q", call, p.Resources, findings(list))
			}
		})
	}
}
