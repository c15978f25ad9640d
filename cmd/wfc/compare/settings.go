package compare

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Settings returns the changes between the settings that two versions of a project give to runs.
// Every setting counts; the weighings say which of its values allow more.
func Settings(old, fresh settings.Project) []Change {
	before, after := flattenSettings(old), flattenSettings(fresh)
	all := maps.Clone(before)
	maps.Copy(all, after)
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := weighSetting(name, before[name], old), weighSetting(name, after[name], fresh)
		switch {
		case was.value == is.value:
		case is.kind == 0 && was.value == "":
			list = append(list, is.changeWithVerb(Added))
		case is.kind == 0 && is.value == "":
			list = append(list, was.changeWithVerb(Removed))
		default:
			for _, c := range is.changesFrom(&was) {
				c.Risky = c.Risky && !was.open
				list = append(list, c)
			}
		}
	}
	return list
}

// A setting is the value of one setting; the zero value means that it is not set.
type setting struct {
	text    string
	number  float64
	entries []string
}

// A weighing gives the facts about the settings of a pattern their class and, by weigh, the number
// or the entries of which more allow more.
type weighing struct {
	pattern string
	class   Class
	weigh   func(f *fact, v setting, name []string, p settings.Project)
}

// everything is the pattern of all names.
const everything = "*"

// weighings are in the order in which they are tried.
var weighings = []weighing{
	{"limits/*", Limits, weighLimit},
	{"budgets/**/cost_usd", Limits, weighLimit},
	{"budgets/**/tokens", Limits, weighLimit},
	{"agents/*/max_tokens", Limits, weighLimit},
	{"max_parallel", Limits, weighLimit},
	{"concurrency/*", Limits, weighLimit},
	{"gates", Gates, rankBy(gatesRank)},
	{"gates/nodes/**", Gates, func(f *fact, _ setting, _ []string, _ settings.Project) { f.guards = true }},
	{"agents/*/permission", Tools, rankBy(permissionRank)},
	{"sandbox/**", Tools, rankBy(sandboxRank)},
	{"grants/**", Tools, weighSandboxGrants},
	{"grant_sets/**", Tools, weighSandboxGrants},
	{"agents/*/environment", Tools, weighGrants("")},
	{"environment/agents", Tools, weighGrants("all that do not look like secrets")},
	{"environment/scripts", Tools, weighGrants(everything)},
	{"agents/*/model", Prompts, nil},
	{"agents/*/system_prompt", Prompts, nil},
	{"agents/**", Tools, nil},
	{"env/**", Scripts, nil},
	{"**", Flow, nil},
}

// weighSetting is the fact about one setting of a project.
func weighSetting(name string, v setting, p settings.Project) fact {
	f := fact{what: "setting `" + strings.ReplaceAll(name, "/", ".") + "`", value: v.text}
	for _, w := range weighings {
		if !glob.Match(w.pattern, name) {
			continue
		}
		f.class = w.class
		if w.weigh != nil {
			w.weigh(&f, v, strings.Split(name, "/"), p)
		}
		break
	}
	return f
}

// weighLimit weighs a number: without one, there is no limit.
func weighLimit(f *fact, v setting, name []string, _ settings.Project) {
	f.kind, f.number = limitFact, v.number
	switch {
	case v.number == 0:
		f.number, f.value = math.Inf(1), "none"
	case name[len(name)-1] == "cost_usd":
		f.value = plain.Dollars(v.number)
	}
}

// rankBy weighs a setting by its place among the known values, which allow more and more.
func rankBy(rank func(v setting, name []string, p settings.Project) (value string, known []string)) func(*fact, setting, []string, settings.Project) {
	return func(f *fact, v setting, name []string, p settings.Project) {
		value, known := rank(v, name, p)
		f.kind, f.value, f.number = rankFact, value, float64(slices.Index(known, value))
	}
}

func gatesRank(v setting, _ []string, _ settings.Project) (string, []string) {
	known := []string{string(settings.GatesToken), string(settings.GatesTerminal), string(settings.GatesAny)}
	if v.text == "" {
		return string(settings.GatesAny), known
	}
	return v.text, known
}

// permissionRank is about an agent, whose kind has the permissions.
func permissionRank(v setting, name []string, p settings.Project) (string, []string) {
	agent, _ := p.Agents.Resolve(name[1])
	kind, _ := catalog.KindNamed(agent.Kind)
	if v.text == "" && len(kind.Permissions) > 0 {
		return kind.Permissions[0], kind.Permissions
	}
	return v.text, kind.Permissions
}

// sandboxRank is about all steps, or those of a kind, an agent or a node, for which a more general
// mode may decide.
func sandboxRank(_ setting, name []string, p settings.Project) (string, []string) {
	of := map[string]string{}
	if len(name) == 3 {
		of[name[1]] = name[2]
	}
	mode, _ := p.Sandbox.Of(of["kinds"], of["agents"], of["nodes"])
	return string(mode), []string{string(settings.SandboxOn), string(settings.SandboxReport), string(settings.SandboxOff)}
}

// weighSandboxGrants weighs what steps reach in the sandbox. Without one, they reach everything.
func weighSandboxGrants(f *fact, v setting, name []string, p settings.Project) {
	weighGrants("")(f, v, name, p)
	f.open = !p.Sandbox.Has(settings.SandboxOn)
}

// weighGrants weighs a list of what is allowed; otherwise is what holds without it.
func weighGrants(otherwise string) func(*fact, setting, []string, settings.Project) {
	return func(f *fact, v setting, _ []string, _ settings.Project) {
		f.kind, f.value = grantFact, otherwise
		if v.entries != nil {
			f.value = strings.Join(v.entries, "\n")
		}
		f.open = slices.Contains(splitEntries(f.value), everything)
	}
}

// flattenSettings returns the settings of a project that programs have, by the keys of wfc.yaml
// with slashes between them. An agent has those of the agent in its `use`, too.
func flattenSettings(p settings.Project) map[string]setting {
	p.Agents = slices.Clone(p.Agents)
	for i, a := range p.Agents {
		if from, ok := p.Agents.Resolve(a.Name); ok {
			p.Agents[i] = a.Inherit(from)
		}
	}
	all := map[string]setting{}
	flattenValue(all, "", reflect.ValueOf(p))
	return all
}

// keyNames are the keys of wfc.yaml for fields whose names say something else. "" stands for the key
// around it, and one that begins with a slash is not below the others.
var keyNames = map[string]string{
	"All": "", "Default": "", "Rules": "", "Mode": "",
	"Environ": "env", "PassEnv": "environment", "CostUSD": "cost_usd", "BaseURL": "base_url", "URLVariable": "url_variable",
	"Channels": "delivery/channels", "DeliverTo": "delivery/default", "Grants": "/grants", "Sets": "/grant_sets",
}

// flattenValue adds the settings in a value.
func flattenValue(all map[string]setting, name string, v reflect.Value) {
	below := func(key string) string { return strings.TrimPrefix(name+"/"+key, "/") }
	switch {
	case v.IsZero():
	case v.Type() == reflect.TypeFor[time.Duration]():
		all[name] = setting{text: fmt.Sprint(v)}
	case v.Kind() == reflect.Pointer:
		flattenValue(all, name, v.Elem())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key, known := keyNames[field.Name]
			rest, top := strings.CutPrefix(key, "/")
			switch {
			case field.Tag.Get("settings") == "compiler":
			case top:
				flattenValue(all, rest, v.Field(i))
			case known && key == "":
				flattenValue(all, name, v.Field(i))
			case known:
				flattenValue(all, below(key), v.Field(i))
			default:
				flattenValue(all, below(snakeCase(field.Name)), v.Field(i))
			}
		}
	case v.Kind() == reflect.Map:
		for pairs := v.MapRange(); pairs.Next(); {
			flattenValue(all, below(pairs.Key().String()), pairs.Value())
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			key, item := fmt.Sprint(i+1), v.Index(i)
			if first := item.Field(0); first.Kind() == reflect.String { // the name or the event
				key = first.String()
				item = reflect.New(item.Type()).Elem()
				item.Set(v.Index(i))
				item.Field(0).SetZero()
			}
			flattenValue(all, below(key), item)
		}
	case v.Kind() == reflect.Slice:
		entries := make([]string, v.Len())
		for i := range entries {
			entries[i] = v.Index(i).String()
		}
		all[name] = setting{text: strings.Join(entries, ", "), entries: entries}
	case v.CanFloat():
		all[name] = setting{text: fmt.Sprint(v), number: v.Float()}
	case v.CanInt():
		all[name] = setting{text: fmt.Sprint(v), number: float64(v.Int())}
	default:
		all[name] = setting{text: fmt.Sprint(v)}
	}
}

// snakeCase is the name of a field as keys are written.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
