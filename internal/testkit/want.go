package testkit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// A Want is a finding that a fixture expects, written in it as
//
//	# want WFC203 "regexp"
//
// on the line of the finding. `# want+2 …` and `# want-1 …` speak of the line
// so many below or above, for lines that cannot hold a comment. Several pairs
// may follow one another.
type Want struct {
	File string
	Line int
	Code string
	// Message must match somewhere in the finding's message.
	Message *regexp.Regexp
}

// Wants reads the expectations of a file.
func Wants(name, content string) ([]Want, error) {
	var wants []Want
	line := 0
	for text := range strings.Lines(content) {
		line++
		_, rest, ok := strings.Cut(text, "# want")
		if !ok {
			continue
		}
		at, rest, err := wantLine(line, rest)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
			code, pattern, _ := strings.Cut(rest, " ")
			quoted, err := strconv.QuotedPrefix(strings.TrimSpace(pattern))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: after %s: want a quoted regular expression", name, line, code)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			wants = append(wants, Want{name, at, code, re})
			rest = strings.TrimSpace(pattern)[len(quoted):]
		}
	}
	return wants, nil
}

func wantLine(line int, rest string) (at int, tail string, err error) {
	offset, tail, _ := strings.Cut(rest, " ")
	if offset == "" {
		return line, tail, nil
	}
	n, err := strconv.Atoi(offset)
	if err != nil {
		return 0, "", fmt.Errorf("want%s: expected a number of lines", offset)
	}
	return line + n, tail, nil
}

// Compare returns the differences between the expectations and the findings, one
// per entry: every finding must be expected and the other way round.
func Compare(wants []Want, findings []*diag.Diagnostic) []string {
	var faults []string
	used := make([]bool, len(wants))
	for _, d := range findings {
		file, line := "", 0
		if d.Span.IsValid() {
			file, line = d.Span.File.Name, d.Span.Position().Line
		}
		i := slices.IndexFunc(wants, func(w Want) bool {
			return w.File == file && w.Line == line && w.Code == d.Code.ID && w.Message.MatchString(d.Message)
		})
		for i >= 0 && used[i] {
			j := slices.IndexFunc(wants[i+1:], func(w Want) bool {
				return w.File == file && w.Line == line && w.Code == d.Code.ID && w.Message.MatchString(d.Message)
			})
			if j < 0 {
				i = -1
				break
			}
			i += 1 + j
		}
		if i < 0 {
			faults = append(faults, fmt.Sprintf("%s:%d: unexpected %s[%s]: %s", file, line, d.Severity, d.Code.ID, d.Message))
			continue
		}
		used[i] = true
	}
	for i, w := range wants {
		if !used[i] {
			faults = append(faults, fmt.Sprintf("%s:%d: expected %s %q, which was not reported", w.File, w.Line, w.Code, w.Message))
		}
	}
	return faults
}
