package color

import (
	"regexp"
	"strings"
)

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
