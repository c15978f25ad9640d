package gen

import (
	"fmt"
	"path"
	"slices"

	"github.com/dave/jennifer/jen"
)

// An Agent says what stands behind an agent's name; see engine.AgentChoice.
type Agent struct {
	Name, Kind, Argument string
	// Args are nil when Argument may hold them too.
	Args                             []string
	Model, SystemPrompt              string
	Permission, BaseURL, KeyVariable string
	MaxTokens                        int64
	Price                            *Price
	// Environment is nil when nothing is said of it.
	Environment []string
}

// A Price is what a model costs; see engine.Price.
type Price struct {
	Input, Output, CachedInput, CacheWrite float64
}

// Limits are what a run may use; see engine.Limits.
type Limits struct {
	CostUSD float64
	Tokens  int64
}

// An Environment is what processes see of the caller's environment; see
// engine.Environment.
type Environment struct {
	Agents, Scripts []string
}

// The kinds of agents that need no package of their own: every program with
// prompts has them.
const (
	kindUse      = "use"
	kindCommand  = "command"
	kindScripted = "scripted"
)

// used returns the agents that the workflow names and those that they use, in
// the order of Agents. Of names of which nothing is known there is nothing.
func (o *Defaults) used(g *generator) []Agent {
	names := slices.Clone(g.agents())
	for i := 0; i < len(names); i++ {
		for _, a := range o.Agents {
			if a.Name == names[i] && a.Kind == kindUse && !slices.Contains(names, a.Argument) {
				names = append(names, a.Argument)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(o.Agents), func(a Agent) bool { return !slices.Contains(names, a.Name) })
}

// kinds is the code of the kinds of agents that the program links, in the order
// of their first agents.
func (g *generator) kinds(f *jen.File) []jen.Code {
	var list []jen.Code
	seen := map[string]bool{kindUse: true, kindCommand: true, kindScripted: true}
	for _, a := range g.opt.Defaults.used(g) {
		if seen[a.Kind] {
			continue
		}
		seen[a.Kind] = true
		pkg := g.opt.AgentKinds[a.Kind]
		if pkg == "" {
			panic(fmt.Sprintf("no package is known for agents of kind %s", a.Kind))
		}
		f.ImportName(pkg, path.Base(pkg))
		list = append(list, jen.Qual(pkg, "Kind").Call())
	}
	return list
}

// agentChoices is the code of agents, each a literal.
func agentChoices(agents []Agent) []jen.Code {
	var list []jen.Code
	for _, a := range agents {
		d := fields{}
		d.set("Name", jen.Lit(a.Name))
		d.set("Kind", jen.Lit(a.Kind))
		d.text("Argument", a.Argument)
		d.given("Args", a.Args)
		d.text("Model", a.Model)
		d.text("SystemPrompt", a.SystemPrompt)
		d.text("Permission", a.Permission)
		d.text("BaseURL", a.BaseURL)
		d.text("KeyVariable", a.KeyVariable)
		if a.MaxTokens > 0 {
			d.set("MaxTokens", number(a.MaxTokens))
		}
		if a.Price != nil {
			d.set("Price", jen.Op("&").Add(a.Price.code()))
		}
		d.given("Environment", a.Environment)
		list = append(list, d.line())
	}
	return list
}

func (p *Price) code() *jen.Statement {
	d := fields{}
	d.amount("Input", p.Input)
	d.amount("Output", p.Output)
	d.amount("CachedInput", p.CachedInput)
	d.amount("CacheWrite", p.CacheWrite)
	return jen.Qual(enginePath, "Price").Add(d.line())
}

// code is the limits, or nil when there are none.
func (l *Limits) code(pkg string) *jen.Statement {
	d := fields{}
	d.amount("CostUSD", l.CostUSD)
	if l.Tokens > 0 {
		d.set("Tokens", number(l.Tokens))
	}
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(pkg, "Limits").Add(d.line())
}

// code is the environment, or nil when nothing is said of it.
func (e *Environment) code(pkg string) *jen.Statement {
	d := fields{}
	d.given("Agents", e.Agents)
	d.given("Scripts", e.Scripts)
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(pkg, "Environment").Add(d.line())
}

// text sets a string unless it is empty.
func (d *fields) text(name, value string) {
	if value != "" {
		d.set(name, jen.Lit(value))
	}
}

// amount sets a number unless it is 0.
func (d *fields) amount(name string, value float64) {
	if value != 0 {
		d.set(name, number(value))
	}
}

// given sets a slice of strings unless it is nil: an empty one says something.
func (d *fields) given(name string, items []string) {
	if items != nil && len(items) == 0 {
		d.set(name, jen.Index().String().Values())
	}
	d.texts(name, items)
}

// number is an untyped constant.
func number[T int64 | float64](v T) *jen.Statement { return jen.Op(fmt.Sprint(v)) }
