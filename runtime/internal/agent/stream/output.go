package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// An Output hands pieces of an agent's reply on, with secrets masked.
type Output struct {
	request *agent.Request
	// write masks secrets, and flush writes what it holds back.
	write func(piece []byte)
	flush func()
	// newline says that the last output ended with one, or that there was none.
	newline bool
	said    bool
	// tools are the calls of tools under way, by their ids.
	tools map[string]agent.ToolCall
}

// NewOutput returns the output of a request.
func NewOutput(r *agent.Request) *Output {
	o := &Output{request: r, newline: true}
	o.write, o.flush = process.MaskStream(r.Environ, func(piece []byte) {
		if r.Output != nil {
			r.Output(piece)
		}
	})
	return o
}

// Text says a piece of the reply.
func (o *Output) Text(piece string) {
	if piece == "" {
		return
	}
	o.write([]byte(piece))
	o.newline, o.said = strings.HasSuffix(piece, "\n"), true
}

// Break ends a paragraph of the reply, so that another one can follow.
func (o *Output) Break() {
	if !o.newline {
		o.Text("\n")
	}
	o.flush()
}

// Alive notes a sign of life.
func (o *Output) Alive() {
	if o.request.Output != nil {
		o.request.Output(nil)
	}
}

// longestNote is the number of characters of a note.
const longestNote = 600

// Note says something about the turn to people, in one line.
func (o *Output) Note(format string, args ...any) {
	if o.request.Notes == nil {
		return
	}
	o.flush()
	o.request.Notes([]byte(Line(o.request.Environ, fmt.Sprintf(format, args...), longestNote) + "\n"))
}

// Warn reports a problem that does not stop the turn.
func (o *Output) Warn(format string, args ...any) {
	if o.request.Warn == nil {
		o.Note(format, args...)
		return
	}
	o.request.Warn(Line(o.request.Environ, fmt.Sprintf(format, args...), longestNote))
}

// mostTools is the largest number of calls of tools under way that are kept.
const mostTools = 1000

// ToolBegun notes that a call of a tool has begun. The id is that of the program.
func (o *Output) ToolBegun(id, name string) {
	if o.tools == nil {
		o.tools = map[string]agent.ToolCall{}
	}
	if _, known := o.tools[id]; !known && id != "" && name != "" && len(o.tools) < mostTools {
		o.tools[id] = agent.ToolCall{Name: name, Begun: time.Now()}
	}
}

// ToolEnded reports that a call of a tool has ended, if its begin was noted.
func (o *Output) ToolEnded(id string, failed bool) {
	call, ok := o.tools[id]
	if !ok {
		return
	}
	delete(o.tools, id)
	if call.Took, call.Failed = time.Since(call.Begun), failed; o.request.ToolCall != nil {
		o.request.ToolCall(call)
	}
}

// Said reports whether anything of the reply was said.
func (o *Output) Said() bool { return o.said }

// Line returns a text in one line of at most so many characters, with secrets
// masked and without control characters.
func Line(environ []string, text string, most int) string {
	const room = 4 // for strings that masking and trimming shorten
	text = strings.ToValidUTF8(text, "\uFFFD")
	cut := len(text) > room*utf8.UTFMax*most
	if cut {
		text = text[:room*utf8.UTFMax*most]
		text = strings.ToValidUTF8(text, "")
	}
	text = process.Mask(environ, text)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
	if runes := []rune(text); len(runes) > most {
		text, cut = string(runes[:most]), true
	}
	if cut {
		text += "…"
	}
	return text
}

// Flush writes the held-back part of the reply.
func (o *Output) Flush() { o.flush() }

// Quote returns a program's words for a message: in one line of at most so many
// characters, with secrets masked.
func (o *Output) Quote(text string, most int) string { return Line(o.request.Environ, text, most) }

// Files are the files of one turn. They are in the run's own folder, readable by
// its owner.
type Files struct {
	// Dir is where they are made.
	Dir   string
	paths []string
}

// Write makes a file and returns its path; a * in the pattern becomes something
// that makes its name unique.
func (f *Files) Write(pattern string, content []byte) (string, error) {
	file, err := os.CreateTemp(f.Dir, pattern)
	if err != nil {
		return "", fmt.Errorf("make a file for the agent: %w", err)
	}
	f.paths = append(f.paths, file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write %s for the agent: %w", file.Name(), err)
	}
	return file.Name(), nil
}

// Remove removes the files.
func (f *Files) Remove() error {
	var faults error
	for _, path := range f.paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = errors.Join(faults, err)
		}
	}
	f.paths = nil
	return faults
}

// Prompt returns the text of a request, after the files that are to be read and
// the skills that are to be used first.
func Prompt(r *agent.Request, skills []string) string {
	var first strings.Builder
	if len(r.Files) > 0 {
		first.WriteString("Files to read first: " + strings.Join(r.Files, ", ") + "\n")
	}
	if len(skills) > 0 {
		first.WriteString("Skills to use: " + strings.Join(skills, ", ") + "\n")
	}
	if first.Len() == 0 {
		return r.Text
	}
	return first.String() + "\n" + r.Text
}

// Spent reports the cost of the turn so far.
func (o *Output) Spent(m flow.Meta) {
	if o.request.ReportCost != nil {
		o.request.ReportCost(m)
	}
}

// Servers reads the MCP servers of a prompt, and warns of variables that are not
// set.
func (o *Output) Servers(object json.RawMessage, environ []string) ([]options.Server, error) {
	list, missing, err := options.ReadServers(object, environ)
	for _, name := range missing {
		o.Warn("the MCP servers refer to $%s, which the agent does not get; its value is empty. Set it, and list it under `environment` of the agent in wfc.yaml", name)
	}
	return list, err
}

// Some returns the first elements of a list, and how many more there are.
func Some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Decode decodes an event. Its error names the JSON, and not Go's types.
func Decode(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("`%s` is a %s", wrong.Field, wrong.Value)
	}
	return plain.JSONError(err, "")
}
