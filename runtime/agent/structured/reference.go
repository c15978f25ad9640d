package structured

import (
	"fmt"
	"strconv"
	"strings"
)

// The validator follows a reference without end when it comes back to a schema
// at the same place of the value, as {"$ref": "#"} does. A stack overflow ends
// the program, so such schemas are found before. References are understood when
// they are JSON pointers into the schema itself.

// checkReferences finds references that cannot be followed.
func checkReferences(root any) error {
	c := &references{root: root, state: map[string]int{}}
	return c.everywhere(root, "")
}

type references struct {
	root any
	// state of a place: 1 while the schemas that apply with it are followed, 2
	// afterwards.
	state map[string]int
}

// everywhere follows from each place in the schema, also from places that only
// look like schemas, such as a default that holds a "$ref": refusing such a schema
// only means that the reply is not checked.
func (c *references) everywhere(tree any, place string) error {
	switch v := tree.(type) {
	case []any:
		for i, part := range v {
			if err := c.everywhere(part, place+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if _, ok := v["$id"].(string); ok && place != "" {
			return fmt.Errorf("read the schema: #%s has an $id of its own, which is not supported", place)
		}
		if err := c.follow(v, place); err != nil {
			return err
		}
		for name, part := range v {
			if err := c.everywhere(part, place+"/"+escape(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow goes to the schemas that apply to the same value as this one.
func (c *references) follow(tree any, place string) error {
	schema, ok := tree.(map[string]any)
	if !ok || c.state[place] == 2 {
		return nil
	}
	if c.state[place] == 1 {
		return fmt.Errorf("read the schema: #%s refers to itself without end", place)
	}
	c.state[place] = 1
	defer func() { c.state[place] = 2 }()
	if target, ok := schema["$ref"].(string); ok {
		part, err := c.find(target)
		if err != nil {
			return err
		}
		if err := c.follow(part, strings.TrimPrefix(target, "#")); err != nil {
			return err
		}
	}
	if _, ok := schema["$dynamicRef"].(string); ok {
		return fmt.Errorf("read the schema: #%s has a $dynamicRef, which is not supported; use $ref", place)
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if err := c.follow(schema[keyword], place+"/"+keyword); err != nil {
			return err
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := schema[keyword].([]any)
		for i, part := range parts {
			if err := c.follow(part, place+"/"+keyword+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependencies"} {
		parts, _ := schema[keyword].(map[string]any)
		for name, part := range parts {
			if err := c.follow(part, place+"/"+keyword+"/"+escape(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns what a reference refers to.
func (c *references) find(target string) (any, error) {
	pointer, local := strings.CutPrefix(target, "#")
	if !local || pointer != "" && !strings.HasPrefix(pointer, "/") || strings.Contains(pointer, "%") {
		return nil, fmt.Errorf("read the schema: the reference `%s` is no JSON pointer into the schema itself, such as `#/$defs/name`", target)
	}
	at := c.root
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, nowhere(target)
			}
			at = v[i]
		default:
			at = nil
		}
		if at == nil {
			return nil, nowhere(target)
		}
	}
	return at, nil
}

func nowhere(target string) error {
	return fmt.Errorf("read the schema: the reference `%s` leads nowhere", target)
}

// escape makes a step of a JSON pointer of a name.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
