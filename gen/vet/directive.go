package vet

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A directive is a line //go:generate that calls `wfc gen`.
type directive struct {
	// folder is the folder of the Go file with the line: paths are relative to it.
	folder string
	// inputs are the workflow files, folders and patterns.
	inputs []string
	// output, name, store and dialect are the values of flags.
	output, name, store, dialect string
	main, engine                 bool
}

// directives returns the lines of a Go file in a folder that generate workflows.
func directives(folder, content string) []*directive {
	var list []*directive
	for line := range strings.Lines(content) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate ")
		if !ok {
			continue
		}
		if d := parseDirective(folder, words(command)); d != nil {
			list = append(list, d)
		}
	}
	return list
}

// words splits a command as go generate does: at spaces, and text in double quotes is one
// word.
func words(command string) []string {
	var list []string
	for {
		command = strings.TrimLeft(command, " \t")
		if command == "" {
			return list
		}
		if quoted, err := strconv.QuotedPrefix(command); err == nil && command[0] == '"' {
			word, _ := strconv.Unquote(quoted)
			list, command = append(list, word), command[len(quoted):]
			continue
		}
		end := strings.IndexAny(command, " \t")
		if end < 0 {
			end = len(command)
		}
		list, command = append(list, command[:end]), command[end:]
	}
}

// parseDirective reads the command `wfc gen …`, which may be called by `go run` or
// `go tool`; nil if it is another command.
func parseDirective(folder string, command []string) *directive {
	at := slices.Index(command, "gen")
	if at < 1 {
		return nil
	}
	program, _, _ := strings.Cut(command[at-1], "@")
	if name := path.Base(filepath.ToSlash(program)); name != "wfc" && name != "wfc.exe" {
		return nil
	}
	d := &directive{folder: folder}
	texts := map[string]*string{"-o": &d.output, "--output": &d.output, "--package": &d.name, "--store": &d.store, "--dialect": &d.dialect}
	switches := map[string]*bool{"--main": &d.main, "--engine": &d.engine}
	rest := command[at+1:]
	for i := 0; i < len(rest); i++ {
		flag, value, given := strings.Cut(rest[i], "=")
		switch text, on := texts[flag], switches[flag]; {
		case text != nil && given:
			*text = value
		case text != nil && i+1 < len(rest):
			i++
			*text = rest[i]
		case on != nil:
			*on = value != "false"
		case strings.HasPrefix(flag, "-o") && !strings.HasPrefix(flag, "--"):
			d.output = rest[i][len("-o"):]
		case !strings.HasPrefix(flag, "-"):
			d.inputs = append(d.inputs, rest[i])
		}
	}
	return d
}

// workflow returns the path of the workflow file of a name if the line generates the package
// in a folder from it, or "".
func (d *directive) workflow(dir, name string) string {
	output := filepath.Join(d.folder, filepath.FromSlash(d.output))
	for _, input := range d.inputs {
		at := filepath.Join(d.folder, filepath.FromSlash(input))
		if isFile(at) {
			single := len(d.inputs) == 1 && output == dir
			if filepath.Base(at) == name && (single || len(d.inputs) > 1 && filepath.Dir(dir) == output) {
				return at
			}
			continue
		}
		if filepath.Dir(dir) != output {
			continue
		}
		if i := strings.IndexAny(at, "*?[{"); i >= 0 {
			at = filepath.Dir(at[:i] + "x")
		}
		if found := under(at, name); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
