package settings

import (
	"reflect"
	"slices"
)

// Inherit returns a with every setting that it does not set taken from the other agent.
func (a Agent) Inherit(from Agent) Agent {
	fill(reflect.ValueOf(&a).Elem(), reflect.ValueOf(from))
	return a
}

// With returns p with every setting that more sets replaced. Structs and maps are merged
// by field and key, and the variables of Environ are added. Agents and channels are
// added, too; of two with the same name, the one of more counts. Any other list is
// replaced.
func (p Project) With(more Project) Project {
	more.Agents = joined(p.Agents, more.Agents, func(a Agent) string { return a.Name })
	more.Channels = joined(p.Channels, more.Channels, func(c Channel) string { return c.Name })
	more.Environ = slices.Concat(p.Environ, more.Environ) // the last value of a variable counts
	fill(reflect.ValueOf(&more).Elem(), reflect.ValueOf(p))
	return more
}

// joined is a list with more behind it, without the elements whose names more has.
func joined[T any](list, more []T, name func(T) string) []T {
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}

// fill sets the fields of a struct that are zero, and the missing keys of its maps,
// to those of another one. It changes no map in place.
func fill(into, from reflect.Value) {
	for i := range into.NumField() {
		to, value := into.Field(i), from.Field(i)
		switch {
		case to.Kind() == reflect.Struct:
			fill(to, value)
		case to.IsZero():
			to.Set(value)
		case to.Kind() == reflect.Map:
			all := reflect.MakeMap(to.Type())
			for _, table := range []reflect.Value{value, to} {
				for pairs := table.MapRange(); pairs.Next(); {
					all.SetMapIndex(pairs.Key(), pairs.Value())
				}
			}
			to.Set(all)
		}
	}
}
