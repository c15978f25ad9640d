package mutate

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A unit is a generated file with its declarations.
type unit struct {
	src   []byte
	fset  *token.FileSet
	file  *ast.File
	decls map[string]*decl
	order []string
	// imports are the paths of imported packages by their names.
	imports map[string]string
}

type declKind int

const (
	funcKind declKind = iota
	valueKind
	typeKind
)

// A decl is a declaration. A group of constants or types is one, under its first name.
type decl struct {
	kind declKind
	// name is the declared name; the key of a method also has its receiver's type.
	name string
	// names are all declared names.
	names []string
	node  ast.Node
	fn    *ast.FuncDecl
	// receiver is the name of a method's receiver.
	receiver string
	// code are the tokens without comments and line numbers; signature are those of the
	// types of parameters and results.
	code, signature string
	start, end      int
	idents          map[string]bool
	u               *unit
}

func parseUnit(src []byte) (*unit, error) {
	u := &unit{src: src, fset: token.NewFileSet(), decls: map[string]*decl{}, imports: map[string]string{}}
	var err error
	if u.file, err = parser.ParseFile(u.fset, "", src, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	for _, s := range u.file.Imports {
		where, _ := strconv.Unquote(s.Path.Value) // it was parsed
		name := path.Base(where)
		if s.Name != nil {
			name = s.Name.Name
		}
		u.imports[name] = where
	}
	for _, node := range u.file.Decls {
		switch node := node.(type) {
		case *ast.FuncDecl:
			u.addDecl(u.functionDecl(node))
		case *ast.GenDecl:
			if node.Tok != token.IMPORT {
				u.addDecl(u.genDecl(node))
			}
		}
	}
	return u, nil
}

func (u *unit) addDecl(key string, d *decl) {
	u.decls[key] = d
	u.order = append(u.order, key)
}

// fileOffset is the place of a node in the file, without regard to line comments.
func (u *unit) fileOffset(p token.Pos) int { return u.fset.PositionFor(p, false).Offset }

func (u *unit) sourceText(n ast.Node) string {
	return string(u.src[u.fileOffset(n.Pos()):u.fileOffset(n.End())])
}

func (u *unit) newDecl(kind declKind, name string, node ast.Node) *decl {
	d := &decl{kind: kind, name: name, names: []string{name}, node: node, u: u, start: u.fileOffset(node.Pos()), end: u.fileOffset(node.End()), idents: map[string]bool{}}
	d.code = normalizeTokens(string(u.src[d.start:d.end]))
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			d.idents[id.Name] = true
		}
		return true
	})
	return d
}

func (u *unit) functionDecl(fn *ast.FuncDecl) (string, *decl) {
	doc := fn.Doc
	fn.Doc = nil
	d := u.newDecl(funcKind, fn.Name.Name, fn)
	fn.Doc = doc
	d.fn = fn
	key := d.name
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		if names := fn.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
			d.receiver = names[0].Name
		}
		of := normalizeTokens(u.sourceText(fn.Recv.List[0].Type))
		key, d.signature = of+"."+key, of
	}
	for _, list := range []*ast.FieldList{fn.Type.Params, fn.Type.Results} {
		d.signature += " ("
		if list == nil {
			continue
		}
		for _, p := range list.List {
			for range max(len(p.Names), 1) {
				d.signature += normalizeTokens(u.sourceText(p.Type)) + ","
			}
		}
	}
	return key, d
}

func (u *unit) genDecl(g *ast.GenDecl) (string, *decl) {
	g.Doc = nil
	kind := valueKind
	if g.Tok == token.TYPE {
		kind = typeKind
	}
	var names []string
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				names = append(names, name.Name)
			}
		}
	}
	d := u.newDecl(kind, names[0], g)
	d.names = names
	if g.Tok == token.CONST && len(names) > 1 {
		d.kind = typeKind // the values of a type
	}
	return names[0], d
}

// normalizeTokens returns the tokens of code without comments and without the lines of the workflow
// file that tables have.
func normalizeTokens(code string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(code)), []byte(code), func(token.Position, string) {}, 0)
	var list []string
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if text == "" || text == "\n" {
			text = tok.String()
		}
		list = append(list, text)
		if n := len(list); n >= 3 && list[n-3] == "Line" && list[n-2] == ":" {
			list[n-1] = "0"
		}
	}
	return strings.Join(list, " ")
}

// usesAny reports whether the declaration uses one of the names.
func (d *decl) usesAny(names map[string]bool) bool {
	for name := range names {
		if d.idents[name] && !slices.Contains(d.names, name) {
			return true
		}
	}
	return false
}

// signatureUsesAny reports whether the signature of a function has one of the names.
func (d *decl) signatureUsesAny(names map[string]bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(d.signature, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }), func(word string) bool { return names[word] })
}

// literalField returns the value of a field of the composite literal that the declaration is.
func (d *decl) literalField(name string) *decl {
	var value *decl
	ast.Inspect(d.node, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok && value == nil {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				value = d.u.newDecl(valueKind, "", pair.Value)
			}
		}
		return value == nil
	})
	return value
}

// usedPackages returns the names of the imported packages that the declaration uses.
func (d *decl) usedPackages(imports map[string]string) []string {
	var list []string
	ast.Inspect(d.node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] != "" && !slices.Contains(list, x.Name) {
				list = append(list, x.Name)
			}
		}
		return true
	})
	return list
}

// renamedCode returns the code of the declaration in a mutant, with a suffix behind its name and
// behind the other names that the mutant gives anew.
func (d *decl) renamedCode(m *change, suffix string) string {
	u, names, methods := m.unit, map[string]bool{}, map[string]bool{}
	for key := range m.others {
		if o := u.decls[key]; o.fn != nil && o.fn.Recv != nil {
			methods[o.name] = true
		} else {
			for _, name := range o.names {
				names[name] = true
			}
		}
	}
	var edits []edit
	rename := func(id *ast.Ident) {
		at := u.fileOffset(id.Pos()) - d.start
		edits = append(edits, edit{at, at + len(id.Name), id.Name + suffix})
	}
	skip := map[*ast.Ident]bool{}
	if d.fn != nil {
		rename(d.fn.Name)
		skip[d.fn.Name] = true
	}
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			skip[n.Sel] = true
			if methods[n.Sel.Name] {
				rename(n.Sel)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				skip[id] = true
			}
		case *ast.Field:
			for _, name := range n.Names {
				skip[name] = d.kind == typeKind // the name of a field
			}
		case *ast.Ident:
			if names[n.Name] && !skip[n] {
				rename(n)
			}
		}
		return true
	})
	return string(applyEdits(u.src[d.start:d.end], edits))
}
