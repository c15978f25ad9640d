package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/finding"
)

// checkBuiltin refuses values as names of variables.
func (s *script) checkBuiltin(c *command, name string, nodes []syntax.Node) {
	args := c.words[min(1, len(c.words)):]
	var names, code []*syntax.Word
	after := func(options ...string) (found []*syntax.Word) {
		for i, w := range args[:max(0, len(args)-1)] {
			if a := s.read(w); a.full && slices.Contains(options, a.text) {
				found = append(found, args[i+1])
			}
		}
		return found
	}
	switch name {
	case "read", "unset", "getopts":
		names = s.nameOperands(c)
		if name == "read" {
			for i, w := range args[:max(0, len(args)-1)] {
				if a := s.read(w); a.full && strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "a") {
					names = append(names, args[i+1])
				}
			}
		}
	case "mapfile", "readarray":
		names, code = s.nameOperands(c), after("-C")
	case "printf":
		if len(args) > 1 && s.read(args[0]).text == "-v" {
			names = args[1:2]
		} else if len(args) > 1 && !s.read(args[0]).full && s.read(args[0]).text == "" && len(s.tracker.carriers(args[0])) > 0 {
			names = args[:1] // an option may come out of it
		}
	case "test", "[":
		names = after("-v", "-R")
	case "wait":
		names = after("-p")
	case "export", "readonly", "declare", "typeset", "local", // behind command or builtin
		"bind", "enable", "history", "fc":
		code = args
	case "compgen", "complete":
		code = append(after("-C", "-W", "-F", "-P", "-S"), after("-A")...)
	case "hash":
		code = after("-p")
	case "let":
		for _, w := range args {
			for _, k := range s.tracker.carriers(w) {
				if k.through == "" && k.seed.spot != nil && !k.seed.spot.place.arith {
					s.refuseCarrier(k, finding.ShellProgramText(s.at(k), s.subject(k), "`let`").WithHelp("calculate in `(( … ))`"))
				}
			}
		}
	}
	for _, w := range code {
		s.checkShellCode([]*syntax.Word{w}, "`"+name+"`", "keep values out of the program that `"+name+"` runs", s.sameSees(c))
	}
	for _, w := range names {
		s.refuseNames("the name of a variable of `"+name+"`", w)
	}
}

// refuseNames refuses hostile text that bash reads as a name.
func (s *script) refuseNames(what string, n syntax.Node) {
	for _, k := range s.tracker.carriers(n) {
		s.refuseCarrier(k, finding.ShellHoleAsName(s.at(k), s.subject(k), what).
			WithHelp("use a fixed name, and the value as a key of an associative array: `declare -A by; by["+s.label(k)+"]=…`"))
	}
}

// checkParameter refuses ${!x} and ${x@P} of a value: bash evaluates the text of
// x as the name of a variable, subscripts included, or as a prompt.
func (s *script) checkParameter(n *syntax.ParamExp) {
	if n.Param == nil {
		return
	}
	prompt := n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P"
	if !prompt && (!n.Excl || n.Names != 0 || allElements(n)) {
		return
	}
	start, end := offsets(n)
	v := s.tracker.variable(n.Param.Value, start)
	for _, o := range v.origins {
		k := carrier{o, start, end, n.Param.Value}
		if prompt {
			s.refuseCarrier(k, finding.ShellProgramText(s.at(k), s.subject(k), "the expansion `${…@P}`").WithHelp("print the value unchanged: `"+s.label(k)+"`"))
			continue
		}
		s.refuseCarrier(k, finding.ShellHoleAsName(s.at(k), s.subject(k), "the name of a variable").
			WithHelp("use an associative array: `declare -A by; … ${by[$"+n.Param.Value+"]}`"))
	}
}

// checkDeclared refuses hostile text among the names of a declaration, and where
// a declaration reads it as an array.
func (s *script) checkDeclared(d *syntax.DeclClause) {
	flags := declFlags(d)
	command := "`" + d.Variant.Value + "`"
	for _, a := range d.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			text := s.read(a.Value).text
			name, _, ok := strings.Cut(text, "=")
			if ok && isName(strings.TrimSuffix(name, "+")) && strings.Trim(flags, "rxgtl") == "" && !s.isArray(strings.TrimSuffix(name, "+")) {
				continue
			}
			if strings.Contains(flags, "f") || strings.Contains(flags, "p") && d.Variant.Value != "export" {
				continue
			}
			s.refuseNames("a name or an option of "+command, a.Value)
		case a.Name != nil && a.Value != nil && strings.Contains(flags, "n") && d.Variant.Value != "export":
			s.refuseNames("the target of a reference", a.Value)
		case a.Name != nil && a.Value != nil && (strings.ContainsAny(flags, "aA") || s.isArray(a.Name.Value)):
			for _, k := range s.tracker.carriers(a.Value) {
				s.refuseCarrier(k, finding.ShellProgramText(s.at(k), s.subject(k), command).
					WithHelp("write the elements in parentheses: `"+d.Variant.Value+" -a "+a.Name.Value+"=("+s.label(k)+")`"))
			}
		}
	}
}

// isArray reports whether the script makes an array of a name anywhere.
func (s *script) isArray(name string) bool {
	return s.tree.arrays[name] || s.tree.associative[name]
}

// checkEvents refuses values in variables whose text some program runs, and in
// variables whose assignment is arithmetic that no guard can be before.
func (s *script) checkEvents() {
	for _, e := range s.tracker.list {
		switch {
		case e.value.hostile() && s.tree.references[e.name] && (s.tree.unbound[e.name] || e.assigned == nil):
			for _, n := range e.values {
				if _, ok := n.(*indirect); !ok {
					s.refuseNames("the target of a reference", n)
				}
			}
		case isProgramVariable(e.name):
			for _, n := range e.values {
				for _, k := range s.tracker.carriers(n) {
					s.refuseCarrier(k, finding.ShellProgramText(s.at(k), s.subject(k), "the readers of `"+e.name+"`").
						WithHelp("keep values out of `"+e.name+"`, and pass them as arguments"))
				}
			}
		case e.value.hostile() && e.assigned == nil && (s.tree.integers[e.name] || integerVariables[e.name]):
			for _, n := range e.values {
				for _, k := range s.tracker.carriers(n) {
					s.refuseCarrier(k, finding.ShellArithmeticVariable(s.at(k), s.subject(k), e.name))
				}
			}
		}
	}
	for _, d := range s.tracker.dynamic {
		if w, ok := d.target.(*syntax.Word); ok && d.event.value.hostile() {
			for _, c := range s.tracker.word(w).consts {
				if name, _, _ := strings.Cut(c, "="); isProgramVariable(name) || integerVariables[name] {
					s.refuseNames("`"+name+"`, which is run", w)
				}
			}
		}
	}
}

// nameOperands returns the operands of a builtin that are names of variables.
func (s *script) nameOperands(c *command) []*syntax.Word {
	name := s.literalName(c)
	value := map[string]string{"read": "dnNptuia", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}[name]
	var names []*syntax.Word
	options := true
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		if a.full && a.text == "--" {
			options = false
			continue
		}
		if options && strings.HasPrefix(a.text, "-") && len(a.text) > 1 {
			last := a.text[len(a.text)-1:]
			if a.full && strings.Contains(value, last) {
				i++
			}
			continue
		}
		names = append(names, c.words[i])
	}
	if name == "getopts" {
		if len(names) > 1 {
			return names[1:2]
		}
		return nil
	}
	return names
}
