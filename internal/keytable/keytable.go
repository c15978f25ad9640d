// Package keytable describes the keys of a format for editors: the tables that the front
// ends decode by, without the functions that decode.
package keytable

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Format has the kinds of mappings of a format, the file itself first.
type Format struct {
	Levels []*Level
}

// A Level is a kind of mapping.
type Level struct {
	// Where describes the place of its keys, such as "on a node".
	Where string
	Keys  []Key
}

// A Key is a key of a level.
type Key struct {
	Name string
	// Doc is the description, and Value describes the values.
	Doc, Value string
	Required   bool
	Shape      *Shape
}

// A Shape describes values as far as editors need it.
type Shape struct {
	// Choices are the strings that are accepted; nil means all.
	Choices []string
	// Bool says that the value is true or false.
	Bool bool
	// Text says that the value is a string.
	Text bool
	// Level is the kind of mapping; Of is the shape of items, or of values with free keys.
	Level *Level
	Of    *Shape
	// List says that Of is the shape of items.
	List bool
	// Or is another shape that is accepted, or nil.
	Or *Shape
}

// Key returns the key of a name, or nil.
func (l *Level) Key(name string) *Key {
	if l == nil {
		return nil
	}
	if i := slices.IndexFunc(l.Keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return &l.Keys[i]
	}
	return nil
}

// Names returns the names of the keys.
func (l *Level) Names() []string {
	if l == nil {
		return nil
	}
	return plain.Texts(l.Keys, func(k Key) string { return k.Name })
}

// A Step leads from a value to one inside it: to the value of Key, or to an item of a list
// if Item is true.
type Step struct {
	Key  string
	Item bool
	// Type is the value of the key `type` of the mapping that the step leads to, or "".
	Type string
}

// At follows steps from the top of a file. It returns the kind of the mapping that they lead
// to, or nil, and the shape of the value, or nil if that is unknown.
func (f *Format) At(steps []Step) (*Level, *Shape) {
	if f == nil || len(f.Levels) == 0 {
		return nil, nil
	}
	level, shape := f.Levels[0], (*Shape)(nil)
	for i, s := range steps {
		var next *Shape
		switch {
		case level != nil && !s.Item:
			if k := level.Key(s.Key); k != nil {
				next = k.Shape
			}
		default:
			next = shape.Inner(s.Item)
		}
		shape, level = next, next.Mapping()
		if level == nil && i == 1 && steps[0].Key == "nodes" {
			level = f.levelOfType(s.Type)
		}
	}
	return level, shape
}

// levelOfType returns the level of the nodes of a state graph with a type: "on a task" for
// `type: task`. For another type it is that of all nodes, with the keys of each.
func (f *Format) levelOfType(typ string) *Level {
	all := &Level{Where: "on a node"}
	for _, l := range f.Levels {
		if !strings.HasPrefix(l.Where, "on a ") {
			continue
		}
		if l.Where == "on a "+typ {
			return l
		}
		for _, k := range l.Keys {
			switch known := all.Key(k.Name); {
			case known == nil:
				shape := *k.Shape
				k.Shape = &shape
				all.Keys = append(all.Keys, k)
			case k.Name == "type":
				known.Shape.Choices = append(slices.Clone(known.Shape.Choices), k.Shape.Choices...)
			}
		}
	}
	if len(all.Keys) == 0 {
		return nil
	}
	return all
}

// Inner returns the shape of the items of a list, or of the values of a mapping with free
// keys.
func (s *Shape) Inner(item bool) *Shape {
	for ; s != nil; s = s.Or {
		if s.Of != nil && s.List == item {
			return s.Of
		}
	}
	return nil
}

// Mapping returns the kind of mapping that a shape accepts, or nil.
func (s *Shape) Mapping() *Level {
	for ; s != nil; s = s.Or {
		if s.Level != nil {
			return s.Level
		}
	}
	return nil
}

// Values returns the strings that a shape accepts, if they are few.
func (s *Shape) Values() []string {
	var list []string
	for ; s != nil; s = s.Or {
		list = append(list, s.Choices...)
		if s.Bool {
			list = append(list, "true", "false")
		}
	}
	return list
}
