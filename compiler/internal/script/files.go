package script

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
)

// writers are methods and functions that write a file.
var writers = []string{"write", "write_text", "write_bytes", "writelines", "writeFile", "writeFileSync", "appendFile", "appendFileSync", "print", "end", "dump", "copyfileobj"}

// movers are methods and functions that give a file another name.
var movers = []string{"copy", "copy2", "copyfile", "rename", "renameSync", "move", "replace", "link", "symlink", "symlinkSync", "linkSync", "copyFile", "copyFileSync"}

// ruled are files by which programs that are started without a hint at them are
// ruled.
var ruled = []string{"Makefile", "makefile", "GNUmakefile", "package.json", "conftest.py", "setup.py", "build.rs", "Justfile", "justfile", "Rakefile", "sitecustomize.py", "usercustomize.py", "bunfig.toml", ".bashrc", ".profile", ".npmrc", "config", "pre-commit", "post-checkout", "post-commit", ".gitconfig", "build.gradle", "CMakeLists.txt", "tox.ini", "pytest.ini", "noxfile.py", "Gruntfile.js", "gulpfile.js", "authorized_keys", ".pythonrc"}

// judgeFiles refuses a script that writes a value to a file and then runs or
// imports that file.
func (f *flow) judgeFiles() {
	names := map[string]*call{}
	for _, c := range f.calls {
		m := f.method(c)
		if !slices.Contains(writers, m) {
			continue
		}
		var v value
		for _, a := range c.args {
			v = v.join(f.argument(a).part())
		}
		if v.marks&hostile == 0 {
			continue
		}
		from, to := c.chain.atom, c.chain.end
		if m == "print" || m == "dump" {
			from, to = 0, 0
			for i, a := range c.args {
				if a.name == "file" || m == "dump" && i == 1 {
					from, to = a.from, a.to
				}
			}
		}
		texts := f.fixedTexts(from, to, 0)
		for i := range len(texts) - 1 {
			texts = append(texts, texts[i]+texts[i+1]) // "x" + ".sh"
		}
		for _, t := range texts {
			if base := path.Base(strings.TrimSpace(t)); base != "." && len(base) > 1 && len(base) < 80 && !strings.ContainsAny(base, " \n") {
				names[base] = c
			}
		}
	}
	for _, c := range f.calls {
		f.copies(c, names)
	}
	if len(names) == 0 {
		return
	}
	for _, c := range f.calls {
		if by := f.runsFile(c, names); by != "" {
			f.report(finding.ScriptRunsFile(f.span(c.chain.atom, f.p.toks[c.open].match), by).
				WithRelated(f.span(names[by].chain.atom, f.p.toks[names[by].open].match), "the value is written here"))
			return
		}
	}
	for _, module := range f.imports {
		for _, name := range []string{module, path.Base(module), module + ".py", strings.ReplaceAll(module, ".", "/") + ".py", path.Base(module) + ".js", path.Base(module) + ".ts"} {
			if by := names[path.Base(name)]; by != nil {
				f.report(finding.ScriptRunsFile(f.span(by.chain.atom, f.p.toks[by.open].match), path.Base(name)))
				return
			}
		}
	}
}

// copies adds the files that a call gives the content of one of some files, or of
// a value.
func (f *flow) copies(c *call, names map[string]*call) {
	texts := f.fixedTexts(c.open, min(f.p.toks[c.open].match+1, len(f.p.toks)), 0)
	moved := slices.Contains(movers, f.method(c)) && slices.ContainsFunc(texts, func(t string) bool { return names[path.Base(t)] != nil })
	for _, n := range f.callee(c).names {
		if n = f.canonical(n); !slices.Contains(processes, n) {
			continue
		}
		list, rest, known := f.command(c, n)
		if !known || len(list) == 0 || !slices.Contains([]string{"tee", "cp", "mv", "dd", "install", "ln"}, programName(list[0].text)) {
			continue
		}
		texts = texts[:0]
		for _, e := range list[1:] {
			texts = append(texts, e.text)
			moved = moved || names[path.Base(e.text)] != nil
		}
		for _, a := range f.inputs(rest) {
			moved = moved || f.argument(a).marks&hostile != 0
		}
	}
	for _, t := range texts {
		if moved && len(t) > 1 && !strings.ContainsAny(t, " \n") && names[path.Base(t)] == nil {
			names[path.Base(t)] = c
		}
	}
}

// fixedTexts returns the constant strings in a range of tokens and in the bindings of the
// names there.
func (f *flow) fixedTexts(from, to, depth int) []string {
	var list []string
	for i := from; i < to && depth < 4; i++ {
		t := &f.p.toks[i]
		switch {
		case t.kind == text:
			text := f.p.src[t.lit.body[0]:t.lit.body[1]]
			list = append(list, text)
		case t.kind == word && !f.p.is(i-1, ".", "?.") && !f.isModule[t.text]:
			for _, b := range f.bound[t.text] {
				if bound := f.bindings[b]; bound.from < bound.to && bound.to-bound.from < 60 {
					list = append(list, f.fixedTexts(bound.from, bound.to, depth+1)...)
				}
			}
		}
	}
	return list
}

// runsFile returns which of some files a call runs, or "".
func (f *flow) runsFile(c *call, names map[string]*call) string {
	starts, loads := false, false
	for _, n := range f.callee(c).names {
		n = f.canonical(n)
		starts = starts || slices.Contains(processes, n) || isShell(n) || n == "Bun.$"
		loads = loads || f.runs(n)
	}
	if !starts && !loads && f.callee(c).marks&runner == 0 {
		return ""
	}
	all := strings.Join(f.fixedTexts(c.open, f.p.toks[c.open].match+1, 0), " ")
	words := regexp.MustCompile(`[\s;&|()"'`+"`"+`<>]+`).Split(all, -1)
	if c.tag {
		words = append(words, strings.Fields(f.p.src[f.p.toks[c.open].lit.body[0]:f.p.toks[c.open].lit.body[1]])...)
	}
	runs := loads && !starts
	for i, w := range words {
		base := path.Base(w)
		if !starts {
			if by := names[base]; by != nil {
				return base
			}
			for _, end := range []string{".py", ".js", ".ts", ".mjs", ".cjs"} {
				if names[base+end] != nil {
					return base + end
				}
			}
			continue
		}
		if names[base] != nil && (i == 0 || runs || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "/")) && (runs || i == 0 || strings.HasPrefix(w, "./")) {
			return base
		}
		program := programName(w)
		if isInterpreter(program) || slices.Contains([]string{"source", ".", "chmod", "make", "sqlite", "psql"}, program) || slices.Contains(textPrograms, program) || w == "-f" || w == "-m" {
			runs = true
			continue
		}
		if runs && !strings.HasPrefix(w, "-") && strings.Contains(w, ".") {
			runs = false // another script, and its arguments
		}
	}
	if starts {
		for _, name := range ruled {
			if names[name] != nil {
				return name
			}
		}
	}
	return ""
}

// judgeEnvironment judges the environment of a process.
func (f *flow) judgeEnvironment(a argument, shown string) {
	v := f.argument(a)
	if v.marks&dirty == 0 || f.onlyKeyed(a.from, a.to, 0) {
		return
	}
	f.refuse(a.from, a.to, "the environment of "+shown, "set variables by fixed names: `{**os.environ, 'TITLE': …}`")
}

// onlyKeyed reports whether an environment gets values under fixed names only,
// none of which names a program.
func (f *flow) onlyKeyed(from, to, depth int) bool {
	p := f.p
	if depth > 4 {
		return false
	}
	for _, c := range f.chains(from, to) {
		plain := false
		for k := 0; k <= len(c.trailers); k++ {
			plain = plain || slices.ContainsFunc(f.upTo(&c, k).names, f.isEnvironment)
		}
		switch {
		case plain: // its content was judged where it was set
		case p.is(c.atom, "{") && len(c.trailers) == 0:
			for _, part := range p.arguments(c.atom) {
				if p.is(part[0], "**", "...") {
					if v := f.expression(part[0]+1, part[1]+1); v.marks&hostile != 0 && !f.onlyKeyed(part[0]+1, part[1]+1, depth+1) {
						return false
					}
					continue
				}
				key, ok := p.constant([2]int{part[0], part[0]})
				if p.isKind(part[0], word) && p.lang == JavaScript {
					key, ok = p.toks[part[0]].text, true
				}
				from := min(part[0]+2, part[1])
				if f.expression(from, part[1]+1).marks&dirty != 0 && (!ok || namesProgram(key)) {
					return false
				}
			}
		case f.root(&c) != "" && len(f.bound[f.root(&c)]) > 0 && !f.isModule[f.root(&c)]:
			for _, i := range f.bound[f.root(&c)] {
				b := f.bindings[i]
				if b.element || b.from >= b.to || !f.onlyKeyed(b.from, b.to, depth+1) {
					return false
				}
			}
			for _, by := range f.calls {
				if f.root(by.chain) == f.root(&c) && by.at == 1 && slices.Contains([]string{"update", "setdefault"}, f.method(by)) && f.anyDirty(by) {
					for _, a := range by.args {
						if a.name == "" && !f.onlyKeyed(a.from, a.to, depth+1) || namesProgram(a.name) {
							return false
						}
					}
				}
			}
			for i := range f.writes {
				w := &f.writes[i]
				if f.root(&w.chain) != f.root(&c) {
					continue
				}
				last := w.chain.trailers[len(w.chain.trailers)-1]
				key, ok := "", false
				if last.kind == '[' {
					key, ok = p.soleText(last.tok)
				} else if p.lang == JavaScript {
					key, ok = p.toks[last.tok].text, true
				}
				if f.expression(w.from, w.to).marks&dirty != 0 && (!ok || namesProgram(key)) {
					return false
				}
			}
		case f.root(&c) == "dict":
			for _, t := range c.trailers {
				if by := f.callAt[t.tok]; by != nil {
					for _, a := range by.args {
						if a.name != "" && namesProgram(a.name) && f.argument(a).marks&dirty != 0 {
							return false
						}
						if a.name == "" && f.argument(a).marks&hostile != 0 && !f.onlyKeyed(a.from, a.to, depth+1) {
							return false
						}
					}
				}
			}
		default:
			if f.chain(&c).marks&hostile != 0 {
				return false
			}
		}
	}
	return true
}

// judgeEnvironmentWrite judges a variable that the script sets for the programs
// that it starts.
func (f *flow) judgeEnvironmentWrite(w *write, base, v value, last trailer) {
	if !slices.ContainsFunc(base.names, f.isEnvironment) {
		return
	}
	key, ok := "", false
	if last.kind == '[' {
		key, ok = f.p.soleText(last.tok)
	} else {
		key, ok = f.p.toks[last.tok].text, true
	}
	f.judgeVariable(key, ok, last, w.from, w.to, v)
}

func (f *flow) judgeVariable(key string, fixed bool, last trailer, from, to int, v value) {
	switch {
	case fixed && namesProgram(key) && v.marks&dirty != 0:
		f.report(finding.ScriptEnvironment(f.span(from, to-1), key))
	case !fixed && last.kind == '[' && f.within(last.tok).marks&hostile != 0, !fixed && v.marks&hostile != 0:
		f.report(finding.ScriptEnvironment(f.span(from, to-1), "a variable"))
	}
}

// judgeEnvironmentCall judges os.environ.update and its kin.
func (f *flow) judgeEnvironmentCall(c *call) {
	base := f.base(c)
	method := f.method(c)
	of := slices.ContainsFunc(base.names, f.isEnvironment)
	args := c.args
	if slices.ContainsFunc(f.callee(c).names, func(n string) bool { return f.canonical(n) == "Object.assign" }) && len(args) > 1 {
		of = slices.ContainsFunc(f.argument(args[0]).names, f.isEnvironment)
		args, method = args[1:], "update"
	}
	if !of {
		return
	}
	switch method {
	case "update", "__ior__":
		for _, a := range args {
			if a.name != "" && namesProgram(a.name) && f.argument(a).marks&dirty != 0 || a.name == "" && f.argument(a).marks&hostile != 0 && !f.onlyKeyed(a.from, a.to, 0) {
				f.report(finding.ScriptEnvironment(f.span(a.from, a.to-1), "a variable"))
				return
			}
		}
	case "setdefault", "__setitem__":
		if len(args) > 1 {
			key, ok := f.p.constant([2]int{args[0].from, args[0].to - 1})
			if v := f.argument(args[1]); v.marks&dirty != 0 && (!ok || namesProgram(key)) {
				f.report(finding.ScriptEnvironment(f.span(args[1].from, args[1].to-1), key))
			}
		}
	}
}
