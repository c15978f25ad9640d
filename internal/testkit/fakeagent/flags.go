package fakeagent

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// commandLine are the arguments of a fake program.
type commandLine struct {
	// values are the values of each flag, in order; "" for one without a value.
	values map[string][]string
	// words are the other arguments.
	words []string
}

// value returns the last value of a flag, or "".
func (c *commandLine) value(flag string) string {
	if v := c.values[flag]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// parse reads the arguments: flags of two lists, those with a value, as
// --flag=value or --flag value, and those without. It returns the first flag
// that is in neither.
func parse(args, with, without []string) (c *commandLine, unknown string) {
	c = &commandLine{values: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		flag, value, tied := strings.Cut(args[i], "=")
		switch {
		case args[i] == "-" || !strings.HasPrefix(args[i], "-"):
			c.words = append(c.words, args[i])
		case slices.Contains(without, args[i]):
			c.values[flag] = append(c.values[flag], "")
		case slices.Contains(with, flag) && tied:
			c.values[flag] = append(c.values[flag], value)
		case slices.Contains(with, args[i]) && i+1 < len(args):
			i++
			c.values[args[i-1]] = append(c.values[args[i-1]], args[i])
		default:
			return c, args[i]
		}
	}
	return c, ""
}

// content returns a file's text, or ends the program.
func content(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake agent:", err)
		os.Exit(70)
	}
	return string(text)
}

// pieces cuts a text in three.
func pieces(text string) []string {
	runes := []rune(text)
	a, b := len(runes)/3, 2*len(runes)/3
	return []string{string(runes[:a]), string(runes[a:b]), string(runes[b:])}
}

// stall continues running and says nothing.
func stall() {
	for {
		time.Sleep(time.Hour)
	}
}

// die ends the program by SIGKILL.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	stall() // the signal may take a moment
}

// all reads everything.
func all(in io.Reader) string {
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake agent:", err)
		os.Exit(70)
	}
	return string(text)
}
