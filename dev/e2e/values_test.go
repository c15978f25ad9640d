//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// injection closes both kinds of quotes and ends the command.
const injection = `'; touch pwned; "$(touch pwned)" \`

// values are what the agents of the test answer.
func values() map[string]string {
	var large strings.Builder
	for i := 0; large.Len() < 300<<10; i++ {
		fmt.Fprintf(&large, "%d %s `touch pwned` &é %%s * ?\n", i, injection)
	}
	return map[string]string{
		"quotes": injection,
		"lines":  "first\n\n  third, indented\n\n\n",
		"large":  large.String(),
	}
}

// A result is what the test reads of a run's JSON document.
type result struct {
	RunID  string `json:"run_id"`
	Status string `json:"status"`
	Nodes  []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Output string `json:"output"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"nodes"`
	Questions []struct {
		Message  string    `json:"message"`
		Deadline time.Time `json:"deadline"`
	} `json:"questions"`
}

// run runs a binary with agents that give the replies, and expects its exit
// code.
func run(t *testing.T, p *program.Place, replies map[string]any, code int, args ...string) *result {
	t.Helper()
	args = append([]string{"run", "--json"}, args...)
	if replies != nil {
		text, err := json.Marshal(replies)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(p.State, "replies.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"run", "--json", "--agent", "claude=scripted:" + file}, args[2:]...)
	}
	out, errs, got, err := p.Run(t.Context(), nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	if got != code {
		t.Errorf("the run ended with code %d, want %d: %.2000s", got, code, errs)
	}
	r := &result{}
	if err := json.Unmarshal(out, r); err != nil {
		t.Fatalf("the run's document: %v: %.300q", err, out)
	}
	return r
}

// harmless fails when a value was executed anywhere below the working folder.
func harmless(t *testing.T, p *program.Place) {
	t.Helper()
	files, err := os.ReadDir(p.Work)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "out-") {
			t.Errorf("the run left %q in its working folder", f.Name())
		}
	}
}

// same compares texts and shows where they part.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(at-20, 0)
	t.Errorf("%s: byte %d of %d is %.60q, want %.60q (of %d)", what, at, len(got), got[from:], want[from:], len(want))
}

// bashNode writes a node.
func bashNode(b *strings.Builder, id, needs, script string) {
	fmt.Fprintf(b, "  - id: %s\n", id)
	if needs != "" {
		fmt.Fprintf(b, "    depends_on: [%s]\n", needs)
	}
	fmt.Fprintf(b, "    bash: |\n      %s\n", strings.ReplaceAll(script, "\n", "\n      "))
}

func TestValuesPassEveryContext(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: contexts\ndescription: Values in every place of bash.\nnodes:\n")
	replies, want := map[string]any{}, map[string]string{}
	for name, value := range values() {
		fmt.Fprintf(&b, "  - id: %s\n    prompt: Say something.\n", name)
		replies[name], want[name] = []string{value}, value
		fmt.Fprintf(&b, "  - id: echo-%[1]s\n    depends_on: [%[1]s]\n    prompt: \"before $%[1]s.output after\"\n", name)
		want["echo-"+name] = "ECHO[before " + value + " after]"
		for _, c := range contexts {
			if c.small && name == "large" {
				continue
			}
			id := c.name + "-" + name
			bashNode(&b, id, name, with(c.script, "$"+name+".output"))
			want[id] = with(c.want, value)
		}
	}
	p := program.NewPlace(t, program.Build(t, "contexts", b.String()))
	r := run(t, p, replies, 0)
	harmless(t, p)
	if len(r.Nodes) != len(want) {
		t.Errorf("the run has %d nodes, want %d", len(r.Nodes), len(want))
	}
	for _, n := range r.Nodes {
		if n.Error != nil {
			t.Errorf("%s is %s: %s", n.ID, n.Status, n.Error.Message)
			continue
		}
		same(t, n.ID, n.Output, want[n.ID])
	}
}

// The fields of a structured answer take the same ways as whole texts.
func TestFieldsPassContexts(t *testing.T) {
	text := `name: fields
description: Fields of an answer in bash.
nodes:
  - id: answer
    prompt: Answer.
    output_format:
      type: object
      properties:
        text: {type: string}
        count: {type: integer}
        tags: {type: array, items: {type: string}}
      required: [text, count, tags]
`
	var b strings.Builder
	b.WriteString(text)
	want := map[string]string{}
	for _, c := range contexts {
		bashNode(&b, c.name, "answer", with(c.script, "$answer.output.text"))
		want[c.name] = with(c.want, injection)
	}
	bashNode(&b, "number", "answer", `echo $(( $answer.output.count * 2 ))`)
	bashNode(&b, "list", "answer", `printf '%s.' $answer.output.tags`)
	want["number"], want["list"] = "14", `["a b","'; touch pwned"].`
	p := program.NewPlace(t, program.Build(t, "fields", b.String()))
	structured := map[string]any{"structured": map[string]any{"text": injection, "count": 7, "tags": []string{"a b", "'; touch pwned"}}}
	r := run(t, p, map[string]any{"answer": []any{structured}}, 0)
	harmless(t, p)
	for _, n := range r.Nodes {
		if n.Error != nil {
			t.Errorf("%s is %s: %s", n.ID, n.Status, n.Error.Message)
		} else if n.ID != "answer" {
			same(t, n.ID, n.Output, want[n.ID])
		}
	}
}

func TestArgumentsPassUnchanged(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: arguments\ndescription: What the user asks for, in bash.\nnodes:\n")
	want := map[string]string{}
	node := func(id, script, output string) {
		bashNode(&b, id, "", script)
		want[id] = output
	}
	node("quoted", `printf '%s.' "$ARGUMENTS"`, "§.")
	node("braces", `printf '%s.' "x ${ARGUMENTS} y"`, "x § y.")
	node("heredoc", "cat <<EOF\n$ARGUMENTS|\nEOF", "§|")
	node("kept", `printf '%s.' '$ARGUMENTS'`, "$ARGUMENTS.")
	node("message", `printf '%s.' "$USER_MESSAGE"`, "§.")
	node("program", `env printf '%s.' "$ARGUMENTS"; bash -c 'printf "%s." "$1"' _ "$ARGUMENTS"`, "§.§.")
	b.WriteString("  - id: ask\n    prompt: \"about $ARGUMENTS\"\n")
	want["ask"] = "ECHO[about §]"
	bashNode(&b, "answered", "ask", `printf '%s.' "$ask.output"`)
	want["answered"] = "ECHO[about §]."
	binary := program.Build(t, "arguments", b.String())
	for name, value := range values() {
		if name == "large" {
			continue // the system's limit of one argument
		}
		t.Run(name, func(t *testing.T) {
			p := program.NewPlace(t, binary)
			r := run(t, p, map[string]any{"none": []string{""}}, 0, value)
			harmless(t, p)
			for _, n := range r.Nodes {
				if n.Error != nil {
					t.Errorf("%s is %s: %s", n.ID, n.Status, n.Error.Message)
					continue
				}
				same(t, n.ID, n.Output, with(want[n.ID], value))
			}
		})
	}
}

// Arithmetic evaluates text, so a value that is no integer ends the node: before
// its script begins when it stands in arithmetic itself, and before arithmetic
// reads a variable that holds it otherwise.
func TestArithmeticTakesIntegersOnly(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: arithmetic\ndescription: Values in arithmetic.\nnodes:\n")
	scripts := map[string]string{
		"expansion": `touch out-began; echo $(( § + 1 ))`,
		"command":   `touch out-began; (( § > 1 )) && echo more`,
		"let":       `touch out-began; let "x = § + 1"; echo "$x"`,
		"compare":   `touch out-began; [[ § -gt 1 ]] && echo more`,
		"subscript": `touch out-began; a=(1 2 3); echo "${a[§]}"`,
		"substring": `touch out-began; x=abcdef; echo "${x:§:1}"`,
		"declared":  `touch out-began; declare -i x=§; echo "$x"`,
		"for":       `touch out-began; for ((i = 0; i < §; i++)); do echo "$i"; done`,
	}
	const variable = `x=§; echo $(( x + 1 ))`
	b.WriteString("  - id: evil\n    prompt: Say a number.\n")
	for id, script := range scripts {
		bashNode(&b, id, "evil", with(script, "$evil.output"))
	}
	bashNode(&b, "variable", "evil", with(variable, "$evil.output"))
	binary := program.Build(t, "arithmetic", b.String())
	for _, value := range []string{`a[$(touch pwned)]`, injection, "1 + 1", "x"} {
		p := program.NewPlace(t, binary)
		r := run(t, p, map[string]any{"evil": []string{value}}, 1)
		harmless(t, p)
		if _, err := os.Stat(filepath.Join(p.Work, "out-began")); err == nil {
			t.Errorf("%q: a script began", value)
		}
		for _, n := range r.Nodes {
			want := "an integer"
			if n.ID == "variable" {
				want = "calculates with `$x`, so it must be an integer"
			}
			if n.ID != "evil" && (n.Error == nil || !strings.Contains(n.Error.Message, want)) {
				t.Errorf("%q: %s is %s with %v", value, n.ID, n.Status, n.Error)
			}
		}
	}
	p := program.NewPlace(t, binary)
	r := run(t, p, map[string]any{"evil": []string{"2"}}, 0)
	for _, n := range r.Nodes {
		if n.Status != "completed" || n.Output == "" {
			t.Errorf("2: %s is %s with %q", n.ID, n.Status, n.Output)
		}
	}
}
