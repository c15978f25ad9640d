package gen

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// usedSettings returns the project's settings that concern the workflow. A program
// contains no others.
func (g programWriter) usedSettings() settings.Project {
	p := g.opt.Defaults
	p.Agents, p.Channels = p.Agents.Used(g.linkedAgents()), nil
	if !g.deliversAnything() {
		p.DeliverTo = nil
	}
	if p.OnQuota.Policy == settings.QuotaFail {
		p.OnQuota = settings.Quota{}
	}
	if len(g.allAgents()) == 0 { // those without an entry count, because flags can choose them
		p.OnQuota, p.Budgets = settings.Quota{}, settings.ProjectBudgets{}
	}
	used := map[string]bool{}
	for _, name := range p.Agents.Names(g.linkedAgents()...) {
		used[name] = true
	}
	p.Concurrency = knownEntries(p.Concurrency, used)
	if p.Gates.Mode == settings.GatesAny {
		p.Gates.Mode = ""
	}
	if p.Sandbox.Default == settings.SandboxOff {
		p.Sandbox.Default = ""
	}
	kinds, nodes, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, n := range g.allNodes() {
		nodes[n.ID] = true
		n.Walk(func(n *ir.Node) { kinds[n.Action.Kind()], ids[n.ID] = true, true })
	}
	p.OnInterrupt.Kinds = knownEntries(p.OnInterrupt.Kinds, kinds)
	p.OnInterrupt.Nodes = knownEntries(p.OnInterrupt.Nodes, nodes)
	p.Gates.Nodes = maps.Clone(p.Gates.Nodes)
	maps.DeleteFunc(p.Gates.Nodes, func(name string, _ settings.GateRule) bool { return !ids[name[strings.LastIndexByte(name, '/')+1:]] })
	p.Sandbox.Nodes = knownEntries(p.Sandbox.Nodes, ids)
	p.Sandbox.Grants.Nodes = knownEntries(p.Sandbox.Grants.Nodes, ids)
	return p
}

// linkedAgents are the agents that the workflow names, and the one that answers when the quota of
// one of them is used up.
func (g programWriter) linkedAgents() []string {
	names := g.allAgents()
	if other := g.opt.Defaults.OnQuota.Use; other != "" && len(names) > 0 {
		names = append(slices.Clip(names), other)
	}
	return names
}

// knownEntries returns the values of a table whose keys are known.
func knownEntries[T any](table map[string]T, keys map[string]bool) map[string]T {
	table = maps.Clone(table)
	maps.DeleteFunc(table, func(key string, v T) bool { return !keys[key] || reflect.ValueOf(v).IsZero() })
	return table
}

// agentKinds is the code of the kinds of agents that the program links, in the order
// of their first agents.
func (g programWriter) agentKinds(f *jen.File) []jen.Code {
	var list []jen.Code
	seen := map[string]bool{"": true, settings.KindCommand: true, settings.KindScripted: true}
	names := plain.Texts(g.opt.Defaults.Agents.Used(g.linkedAgents()), func(a settings.Agent) string { return a.Kind })
	for _, name := range append(names, g.opt.MoreKinds...) {
		if seen[name] {
			continue
		}
		seen[name] = true
		pkg := cmp.Or(g.opt.AgentKinds[name], modulePath+"/runtime/agent/"+name)
		f.ImportName(pkg, path.Base(pkg))
		list = append(list, jen.Qual(pkg, "Kind").Call())
	}
	return list
}

// setDefaults sets the field Defaults to the settings, unless there are none.
func (g programWriter) setDefaults(d *fields) {
	if p := reflect.ValueOf(g.usedSettings()); !isUnset(p) {
		d.setField("Defaults", jen.Qual(settingsPath, p.Type().Name()).Add(itemLines(settingFields(p, true))))
	}
}

// channelCodes is the code of the channels that targets may name.
func (g programWriter) channelCodes() []jen.Code {
	return codesOf(g.opt.Defaults.Channels, func(c settings.Channel) *jen.Statement { return settingCode(reflect.ValueOf(c)) })
}

// settingCode is a value of package settings as Go code.
func settingCode(v reflect.Value) *jen.Statement {
	if d, ok := v.Interface().(time.Duration); ok {
		return durationCode(d)
	}
	switch v.Kind() {
	case reflect.Bool:
		return jen.Lit(v.Bool())
	case reflect.String:
		return jen.Lit(v.String())
	case reflect.Int, reflect.Int64, reflect.Float64:
		return numberCode(v.Interface())
	case reflect.Pointer:
		return jen.Op("&").Add(settingCode(v.Elem()))
	case reflect.Struct:
		return typeName(v.Type()).Add(itemLines(settingFields(v, false)))
	case reflect.Slice:
		return typeName(v.Type()).Add(itemLines(elementCodes(v)))
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		return typeName(v.Type()).Add(itemLines(codesOf(keys, func(key reflect.Value) *jen.Statement {
			return settingCode(key).Op(":").Add(elementCode(v.MapIndex(key)))
		})))
	}
	panic(fmt.Sprintf("settings have a value of type %s", v.Type()))
}

// elementCodes are the elements of a list.
func elementCodes(list reflect.Value) []jen.Code {
	var code []jen.Code
	for _, v := range list.Seq2() {
		code = append(code, elementCode(v))
	}
	return code
}

// elementCode is an element of a list or a map, which leaves out its type if it can.
func elementCode(v reflect.Value) *jen.Statement {
	switch v.Kind() {
	case reflect.Struct:
		return itemLines(settingFields(v, false))
	case reflect.Slice:
		return itemLines(elementCodes(v))
	}
	return settingCode(v)
}

// settingFields are the fields of a struct that are set and that programs need.
// With rows, a list of structs has each of them on a line.
func settingFields(v reflect.Value, rows bool) []jen.Code {
	var d fields
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		switch {
		case field.Tag.Get("settings") == "compiler" || isUnset(value):
		case rows && value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct:
			d.setField(field.Name, typeName(value.Type()).Add(itemLines(elementCodes(value))))
		default:
			d.setField(field.Name, settingCode(value))
		}
	}
	return d.code
}

// isUnset reports whether a setting says nothing. An empty list that is not nil says
// that there are none.
func isUnset(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return len(settingFields(v, false)) == 0
	}
	return v.IsZero()
}

// typeName is the code of a type.
func typeName(t reflect.Type) *jen.Statement {
	switch {
	case t.PkgPath() != "":
		return jen.Qual(t.PkgPath(), t.Name())
	case t.Kind() == reflect.Slice:
		return jen.Index().Add(typeName(t.Elem()))
	case t.Kind() == reflect.Map:
		return jen.Map(typeName(t.Key())).Add(typeName(t.Elem()))
	}
	return jen.Id(t.Name())
}
