//go:build unix

package attacks

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A drawnStep is a step of a drawn workflow.
type drawnStep struct {
	key, language string
	text
	// free says that nobody knows what it prints.
	free bool
}

// A format writes drawn steps as a workflow of one dialect.
type format struct {
	name string
	// languages are those of its steps; "prompt" is one for an agent.
	languages []string
	// syntax replaces the marks of the notation; a format without statements has none for them.
	syntax []string
	agent  string
	// workflow writes the steps behind those that bring the values, and outputs is what
	// these print. A free step that fails does not end it.
	workflow func(steps []drawnStep) string
	outputs  func(v *values) map[string]string
	inputs   func(v *values) []string
	// constant is the value of «v», given to the compiler; "" leaves it to the run.
	constant string
	// framed says that a prompt has more around it.
	framed bool
}

func (f *format) source(notation string) string {
	return strings.NewReplacer(f.syntax...).Replace(notation)
}

func (f *format) has(mark string) bool {
	for i := 0; i < len(f.syntax); i += 2 {
		if f.syntax[i] == mark {
			return true
		}
	}
	return false
}

// quoted is JSON, which YAML reads as the same value.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// formats are all dialects. The integer, the condition and the list come from a step whose
// output has a schema, where the dialect has such steps.
var formats = []*format{
	{
		name: "archon", languages: []string{"bash", "bash", "uv", "bun", "prompt"}, agent: "claude",
		syntax: []string{"«v»", "$v.output", "«w»", "$j.output.w", "«n»", "$j.output.n"},
		workflow: func(steps []drawnStep) string {
			var b strings.Builder
			b.WriteString("name: construction\ndescription: Drawn scripts.\nnodes:\n  - {id: v, bash: 'true'}\n" +
				"  - {id: j, prompt: Judge., output_format: {type: object, properties: {w: {type: string}, n: {type: integer}}, required: [w, n]}}\n")
			for _, s := range steps {
				fmt.Fprintf(&b, "  - {id: %s, depends_on: [v, j], ", s.key)
				switch s.language {
				case "bash":
					fmt.Fprintf(&b, "bash: %s}\n", quoted(s.source))
				case "prompt":
					fmt.Fprintf(&b, "prompt: %s, systemPrompt: %s, agents: {helper: {description: Helps., prompt: %s}}}\n", quoted(s.source), quoted(s.source), quoted(s.source))
				default:
					fmt.Fprintf(&b, "runtime: %s, script: %s}\n", s.language, quoted(s.source))
				}
			}
			return b.String()
		},
		outputs: func(v *values) map[string]string {
			return map[string]string{"v": v.V, "j": quoted(map[string]any{"w": v.W, "n": v.N})}
		},
	},
	xprompt,
	{
		name: "graphloop", languages: []string{"bash", "prompt"}, agent: "self", framed: true,
		syntax: []string{"«v»", "(reference state.v)", "«w»", "(user provides via state.w)", "«n»", "(reference state.n)"},
		workflow: func(steps []drawnStep) string {
			var nodes, edges strings.Builder
			last := "START"
			add := func(id, node string) {
				fmt.Fprintf(&nodes, "  %s: %s\n", id, node)
				fmt.Fprintf(&edges, "  - {from: %s, to: %s}\n", last, id)
				last = id
			}
			add("v", "{type: task, agent: bash, command: 'true', outputs: [done], on_output: {done: {set: {v: output}}}}")
			add("n", "{type: task, agent: bash, command: 'true', outputs: [done], on_output: {done: {set: {n: output}}}}")
			add("all", "{type: task, agent: self, prompt: 'Read (reference state.v) (user provides via state.w) (reference state.n)', outputs: [done]}")
			var free []string
			for _, s := range steps {
				switch bash := fmt.Sprintf("{type: task, agent: bash, command: %s, outputs: [done, fail]}", quoted(s.source)); {
				case s.free:
					fmt.Fprintf(&nodes, "  %s: %s\n", s.key, bash)
					free = append(free, s.key)
				case s.language == "bash":
					add(s.key, bash)
				default:
					add(s.key, fmt.Sprintf("{type: task, agent: self, prompt: %s, outputs: [done]}", quoted(s.source)))
				}
			}
			if len(free) > 0 {
				list := strings.Join(free, ", ")
				add("fork", "{type: parallel, outputs: [done], branches: ["+list+"]}")
				add("meet", "{type: join, outputs: [done], wait_for: ["+list+"]}")
			}
			fmt.Fprintf(&edges, "  - {from: %s, to: END}\n", last)
			return "workflow: construction\nstate: {variables: {v: '', w: '', n: 0}}\nnodes:\n" + nodes.String() + "edges:\n" + edges.String() + "limits: {max_iterations: 1000}\n"
		},
		outputs: func(v *values) map[string]string { return map[string]string{"v": v.V, "n": fmt.Sprint(v.N)} },
		inputs:  func(v *values) []string { return []string{"--w=" + v.W} },
	},
	{
		name: "lango", languages: []string{"prompt"}, agent: "executor",
		syntax: []string{"«v»", "{{v.result}}", "«w»", "{{ w.result }}", "⟨if⟩", `{{if eq y.result "true"}}`, "⟨else⟩", "{{else}}", "⟨endif⟩", "{{end}}"},
		workflow: func(steps []drawnStep) string {
			var b strings.Builder
			b.WriteString("name: construction\nsteps:\n  - {id: v, prompt: V.}\n  - {id: w, prompt: W.}\n  - {id: y, prompt: Y.}\n")
			for _, s := range steps {
				fmt.Fprintf(&b, "  - {id: %s, depends_on: [v, w, y], prompt: %s}\n", s.key, quoted(s.source))
			}
			return b.String()
		},
		outputs: func(v *values) map[string]string {
			return map[string]string{"v": v.V, "w": v.W, "y": fmt.Sprint(v.Yes)}
		},
	},
}

var xprompt = &format{
	name: "xprompt", languages: []string{"bash", "bash", "python", "python", "prompt"}, agent: "claude",
	syntax: []string{
		"«v»", "{{ v }}", "«w»", "{{ j.w }}", "«n»", "{{ j.n }}", "«i»", "{{ item }}", "⟨if⟩", "{% if j.yes %}", "⟨else⟩", "{% else %}",
		"⟨endif⟩", "{% endif %}", "⟨for⟩", "{% for item in j.list %}", "⟨endfor⟩", "{% endfor %}",
	},
	workflow: func(steps []drawnStep) string {
		var b strings.Builder
		b.WriteString("name: construction\ninput: {v: text}\nsteps:\n  - name: j\n    bash: 'true'\n    output: {type: json_schema, schema: {type: object, required: [w, n, yes, list], " +
			"properties: {w: {type: string}, n: {type: integer}, yes: {type: boolean}, list: {type: array, items: {type: string}}}}}\n  - {name: asked, prompt: Go on.}\n")
		for _, s := range steps {
			fmt.Fprintf(&b, "  - {name: %s, %s: %s, finally: %t}\n", s.key, s.language, quoted(s.source), s.free)
		}
		return b.String()
	},
	outputs: func(v *values) map[string]string {
		return map[string]string{"j": quoted(map[string]any{"w": v.W, "n": v.N, "yes": v.Yes, "list": v.List})}
	},
	inputs: func(v *values) []string { return []string{"--v=" + v.V} },
}
