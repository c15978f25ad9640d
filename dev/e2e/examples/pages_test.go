//go:build unix

package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A block is a fenced block of a page.
type block struct {
	// info are the words after the opening fence.
	info []string
	// first and last are the lines of its content: [first, last).
	first, last int
}

// blocks returns the fenced blocks of a page.
func blocks(lines []string) []block {
	var found []block
	open := -1
	var fence string
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case open < 0 && strings.HasPrefix(text, "```"):
			open = i
			fence = text[:len(text)-len(strings.TrimLeft(text, "`"))]
		case open >= 0 && text == fence:
			info := strings.Fields(strings.TrimLeft(strings.TrimSpace(lines[open]), "`"))
			found = append(found, block{info, open + 1, i})
			open = -1
		}
	}
	return found
}

// pages returns the pages with blocks of the language console: their commands run,
// and their outputs are compared.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/dialects/*.md", "docs/guide/*.md", "docs/tutorial/*.md", "docs/coming-from/*.md", "docs/recipes/*.md", "dev/recording/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.Contains(read(t, file), "```console") {
				found = append(found, file)
			}
		}
	}
	return found
}

// TestPages runs the commands that pages show in blocks of the language console
// and compares what they print. A block with a file's name after its language,
// as in "```yaml review.yaml", is that file; if the word append follows, its next
// lines; if "after WORDS" follows, the lines after the first that begins with WORDS.
// All blocks of a page are one session in a home folder, which is empty or, with a comment
// "files: PATH", contains copies of a file or of the files in a folder of the repository.
func TestPages(t *testing.T) {
	for _, page := range pages(t) {
		t.Run(strings.TrimPrefix(page, root+"/"), func(t *testing.T) {
			t.Parallel()
			text := read(t, page)
			session := newSession(t)
			copyFiles(session, text)
			rewritten := play(session, text)
			if rewritten != text {
				if *update {
					if err := os.WriteFile(page, []byte(rewritten), 0o666); err != nil {
						t.Fatal(err)
					}
				} else {
					t.Errorf("`make golden` rewrites the outputs of this page:\n%s", difference(text, rewritten))
				}
			}
			endsAsExample(t, text, session)
		})
	}
}

var filesOf = regexp.MustCompile(`<!-- files: (\S+) -->`)

// copyFiles copies the files that a page begins with to the folder of its session.
func copyFiles(s *session, page string) {
	s.t.Helper()
	for _, m := range filesOf.FindAllStringSubmatch(page, -1) {
		files, err := filepath.Glob(filepath.Join(root, m[1]))
		if info, statErr := os.Stat(filepath.Join(root, m[1])); statErr == nil && info.IsDir() {
			files, err = filepath.Glob(filepath.Join(root, m[1], "*.*"))
		}
		if err != nil || len(files) == 0 {
			s.t.Fatalf("no files %s (%v)", m[1], err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				s.write(filepath.Base(file), read(s.t, file))
			}
		}
	}
}

// TestCommandBlocks checks that the guide and the tutorials show no command that TestPages
// does not run, except below a comment "not run: REASON". A block says what it is: console,
// a language, or text for an output.
func TestCommandBlocks(t *testing.T) {
	for _, pattern := range []string{"docs/dialects/*.md", "docs/guide/*.md", "docs/tutorial/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages %s (%v)", pattern, err)
		}
		for _, page := range pages {
			lines := strings.Split(read(t, page), "\n")
			for _, b := range blocks(lines) {
				if fault := blockFault(lines, b); fault != "" {
					t.Errorf("%s:%d: %s", strings.TrimPrefix(page, root+"/"), b.first, fault)
				}
			}
		}
	}
}

var reasonNotRun = regexp.MustCompile(`<!-- not run: \S.* -->`)

// blockFault says why a block of the guide may not be as it is, or "".
func blockFault(lines []string, b block) string {
	if len(b.info) == 0 {
		return "the block names no language: write console for commands, text for an output"
	}
	commands := slices.Contains([]string{"sh", "shell", "powershell"}, b.info[0]) && len(b.info) == 1
	if b.info[0] == "text" {
		commands = slices.ContainsFunc(lines[b.first:b.last], func(line string) bool { return strings.HasPrefix(line, "$ ") })
	}
	if above := lines[max(0, b.first-2)]; commands && !reasonNotRun.MatchString(above) {
		return "no test runs the commands: write a block of the language console, or the comment `<!-- not run: REASON -->` above"
	}
	return ""
}

func TestBlockFault(t *testing.T) {
	for text, want := range map[string]bool{
		"```\nwfc check\n```":                                           true,
		"```sh\nwfc check\n```":                                         true,
		"<!-- not run: it needs a server -->\n```sh\nx\n```":            false,
		"```text\n$ wfc check\nok\n```":                                 true,
		"<!-- not run: -->\n```text\n$ x\n```":                          true,
		"```text\nok\n```":                                              false,
		"```console\n$ wfc check\n```":                                  false,
		"```sh run.sh\nwfc check\n```":                                  false,
		"```yaml\nname: a\n```":                                         false,
		"<!-- not run: your own agents -->\n```text\n$ wfc doctor\n```": false,
	} {
		lines := strings.Split(text, "\n")
		if fault := blockFault(lines, blocks(lines)[0]); (fault != "") != want {
			t.Errorf("%s: the fault is %q", text, fault)
		}
	}
}

// play runs the blocks of a page and returns the page with the outputs that the
// commands print now. An output that matches stays as it is.
func play(s *session, text string) string {
	lines := strings.Split(text, "\n")
	var page []string
	done, seen := 0, 0 // the lines that are in page, and those that a reader has seen
	for _, b := range blocks(lines) {
		switch {
		case len(b.info) == 1 && b.info[0] == "console":
			page = append(page, lines[done:b.first]...)
			page = append(page, console(s, lines[b.first:b.last])...)
			done = b.last
		case len(b.info) > 1:
			if text := strings.Join(lines[seen:b.first-1], "\n"); len(b.info) == 2 && !strings.Contains(text, "`"+b.info[1]+"`") {
				s.t.Errorf("the text before the file %s does not name it", b.info[1])
			}
			content := strings.Join(lines[b.first:b.last], "\n") + "\n"
			old := read(s.t, filepath.Join(s.folder(), b.info[1]))
			s.write(b.info[1], edited(s.t, old, content, b.info[2:]))
		}
		seen = b.last
	}
	return strings.Join(append(page, lines[done:]...), "\n")
}

// edited returns a file with new content in place of the old, after it ("append")
// or after the first line that begins with some words ("after WORDS").
func edited(t *testing.T, old, content string, where []string) string {
	t.Helper()
	switch {
	case len(where) == 0:
		return content
	case where[0] == "append":
		return old + content
	case where[0] == "after":
		lines := strings.SplitAfter(old, "\n")
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), strings.Join(where[1:], " ")) {
				return strings.Join(lines[:i+1], "") + content + strings.Join(lines[i+1:], "")
			}
		}
	}
	t.Fatalf("no place %q in the file", where)
	return ""
}

// console runs the commands of a block: lines that begin with a dollar sign, and
// the lines after them that begin with >.
func console(s *session, lines []string) []string {
	var shown []string
	for i := 0; i < len(lines); {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			s.t.Fatalf("a console block begins with an output: %q", lines[i])
		}
		shown = append(shown, lines[i])
		for i++; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
			command += "\n" + lines[i][2:]
			shown = append(shown, lines[i])
		}
		from := i
		for i < len(lines) && !strings.HasPrefix(lines[i], "$ ") {
			i++
		}
		printed, _ := s.run(command) // pages show failures, too
		want, got := lines[from:i], strings.TrimSuffix(printed, "\n")
		if matches(strings.Join(want, "\n")+"\n", got+"\n") {
			shown = append(shown, want...)
		} else if got != "" {
			shown = append(shown, strings.Split(stable(got, s.shown), "\n")...)
		}
	}
	return shown
}

var exampleOf = regexp.MustCompile(`<!-- example: (\w+) -->`)

// endsAsExample fails when a page that leads to an example ends with files that
// differ from those of the example.
func endsAsExample(t *testing.T, page string, s *session) {
	t.Helper()
	m := exampleOf.FindStringSubmatch(page)
	if m == nil {
		return
	}
	for _, e := range all(t) {
		if e.name != m[1] {
			continue
		}
		for _, b := range blocks(strings.Split(page, "\n")) {
			if len(b.info) < 2 {
				continue
			}
			file := filepath.Join(e.dir, b.info[1])
			if exists(file) && read(t, file) != read(t, filepath.Join(s.folder(), b.info[1])) {
				t.Errorf("%s at the end of the page is not that of examples/%s", b.info[1], e.name)
			}
		}
		if !exists(filepath.Join(s.folder(), filepath.Base(e.workflow))) {
			t.Errorf("the page does not write %s", filepath.Base(e.workflow))
		}
		return
	}
	t.Errorf("there is no example %q", m[1])
}

// difference returns the lines of one text that another does not have.
func difference(old, new string) string {
	had, has := map[string]bool{}, map[string]bool{}
	for _, line := range strings.Split(old, "\n") {
		had[line] = true
	}
	for _, line := range strings.Split(new, "\n") {
		has[line] = true
	}
	var b strings.Builder
	for _, line := range strings.Split(old, "\n") {
		if !has[line] {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range strings.Split(new, "\n") {
		if !had[line] {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}
