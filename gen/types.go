package gen

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// A typeSet makes Go types of the compiler's types: a struct of an object with
// known fields, a named string with constants of an enum, a pointer of what may
// be missing or null, and any of what Go cannot express.
type typeSet struct {
	names   *names
	structs map[*types.Struct]*structType
	enums   map[*types.Enum]*enumType
	decls   []func(*jen.File)
}

type structType struct {
	name   string
	doc    string
	fields []*fieldType
	// shaped says that its tags say how an output is made.
	shaped bool
}

// A fieldType is one field of a struct.
type fieldType struct {
	json, name string
	field      *types.Field
	code       *jen.Statement
	shape      fieldShape
}

type enumType struct {
	name string
	// values are those that have a constant.
	values []string
	consts map[string]string // by value
	// unnamed are the values without one, in backticks.
	unnamed []string
}

func newTypeSet(n *names) *typeSet {
	return &typeSet{names: n, structs: map[*types.Struct]*structType{}, enums: map[*types.Enum]*enumType{}}
}

// declareTypes writes the types that code needs.
func (s *typeSet) declareTypes(f *jen.File) {
	for _, d := range s.decls {
		d(f)
	}
}

// goType returns the Go type. name is what a type that needs a declaration is
// called, stem is what the names of types inside it begin with, and doc says
// what it is.
func (s *typeSet) goType(t types.Type, name, stem, doc string) *jen.Statement {
	switch t := t.(type) {
	case types.Basic:
		return basicType(t)
	case *types.Enum:
		return jen.Id(s.enumFor(t, name, doc).name)
	case *types.List:
		one := itemName(name)
		if base, output := strings.CutSuffix(name, "Output"); output {
			one = s.names.elementName(base) // as the output of an iteration, which also is an element of an output
		}
		if stem == name {
			stem = one
		} else {
			stem += "Item"
		}
		return jen.Index().Add(s.goType(t.Elem, one, stem, itemDoc(doc)))
	case *types.Optional:
		return pointerTo(t.Elem, s.goType(t.Elem, name, stem, doc))
	case *types.Struct:
		if d := s.structFor(t, name, stem, doc); d != nil {
			return jen.Id(d.name)
		}
	}
	return jen.Any()
}

// The documentation of a type inside another one names its path there: "the type of
// `findings[].severity` in the output of node `review`".
const (
	pathStart = "the type of `"
	pathEnd   = "` in "
)

// fieldDoc says what the type of a field is, in a type of which doc says the same.
func fieldDoc(doc, field string) string {
	if path, of, inside := cutPath(doc); inside {
		return pathStart + path + "." + field + pathEnd + of
	}
	return pathStart + field + pathEnd + doc
}

// itemDoc is fieldDoc for the elements of a list.
func itemDoc(doc string) string {
	if path, of, inside := cutPath(doc); inside {
		return pathStart + path + "[]" + pathEnd + of
	}
	return "an element of " + doc
}

func cutPath(doc string) (path, of string, inside bool) {
	if rest, ok := strings.CutPrefix(doc, pathStart); ok {
		return strings.Cut(rest, pathEnd)
	}
	return "", doc, false
}

// itemName is the name of the type of a list's elements: the singular of the list's name
// if dropping the s makes one, else the name with "Item".
func itemName(list string) string {
	one, plural := strings.CutSuffix(list, "s")
	for _, end := range []string{"s", "u", "i", "ie", "se", "xe", "ze", "che", "she", "oe", "New"} {
		plural = plural && !strings.HasSuffix(one, end)
	}
	if !plural {
		return list + "Item"
	}
	word := strings.LastIndexFunc(one, unicode.IsUpper)
	return one[:max(word, 0)] + capitalizeWord(one[max(word, 0):])
}

// elementName is the name of the type of an element of a node's output.
func (n *names) elementName(stem string) string {
	if one := itemName(stem); n.isFree(one) {
		return one
	}
	return stem + "Item"
}

func basicType(t types.Basic) *jen.Statement {
	switch t {
	case types.Text, types.Word, types.Line, types.Path:
		return jen.String()
	case types.Int:
		return jen.Int64()
	case types.Float:
		return jen.Float64()
	case types.Bool:
		return jen.Bool()
	}
	return jen.Any()
}

// pointerTo makes a type that can say that there is no value.
func pointerTo(t types.Type, code *jen.Statement) *jen.Statement {
	if !hasNil(t) {
		return jen.Op("*").Add(code)
	}
	return code
}

// hasNil reports whether a type's Go form has a nil value.
func hasNil(t types.Type) bool {
	switch t := t.(type) {
	case *types.Enum:
		return false
	case *types.Struct:
		return len(t.Fields) == 0
	case types.Basic:
		return !types.IsText(t) && !types.IsNumber(t) && t != types.Bool
	}
	return true // lists and optional values
}

func (s *typeSet) enumFor(t *types.Enum, name, doc string) *enumType {
	if e := s.enums[t]; e != nil {
		return e
	}
	e := s.newEnum(t, name)
	s.decls = append(s.decls, func(f *jen.File) { e.declareEnum(f, doc) })
	return e
}

// newEnum names an enum and its constants.
func (s *typeSet) newEnum(t *types.Enum, name string) *enumType {
	e := &enumType{name: s.names.takeName(name), consts: map[string]string{}}
	s.enums[t] = e
	for _, v := range t.Values {
		if name := constantSuffix(v); name == "" {
			e.unnamed = append(e.unnamed, "`"+cleanLine(v)+"`")
		} else if e.consts[v] == "" {
			e.consts[v], e.values = s.names.takeName(e.name+name), append(e.values, v)
		}
	}
	return e
}

// constantSuffix is what an enum's value adds to the name of its constant, "" if a value such
// as ">=" has none.
func constantSuffix(value string) string {
	if value == "" {
		return "Empty"
	}
	name := strings.TrimPrefix(exportedName(value, "_"), "_")
	if name == "" && value[0] == '_' { // which outputs of a graph's nodes can be
		return "Underscore"
	}
	return name
}

func (e *enumType) declareEnum(f *jen.File, doc string) {
	f.Line()
	f.Comment(wrapComment(e.name + " is " + doc + "."))
	f.Type().Id(e.name).String()
	f.Line()
	doc = "The values of " + e.name
	if len(e.unnamed) > 0 {
		doc += ", without " + plain.JoinAnd(e.unnamed) + ", which no name can spell"
	}
	f.Comment(wrapComment(doc + "."))
	f.Const().DefsFunc(e.defineValues)
}

// defineValues writes the constants of an enum.
func (e *enumType) defineValues(list *jen.Group) {
	for _, v := range e.values {
		list.Id(e.consts[v]).Id(e.name).Op("=").Lit(v)
	}
}

// structFor returns the struct of a type, or nil when nothing is known of its
// fields or it holds itself.
func (s *typeSet) structFor(t *types.Struct, name, stem, doc string) *structType {
	if d, known := s.structs[t]; known {
		return d
	}
	if len(t.Fields) == 0 {
		return nil
	}
	s.structs[t] = nil // while its fields are declared
	d := &structType{name: s.names.takeName(name), doc: doc}
	fieldNames := &names{taken: map[string]bool{}}
	for _, f := range t.Fields {
		if !tagName(f.Name) {
			d.doc += ", without the field `" + f.Name + "`, which no tag can name"
			continue
		}
		goName := fieldNames.takeName(exportedName(f.Name, "Field"))
		inside := stem + goName
		if stem == goName {
			inside = stem // else the name would stutter
		}
		code := s.goType(f.Type, inside, inside, fieldDoc(doc, f.Name))
		if !f.Required {
			code = pointerTo(f.Type, code)
		}
		d.fields = append(d.fields, &fieldType{json: f.Name, name: goName, field: f, code: code})
	}
	s.structs[t] = d
	s.decls = append(s.decls, d.declareStruct)
	return d
}

func (d *structType) declareStruct(f *jen.File) {
	f.Line()
	f.Comment(wrapComment(d.name + " is " + d.doc + "."))
	f.Type().Id(d.name).StructFunc(func(g *jen.Group) {
		for _, field := range d.fields {
			switch {
			case field.shape.added == "review":
				g.Comment(wrapComment(field.name + " reports whether a person accepted the output."))
			case field.shape.added == "artifact":
				g.Comment(wrapComment(field.name + " is the path of the file with the program's output."))
			case field.field.Doc != "":
				g.Comment(wrapComment(field.field.Doc))
			}
			g.Id(field.name).Add(field.code).Op(field.structTag())
		}
	})
}

// structTag is the field's tags.
func (f *fieldType) structTag() string {
	text := strings.Trim(jsonTag(f.json, !f.field.Required), "`")
	if f.shape.is != "" {
		text += " is:" + strconv.Quote(f.shape.is)
	}
	if byDefault := f.shape.byDefault; byDefault != "" {
		// A string stands in the tag as it is; see output.Of.
		if s := ""; json.Unmarshal([]byte(byDefault), &s) == nil && s != "null" && byDefault != "null" && !strings.HasPrefix(s, `"`) {
			byDefault = s
		}
		text += " default:" + strconv.Quote(byDefault)
	}
	if f.shape.added != "" {
		text += " " + f.shape.added + `:"true"`
	}
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// aliasType has a type be of the same Go type as an identical one.
func (s *typeSet) aliasType(t, of types.Type) {
	switch t := t.(type) {
	case *types.Enum:
		if e := s.enums[of.(*types.Enum)]; e != nil {
			s.enums[t] = e
		}
	case *types.List:
		s.aliasType(t.Elem, of.(*types.List).Elem)
	case *types.Optional:
		s.aliasType(t.Elem, of.(*types.Optional).Elem)
	case *types.Struct:
		if d := s.structs[of.(*types.Struct)]; d != nil {
			s.structs[t] = d
		}
		for i, f := range t.Fields {
			s.aliasType(f.Type, of.(*types.Struct).Fields[i].Type)
		}
	}
}

// fieldNamed returns a struct's field by its name in JSON, or nil.
func (d *structType) fieldNamed(name string) *fieldType {
	for _, f := range d.fields {
		if f.json == name {
			return f
		}
	}
	return nil
}

// jsonTag is a field's json tag.
func jsonTag(name string, optional bool) string {
	switch {
	case optional:
		name += ",omitempty"
	case name == "-":
		name += "," // alone it would leave the field out
	}
	return "`json:\"" + name + "\"`"
}

// tagName reports whether encoding/json takes a name from a tag as it is.
func tagName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

// A fieldShape is what tags say of a field besides its name.
type fieldShape struct {
	// is is the kind of a string, byDefault the JSON value of a field that is
	// absent, and added is the tag of a field that the step does not give, or "".
	is, byDefault, added string
}

// stateGo is the Go type of a variable.
func stateGo(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case types.Basic:
		if types.IsText(t) || types.IsNumber(t) || t == types.Bool {
			return basicType(t)
		}
	case *types.Enum:
		return jen.String()
	case *types.List:
		return jen.Index().Add(stateGo(t.Elem))
	case *types.Optional:
		if isScalar(t.Elem) {
			return jen.Op("*").Add(stateGo(t.Elem))
		}
		return stateGo(t.Elem)
	}
	return jen.Qual("encoding/json", "RawMessage")
}
