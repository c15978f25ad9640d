package shell

import (
	"errors"
	"io"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/oracle"
	"mvdan.cc/sh/v3/syntax"
)

// maxFrames bounds how deep the parser may recurse. Its recursion follows the
// nesting of the script, and a stack that overflows would end the process.
const maxFrames = 20_000

var errTooDeep = errors.New("nested too deeply")

// depthReader passes the script to the parser in small steps and checks the parser's
// depth at each step but the first. That bounds the stack exactly for all constructs that
// nest, and costs nothing on a short script and almost nothing on a long one that does
// not nest.
type depthReader struct {
	rest    string
	started bool
}

func (r *depthReader) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	if r.started {
		var frame [1]uintptr
		if runtime.Callers(maxFrames, frame[:]) > 0 {
			return 0, errTooDeep
		}
	}
	r.started = true
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// newParser returns a parser for bash. It holds some kilobytes of buffers, so
// that it is worth using for more than one script.
func newParser() *syntax.Parser {
	return syntax.NewParser(syntax.KeepComments(true), syntax.Variant(syntax.LangBash))
}

func (s *parsed) parseBash(src string) (*syntax.File, error) {
	return s.space.parser.Parse(&depthReader{rest: src}, "")
}

// parseMasked masks and parses the script; false means that a fault was reported or
// that the script passes unread.
func (s *parsed) parseMasked() bool {
	if at := strings.IndexByte(s.src, 0); at >= 0 {
		s.report(finding.ScriptSyntax(s.sourceSpan(at, at+1), "bash", "it contains a NUL byte"))
		return false
	}
	s.masked = maskHoles(s.src, s.spots)
	file, err := s.parseBash(s.masked)
	if err != nil {
		s.reportUnparsed(err)
		return false
	}
	s.tree = s.newTree(file)
	return true
}

// reportUnparsed decides about a script that the parser rejects: bash has the last
// word.
func (s *parsed) reportUnparsed(err error) {
	if errors.Is(err, errTooDeep) {
		s.report(finding.ShellTooComplex(s.text.Whole(), "it is nested too deeply"))
		return
	}
	if p := s.delimiterHole(err); p != nil {
		s.refuseHole(p, finding.ShellHoleAsDelimiter(s.sourceSpan(p.Start, p.End), p.Label))
		return
	}
	at, problem := s.explainParseError(err)
	if isUnclosedHeredoc(err) {
		// Bash accepts it, and treats the rest of the script as text.
		s.report(finding.ScriptSyntax(s.sourceSpan(at, min(at+2, len(s.src))), "bash", problem))
		return
	}
	if check := s.options.Check; check == nil || check(s.masked) != Accepted {
		s.report(finding.ScriptSyntax(s.sourceSpan(at, min(at+1, len(s.src))), "bash", problem))
		return
	}
	for _, v := range s.options.Variables {
		// An unreadable part may contain outsiders' text anywhere.
		if found := strings.Index(s.src, v); found >= 0 && len(s.spots) == 0 {
			s.report(finding.ShellUnreadable(s.sourceSpan(found, found+len(v)), "$"+v, problem).
				WithRelated(s.sourceSpan(at, min(at+1, len(s.src))), "parsing stops here"))
			return
		}
	}
	if len(s.spots) > 0 {
		p := s.spots[0]
		s.report(finding.ShellUnreadable(s.sourceSpan(p.Start, p.End), p.Label, problem).
			WithRelated(s.sourceSpan(at, min(at+1, len(s.src))), "parsing stops here"))
	}
}

// isUnclosedHeredoc reports whether a parser's error is about a here-document
// without an end.
func isUnclosedHeredoc(err error) bool {
	var parse syntax.ParseError
	return errors.As(err, &parse) && strings.HasPrefix(parse.Text, "unclosed here-document")
}

// delimiterHole returns the hole that is the delimiter of the here-document
// which a parser's error says is never closed, or nil.
func (s *parsed) delimiterHole(err error) *spot {
	var parse syntax.ParseError
	if !isUnclosedHeredoc(err) || !errors.As(err, &parse) {
		return nil
	}
	start := min(int(parse.Pos.Offset()), len(s.masked))
	word := strings.TrimLeft(s.masked[start:], "0123456789<- \t")
	start = len(s.masked) - len(word)
	if end := strings.IndexAny(word, " \t\n;|&<>()"); end >= 0 {
		word = word[:end]
	}
	if holes := s.holesIn(start, start+len(word)); len(holes) > 0 {
		return holes[0]
	}
	return nil
}

// explainParseError gives the place and the words for a parser's error.
func (s *parsed) explainParseError(err error) (at int, problem string) {
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		return min(int(parse.Pos.Offset()), len(s.src)), s.unmaskLabels(rewordParseError(parse.Text))
	case errors.As(err, &lang):
		return min(int(lang.Pos.Offset()), len(s.src)), "not available in bash: " + s.unmaskLabels(lang.Feature)
	}
	return 0, err.Error()
}

// rewordParseError says a parser's error in the words of this compiler. Parts in
// backquotes are the script's own tokens.
func rewordParseError(text string) string {
	quoted := backquotedTokens(text)
	nth := func(i int) string {
		if 0 <= i && i < len(quoted) {
			return quoted[i]
		}
		return "this"
	}
	switch {
	case strings.Contains(text, "without closing quote"):
		return "the quote " + nth(len(quoted)-1) + " is never closed"
	case strings.Contains(text, "without matching"):
		return nth(len(quoted)-2) + " has no matching " + nth(len(quoted)-1)
	case strings.Contains(text, "must be followed by"):
		_, after, _ := strings.Cut(text, "must be followed by ")
		return nth(0) + " must be followed by " + after
	case strings.Contains(text, "statement must end with"):
		return nth(0) + " is never closed with " + nth(1)
	case strings.HasPrefix(text, "unclosed here-document"):
		return "no line ends the here-document " + nth(0)
	case strings.Contains(text, "can only be used") && len(quoted) > 0:
		return nth(0) + " is not allowed here"
	}
	return "unexpected " + text
}

// backquotedTokens returns the parts of a parser's error in backquotes, with these, in order.
func backquotedTokens(text string) []string {
	var parts []string
	for {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return parts
		}
		end := strings.IndexByte(text[start+1:], '`')
		if end < 0 {
			return parts
		}
		parts = append(parts, text[start:start+end+2])
		text = text[start+end+2:]
	}
}

// maskHoles returns the script with every hole overlaid by a word of the same length.
// The word is one letter repeated, chosen so that it is not a word of the script: a
// hole alone on a line must not end a here-document, nor must one in command
// position be a keyword.
func maskHoles(src string, spots []*spot) string {
	if len(spots) == 0 {
		return src
	}
	letter := maskLetter(src)
	b := []byte(src)
	for _, p := range spots {
		for i := p.Start; i < p.End; i++ {
			b[i] = letter
		}
	}
	return string(b)
}

// maskLetter returns a letter such that no word of the script consists of it alone.
// A script that uses every letter as a separate word gets the letter that is the
// shortest such word there.
func maskLetter(src string) byte {
	const letters = "QXZJKVWYUHGFDNBMPLRTSCAEIOqxzjkvwyuhgfdnbmplrtscaeio"
	if strings.IndexByte(src, letters[0]) < 0 {
		return letters[0]
	}
	var longest [256]int // longest word made of a letter alone
	for word := range bind.Words(src) {
		if strings.Trim(word, word[:1]) == "" {
			longest[word[0]] = max(longest[word[0]], len(word))
		}
	}
	best := letters[0]
	for i := range len(letters) {
		if longest[letters[i]] < longest[best] {
			best = letters[i]
		}
	}
	return best
}

// unmaskLabels puts labels back into a message that may quote masked text.
func (s *parsed) unmaskLabels(message string) string {
	for _, p := range s.spots {
		message = strings.ReplaceAll(message, s.masked[p.Start:p.End], p.Label)
	}
	return message
}

func isName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !bind.IsNameByte(s[i]) {
			return false
		}
	}
	return true
}

// Verdict is bash's judgement of a script.
type Verdict int

const (
	// Unknown means that bash could not be asked.
	Unknown Verdict = iota
	// Accepted means that bash reads the script without a complaint.
	Accepted
	// Rejected means that bash finds a syntax error in it.
	Rejected
)

// A Checker asks bash whether a script is bash, without running any of it.
type Checker func(script string) Verdict

// BashChecker returns a Checker that asks as compiler.Options says; nil for nil. Bash reads the script and runs nothing (-n). It gets no start-up file, so nothing else
// can run either. Scripts that only cause a warning of bash are accepted, such as a
// here-document that the end of the script ends.
func BashChecker(ask oracle.Ask) Checker {
	if ask == nil {
		return nil
	}
	return func(script string) Verdict {
		_, stderr, status := ask("bash", []string{"--norc", "--noprofile", "-n"}, script)
		switch {
		case status < 0:
			return Unknown
		case status > 0 || hasError(stderr):
			return Rejected
		}
		return Accepted
	}
}

// hasError reports whether bash printed more than warnings: it continues after some
// errors, and its exit status is then that of the rest.
func hasError(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, "warning: ") {
			return true
		}
	}
	return false
}
