package color

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// golang adds the tokens of Go code, also of parts of files.
func golang(l *list, code string) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, scanner.ScanComments)
	at := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		start := file.Offset(pos)
		end := start + len(text)
		class := Plain
		switch {
		case tok == token.COMMENT:
			class = Comment
		case tok == token.STRING || tok == token.CHAR:
			class = String
		case tok == token.INT || tok == token.FLOAT:
			class = Literal
		case tok.IsKeyword():
			class = Keyword
		default:
			continue
		}
		// The scanner removes carriage returns from tokens, so positions may differ.
		if start < at || end > len(code) || code[start:end] != text {
			continue
		}
		l.add(Plain, code[at:start])
		l.add(class, text)
		at = end
	}
	l.add(Plain, code[at:])
}

// console adds the tokens of a session: commands after a dollar sign, and their outputs. A
// command continues on the next line after a backslash.
func console(l *list, code string) {
	command := false
	for line := range strings.Lines(code) {
		if rest, ok := strings.CutPrefix(line, "$ "); ok && !command {
			l.add(Prompt, "$ ")
			line, command = rest, true
		}
		if !command {
			l.add(Plain, line)
			continue
		}
		l.scan(shell, line)
		command = strings.HasSuffix(line, "\\\n")
	}
}

var (
	// yamlKey matches the start of a line up to a key, the key, and the colon.
	yamlKey = regexp.MustCompile(`^((?:[ \t]|- )*)("[^"\n]*"|'[^'\n]*'|[\pL\d_$<.][^:#"'{}\[\],\n]*?)(:)(?:[ \t\n]|$)`)
	// yamlBlock matches a line that a block scalar follows.
	yamlBlock = regexp.MustCompile(`(?:^|[:-] +)[|>][+\-\d]*[ \t]*(?:#.*)?\n?$`)
	// yamlCode are the keys whose block scalars are scripts.
	yamlCode = map[string]bool{"bash": true, "run": true, "until_bash": true}
	values   = []rule{
		newRule(Comment, `#[^\n]*`, " \t\n"),
		newRule(String, doubleQuoted, " [{,:"),
		newRule(String, `'(?:[^'\n]|'')*'`, " [{,:"),
		newRule(Key, `([\w.-]+):[ \t\n]`, " {"),
		newRule(Literal, `(true|false|null|-?\d+(?:\.\d+)?)(?:[\n,\]}]|\s*\z|\s+#)`, " [,"),
	}
	// plain are the rules of a value that is not a flow collection: a colon in it ends no key.
	plain = append(append([]rule{}, values[:3]...), values[4])
)

// yaml adds the tokens of a YAML document, line by line.
func yaml(l *list, code string) {
	block, language := -1, "" // the column of the key of a block scalar, and its language
	var script strings.Builder
	flush := func() {
		l.scan(rulesOf[language], script.String())
		script.Reset()
		block = -1
	}
	for line := range strings.Lines(code) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 {
			if strings.TrimSpace(line) == "" || indent > block {
				script.WriteString(line)
				continue
			}
			flush()
		}
		key, rest := "", line
		if m := yamlKey.FindStringSubmatchIndex(line); m != nil {
			key, rest = line[m[4]:m[5]], line[m[7]:]
			l.add(Plain, line[:m[3]])
			l.add(Key, key)
			l.add(Plain, ":")
			indent = m[3]
		}
		if yamlBlock.MatchString(line) {
			block, language = indent, ""
			if yamlCode[key] {
				language = "sh"
			}
		}
		trimmed := strings.TrimLeft(rest, " -")
		switch {
		case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
			l.scan(values, rest)
		default:
			l.scan(plain, rest)
		}
	}
	flush()
}

const (
	doubleQuoted = `"(?:[^"\\\n]|\\.)*"`
	singleQuoted = `'(?:[^'\\\n]|\\.)*'`
	// spaces may precede comments and keywords.
	spaces = " \t\n"
)

// rulesOf has the rules of the languages that need no more than rules.
var rulesOf = map[string][]rule{
	"sh": shell, "bash": shell, "json": json, "python": python, "lua": lua,
	"toml": settings, "ini": settings, "dockerfile": docker, "lisp": lisp, "vim": vim,
}

var (
	shell = []rule{
		newRule(Comment, `#[^\n]*`, spaces+";"),
		newRule(String, `'[^']*'`, ""),
		newRule(String, `"(?:[^"\\]|\\[\s\S])*"`, ""),
		newRule(Value, `\$(?:\{[^}\n]*\}|\w+|[#?@*!])`, ""),
		newRule(Keyword, `(?:if|then|else|elif|fi|for|in|do|done|while|until|case|esac|function|return|exit|export|local)\b`, spaces+";("),
	}
	json = []rule{
		newRule(Key, `(`+doubleQuoted+`)\s*:`, ""),
		newRule(String, doubleQuoted, ""),
		newRule(Literal, `-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b`, spaces+",:["),
	}
	python = []rule{
		newRule(Comment, `#[^\n]*`, ""),
		newRule(String, `"""[\s\S]*?"""|`+doubleQuoted+`|`+singleQuoted, ""),
		newRule(Keyword, `(?:and|as|assert|break|class|continue|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b`, spaces+"([{=:,"),
		newRule(Literal, `\d+(?:\.\d+)?\b`, ""),
	}
	lua = []rule{
		newRule(Comment, `--[^\n]*`, ""),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Keyword, `(?:and|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|return|then|true|while)\b`, spaces+"({=,"),
	}
	settings = []rule{
		newRule(Comment, `[#;][^\n]*`, spaces),
		newRule(Keyword, `\[[^\]\n"=]*\]+(?:\n|\z)`, "\n"),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Key, `([\w.-]+)[ \t]*=`, "\n"),
		newRule(Literal, `(?:true|false|\d+)\b`, " =,["),
	}
	docker = []rule{
		newRule(Comment, `#[^\n]*`, "\n"),
		newRule(Keyword, `(?:FROM|AS|RUN|COPY|ADD|ENV|ARG|WORKDIR|USER|ENTRYPOINT|CMD|LABEL|EXPOSE|VOLUME)\b`, spaces),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Value, `\$(?:\{[^}\n]*\}|\w+)`, ""),
	}
	lisp = []rule{
		newRule(Comment, `;[^\n]*`, ""),
		newRule(String, doubleQuoted, ""),
		newRule(Keyword, `[\w-]+`, "("),
	}
	vim = []rule{
		newRule(Comment, `"[^\n]*`, "\n"),
		newRule(String, singleQuoted, ""),
	}
)
