package outside

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// everything has every setting. A new one belongs here.
const everything = `agents:
  every:
    use: openai
    model: m
    system_prompt: Be "brief".
    options: [effort]
    base_url: http://localhost/v1
    key_variable: KEY
    max_tokens: 5
    price: {input: 1, output: .5, cached_input: 0.1, cache_write: 1e-7}
    environment: [A_*]
    on_quota: {use: own, wait: 1h, first_wait: 1m, max_waits: 2}
    tags: [trusted]
  follower: {use: every}
  tool: {use: claude, program: bin/a tool, args: [--fast, ""], permission: edit, environment: []}
  own: {command: [./own, -x]}
models: {"@fast": {agent: own, model: f, effort: low}}
base_branch: trunk
docs_dir: manual
max_parallel: 3
env: {A: b"c}
state: /state
store: memory
toolchain: local
database: postgres://user@host/name
delivery:
  default: [ops]
  channels:
    ops: {kind: slack, url_variable: OPS_URL, token_variable: OPS_TOKEN, receiver: C1, base_url: http://localhost}
    pager: {kind: command, command: [./page, --now]}
notify:
  page: https://runs.example.com
  waits: {to: [ops, pager], title: "{{run}}", body: "{{question}}", urgent: true, escalate: {after: 30m, to: pager}}
  quiet: {from: "22:00", to: "07:00", zone: Europe/Berlin}
on_interrupt: {default: ask, bash: fail, nodes: {b: rerun}}
on_quota: {use: own, wait: 12h, first_wait: 2m, max_waits: 3}
sandbox: {default: on, agents: {tool: off}, kinds: {bash: report}, nodes: {b: on}}
grants: {default: [npm], agents: {tool: [github]}, kinds: {prompt: own}, nodes: {b: [go, own]}}
grant_sets: {own: {hosts: [git.example.com], read: [~/.config/tool], write: [/srv/out], private: [~/.cache/tool]}}
limits: {cost_usd: 2.5, tokens: 200000}
budgets: {day: {cost_usd: 20, tokens: 5000000}, month: {cost_usd: 300, tokens: 9000000}, at_limit: ask}
environment: {agents: [A, B_*], scripts: []}
gates: {mode: token, nodes: {b: {role: r, approvals: 2, not_starter: true}}}
commands: prompts
scripts: tools
archon: {until: strict, version: "0.9"}
concurrency: {tool: 2}
programs: {deploy: {runs: [1], options: [--hook], values: [-C]}}
workflows: {"*.yaml": {deliver_to: ops, budgets: {day: {cost_usd: 5, tokens: 7}, month: {cost_usd: 6, tokens: 8}, at_limit: fail}}}
`

const everyWorkflow = `name: every
description: d
nodes:
  - {id: b, bash: "true"}
  - {id: f, prompt: x, provider: follower, depends_on: [b]}
  - {id: t, prompt: x, provider: tool, depends_on: [f]}
  - {id: o, prompt: x, provider: own, depends_on: [t]}
`

// Every field of the settings is decoded from wfc.yaml. Those for programs are in
// generated code and arrive in the program; the others reach the compiler alone.
func TestEverySettingArrives(t *testing.T) {
	c, findings := config.Parse(source.NewFile(config.FileName, []byte(everything)))
	c.Dir = "/p"
	opt := c.Options("/p/every.yaml")
	opt.Files = nobody{}
	r := compiler.Compile(source.NewFile("every.yaml", []byte(everyWorkflow)), opt)
	for _, d := range append(findings, r.Diagnostics...) {
		t.Errorf("%s:%d: %s", d.Span.File.Name, d.Span.Position().Line, d.Message)
	}
	if t.Failed() {
		t.FailNow()
	}
	kinds := map[string]string{}
	for _, k := range catalog.Kinds() {
		kinds[k.Name] = "example.com/outside/kinds"
	}
	given := c.Settings("")
	given.Budgets.Workflows = c.WorkflowBudgets(r.Workflow, "/p/every.yaml")
	generated := map[string][]byte{}
	for _, f := range gen.Generate(r.Workflow, gen.Options{Engine: true, Store: settings.StoreMemory, AgentKinds: kinds, Defaults: given}) {
		generated["every/"+f.Name] = f.Content
	}
	out, err := exec.Command(build(t, "every", generated)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var program struct {
		Defaults   settings.Project
		Performers string
	}
	if err := json.Unmarshal(out, &program); err != nil {
		t.Fatal(err)
	}
	decoded, arrived := paths(reflect.ValueOf(given)), paths(reflect.ValueOf(program.Defaults))
	read := paths(reflect.ValueOf(opt.Settings))
	all := map[string]bool{}
	fields(reflect.TypeFor[settings.Project](), "", false, all)
	for path, compilerOnly := range all {
		switch {
		case !decoded[path]:
			t.Errorf("%s: the decoder of wfc.yaml does not set it", path)
		case !read[path]:
			t.Errorf("%s: the compiler does not get it", path)
		case compilerOnly && arrived[path]:
			t.Errorf("%s: it is for compilers, and the program has it", path)
		case !compilerOnly && !arrived[path] && !strings.HasPrefix(path, "Channels."):
			t.Errorf("%s: it does not arrive in the program", path)
		}
	}
	for _, channel := range given.Channels {
		if !strings.Contains(program.Performers, fmt.Sprintf("%+v", channel)) {
			t.Errorf("channel %+v does not arrive in the program: %s", channel, program.Performers)
		}
	}
	given.Channels = nil
	given.Agents = slices.DeleteFunc(given.Agents, func(a settings.Agent) bool {
		return !slices.Contains([]string{"every", "follower", "tool", "own", "openai"}, a.Name)
	})
	clearCompilers(reflect.ValueOf(&given).Elem())
	if !reflect.DeepEqual(program.Defaults, given) {
		t.Errorf("the program has\n%+v\nand wfc.yaml\n%+v", program.Defaults, given)
	}
}

// nobody has no files.
type nobody struct{}

func (nobody) Read(path string) ([]byte, error) { return nil, fmt.Errorf("no file %s", path) }

func (nobody) List(string) []string { return nil }

// fields collects the paths of the fields of a type that hold values, and whether
// they are for compilers alone.
func fields(t reflect.Type, path string, compilerOnly bool, all map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fields(t.Elem(), path, compilerOnly, all)
	case reflect.Struct:
		for f := range slices.Values(reflect.VisibleFields(t)) {
			if f.Tag.Get("settings") == "process" {
				continue // a process adds it to its settings
			}
			fields(f.Type, join(path, f.Name), compilerOnly || f.Tag.Get("settings") == "compiler", all)
		}
	default:
		all[path] = compilerOnly
	}
}

// paths are the paths of the fields of a value that are set.
func paths(v reflect.Value) map[string]bool {
	set := map[string]bool{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), join(path, v.Type().Field(i).Name))
			}
		case reflect.Slice:
			set[path] = set[path] || !v.IsNil()
			for _, item := range v.Seq2() {
				walk(item, path)
			}
		case reflect.Map:
			for _, item := range v.Seq2() {
				walk(item, path)
			}
		default:
			set[path] = set[path] || !v.IsZero()
		}
	}
	walk(v, "")
	return set
}

// clearCompilers empties the fields that are for compilers alone.
func clearCompilers(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case v.Type().Field(i).Tag.Get("settings") == "compiler":
			f.SetZero()
		case f.Kind() == reflect.Struct:
			clearCompilers(f)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			for j := range f.Len() {
				clearCompilers(f.Index(j))
			}
		}
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
