package embed

import (
	"cmp"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// with returns the options with what more says in place of what they say.
func (o Options) with(more Options) Options {
	o.Dir = cmp.Or(more.Dir, o.Dir)
	if more.OpenStore != nil || more.OpenDatabase != nil {
		o.OpenStore, o.OpenDatabase = more.OpenStore, more.OpenDatabase // an engine has one store
	}
	o.Performers = joined(o.Performers, more.Performers, engine.Performer.Kind)
	o.Kinds = joined(o.Kinds, more.Kinds, func(k agent.Kind) string { return k.Name })
	if more.Check != nil {
		o.Check = more.Check
	}
	answers := maps.Clone(o.Answers)
	if answers == nil {
		answers = map[string]Answer{}
	}
	maps.Copy(answers, more.Answers)
	o.Answers = answers
	o.Defaults = o.Defaults.With(more.Defaults)
	if more.Environ != nil {
		o.Environ = more.Environ
	}
	if more.Watch != nil {
		o.Watch = more.Watch
	}
	if more.Asker != nil {
		o.Asker = more.Asker
	}
	return o
}

// joined is a list with more behind it, without elements of the list whose name
// one of more has.
func joined[T any](list, more []T, name func(T) string) []T {
	if len(more) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}
