package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/textdiff"
)

// A File is a workflow file in two versions. A new file has no changes, and a removed one
// those of Removal.
type File struct {
	// Old and New are the names of the versions; "" if there is none.
	Old, New string
	Changes  []Change
	// Settings says that the file is a configuration.
	Settings bool
	// Broken says that a version has errors, so that the two cannot be compared.
	Broken string
}

// Differs reports whether the versions differ.
func (f *File) Differs() bool {
	return !f.Settings && (f.Old == "" || f.New == "") || len(f.Changes) > 0 || f.Broken != ""
}

func (f *File) displayName() string {
	return cmp.Or(f.New, f.Old)
}

// A Format is a way of writing changes.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	JSON     Format = "json"
)

// Formats lists the formats in the order in which help shows them.
func Formats() []Format { return []Format{Text, Markdown, JSON} }

// Write writes the changes of files.
func Write(w io.Writer, format Format, files []File) error {
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !f.Differs() })
	switch format {
	case JSON:
		return writeJSON(w, files)
	case Markdown:
		return writeMarkdown(w, files)
	}
	return writeText(w, files)
}

func writeText(w io.Writer, files []File) error {
	var b strings.Builder
	for i, f := range files {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", plain.Line(f.headingText()))
		for _, c := range f.Changes {
			mark := " "
			if c.Risky {
				mark = "!"
			}
			fmt.Fprintf(&b, "%s %-8s %s\n", mark, c.Class, plain.Line(c.lineText()))
			if c.Text && c.Verb == Changed {
				for line := range strings.SplitSeq(differenceExcerpt(c.Old, c.New, textMarks), "\n") {
					fmt.Fprintf(&b, "             %s\n", plain.Line(line))
				}
			}
		}
	}
	b.WriteString(summarizeFiles(files) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// headingText says which file it is.
func (f *File) headingText() string {
	switch {
	case f.Broken != "":
		return f.displayName() + ": not compared: " + f.Broken
	case f.Settings && (f.Old == "" || f.New == ""):
		return f.displayName()
	case f.Old == "":
		return f.New + ": new workflow"
	case f.New == "":
		return f.Old + ": removed workflow"
	case f.Old != f.New:
		return f.Old + " → " + f.New
	}
	return f.New
}

// lineText is a change in one line.
func (c *Change) lineText() string {
	quote := func(s string) string {
		s = strings.Join(strings.Fields(s), " ")
		if len([]rune(s)) > 80 {
			s = string([]rune(s)[:79]) + "…"
		}
		return s
	}
	what := c.What
	if c.Where != "" && what != "" {
		what = c.Where + ": " + what
	} else if what == "" {
		what = c.Where
	}
	verb := cmp.Or(c.phrase, string(c.Verb))
	switch {
	case c.Text && c.Verb == Changed:
		return what + " changed"
	case c.Old == "" && c.New == "":
		return fmt.Sprintf("%s %s", what, verb)
	case c.Old == "":
		return fmt.Sprintf("%s %s: %s", what, verb, quote(c.New))
	case c.New == "":
		return fmt.Sprintf("%s %s: %s", what, verb, quote(c.Old))
	}
	return fmt.Sprintf("%s %s: %s → %s", what, verb, quote(c.Old), quote(c.New))
}

// marks are around the parts of a text that only the old or the new version has.
type marks struct {
	old, new [2]string
	// clean makes a part safe for the format.
	clean func(string) string
}

var textMarks = marks{old: [2]string{"[-", "-]"}, new: [2]string{"{+", "+}"}, clean: func(s string) string { return s }}

// around is how many words stay around a difference.
const around = 6

// differenceExcerpt shows the words that differ, with some around them.
func differenceExcerpt(old, new string, m marks) string {
	var b strings.Builder
	pieces := textdiff.Words(old, new)
	for i, p := range pieces {
		if p.Old && p.New {
			b.WriteString(m.clean(elideMiddle(p.Text, i > 0, i < len(pieces)-1)))
			continue
		}
		marks, word := m.new, strings.TrimRight(p.Text, " \n")
		if p.Old {
			marks = m.old
		}
		b.WriteString(marks[0] + m.clean(word) + marks[1])
		if last := i == len(pieces)-1; last || p.New || pieces[i+1].Old {
			b.WriteString(p.Text[len(word):])
		}
	}
	return strings.Trim(b.String(), "\n")
}

// elideMiddle leaves out the middle of a long common part.
func elideMiddle(s string, before, after bool) string {
	words := strings.SplitAfter(s, " ")
	keep := 0
	if before {
		keep += around
	}
	if after {
		keep += around
	}
	if len(words) <= keep+2 {
		return s
	}
	var head, tail []string
	if before {
		head = words[:around]
	}
	if after {
		tail = words[len(words)-around:]
	}
	return strings.Join(head, "") + "… " + strings.Join(tail, "")
}

func summarizeFiles(files []File) string {
	changes, risky, workflows := 0, 0, 0
	var places []string
	for _, f := range files {
		if !f.Settings {
			workflows++
		} else if !slices.Contains(places, "the settings") {
			places = append(places, "the settings")
		}
		changes += max(len(f.Changes), 1)
		for _, c := range f.Changes {
			if c.Risky {
				risky++
			}
		}
	}
	if changes == 0 {
		return "no change of meaning"
	}
	if workflows > 0 {
		places = append(places, finding.Count(workflows, "workflow"))
	}
	text := fmt.Sprintf("%s in %s", finding.Count(changes, "change"), strings.Join(places, " and "))
	if risky > 0 {
		text += fmt.Sprintf("; ! %s", finding.Count(risky, "removed safeguard"))
	}
	return text
}

func writeMarkdown(w io.Writer, files []File) error {
	var b strings.Builder
	b.WriteString("### Changes of workflows\n\n")
	for _, f := range files {
		fmt.Fprintf(&b, "**%s**\n\n", escapeMarkdown(f.headingText()))
		if len(f.Changes) == 0 {
			continue
		}
		b.WriteString("| | kind | change |\n|---|---|---|\n")
		for _, c := range f.Changes {
			mark := ""
			if c.Risky {
				mark = "⚠️"
			}
			text := escapeOutsideCode(c.lineText())
			if c.Text && c.Verb == Changed {
				text += "<br>" + strings.ReplaceAll(differenceExcerpt(c.Old, c.New, markdownMarks), "\n", "<br>")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", mark, c.Class, text)
		}
		b.WriteByte('\n')
	}
	b.WriteString(strings.Replace(summarizeFiles(files), "; ! ", "; ⚠️ ", 1) + "\n")
	_, err := io.WriteString(plain.Raw(w), b.String())
	return err
}

var markdownMarks = marks{old: [2]string{"<del>", "</del>"}, new: [2]string{"<ins>", "</ins>"}, clean: escapeMarkdown}

// escapeMarkdown is a text that Markdown shows as it is.
func escapeMarkdown(s string) string {
	return markdownEscapes.Replace(plain.Message(s))
}

// escapeOutsideCode is a line that Markdown shows as it is, except that what stands between backquotes
// is code, in which escapes would be seen. A line in which Markdown may see other code has none.
func escapeOutsideCode(s string) string {
	s = plain.Message(s)
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 || strings.Contains(s, "``") || strings.Contains(s, "\\`") || strings.Contains(s, "\n") {
		return markdownEscapes.Replace(s)
	}
	for i, part := range parts {
		if i%2 == 1 {
			parts[i] = strings.ReplaceAll(part, "|", `\|`) // it would end the cell
			continue
		}
		parts[i] = markdownEscapes.Replace(part)
	}
	return strings.Join(parts, "`")
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "#", "\\#", "@", "&#64;", "!", "\\!", "~", "\\~")

type jsonDocument struct {
	SchemaVersion int        `json:"schema_version"`
	Files         []jsonFile `json:"files"`
}

type jsonFile struct {
	Old     string       `json:"old,omitempty"`
	New     string       `json:"new,omitempty"`
	Broken  string       `json:"not_compared,omitempty"`
	Changes []jsonChange `json:"changes"`
}

type jsonChange struct {
	Change
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

func writeJSON(w io.Writer, files []File) error {
	doc := jsonDocument{SchemaVersion: 1, Files: []jsonFile{}}
	for _, f := range files {
		out := jsonFile{Old: f.Old, New: f.New, Broken: f.Broken, Changes: []jsonChange{}}
		for _, c := range f.Changes {
			j := jsonChange{Change: c}
			if c.At.IsValid() {
				j.File, j.Line = c.At.File.Name, c.At.Position().Line
			}
			out.Changes = append(out.Changes, j)
		}
		doc.Files = append(doc.Files, out)
	}
	e := json.NewEncoder(plain.JSONWriter(plain.Raw(w)))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
