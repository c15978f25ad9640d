package xprompt_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Whatever a prompt and a file that it refers to hold, expanding ends, and holes
// are neither lost nor taken apart.
func FuzzReferences(f *testing.F) {
	f.Add("#greet(bob) #x: {{ n }}", "{{ _1 }} {1:x}")
	f.Add("#x([[a\n  {{ n }}]], \"b, c\", t='d')", "---\ninput: {t: text, u: {type: int, default: 1}}\n---\n### {{ t }}{% if u %}#txt({{ t }}){% endif %}")
	f.Add("{% for i in [1] %}#x:{{ i }}.{% endfor %}(#x+ '#x", "#x")
	f.Fuzz(func(t *testing.T, prompt, file string) {
		files := testkit.Memory{"/repo/xprompts/x.md": file}
		for path, content := range prompts {
			files[path] = content
		}
		p, list := compile(t, project(files), promptStep(prompt))
		for _, d := range list {
			if !d.Span.IsValid() {
				t.Errorf("%s has no place: %s", d.Code, d.Message)
			}
		}
		if p == nil || diag.HasErrors(list) {
			return
		}
		ir.Walk(p.Workflow.Body, func(n *ir.Node) {
			if a, ok := n.Action.(*ir.Prompt); ok {
				sound(t, a.Text)
			}
		})
	})
}
