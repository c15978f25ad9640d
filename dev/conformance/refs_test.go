package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/runtime/flow"
)

type refsCase struct {
	Template      string
	Bash          bool
	OutputFileDir string
	Outputs       map[string]producer
}

type refsEnd struct {
	OK     *string
	Throws *struct{ Reason string }
}

func planRefs(b *bench, c *recorded) (plan, error) {
	var in refsCase
	var want refsEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	if in.Bash {
		return planShellText(b, &shellText{template: in.Template, recorded: want.OK, outputs: in.Outputs, spill: in.OutputFileDir})
	}
	s := newStage(in.Template, in.Outputs, nodeText{{"prompt", quote(framed(in.Template))}})
	return b.reading(s, want.OK), nil
}

// The engine trims a prompt and appends things to it; a frame keeps the text
// between apart.
const frameStart, frameEnd = "BEGIN\n", "\nEND"

func framed(text string) string { return frameStart + text + frameEnd }

func unframed(text string) string {
	text = strings.TrimPrefix(text, frameStart)
	if end := strings.LastIndex(text, frameEnd); end >= 0 {
		text = text[:end]
	}
	return text
}

// reading plans a prompt whose framed text is recorded; nil is a failure.
func (b *bench) reading(s *stage, want *string) plan { return b.readingAs(s, reader, want) }

// readingAs is reading for a prompt that is a part of the reader.
func (b *bench) readingAs(s *stage, key string, want *string) plan {
	expected := failsOr(want)
	r := compile(s.yaml, nil)
	if r.HasErrors() {
		if want == nil && aboutReading(r) {
			return judged(nil)
		}
		return judged([]difference{{"text", expected, refusal(r)}})
	}
	return b.perform(r, s.job, func(out *runner.Outcome) []difference {
		return same("text", expected, asked(out, key, unframed))
	})
}

func failsOr(text *string) string {
	if text == nil {
		return fails
	}
	return fmt.Sprintf("%q", *text)
}

// asked returns the prompt of the reader or of a part of it, or that the reader
// failed.
func asked(out *runner.Outcome, key string, cut func(string) string) string {
	for _, turn := range out.Turns {
		if turn.Step == key {
			return fmt.Sprintf("%q", cut(turn.Prompt))
		}
	}
	if step := out.Step(reader); step.Status != flow.Failed {
		return string(step.Status)
	}
	return fails
}

// A shellText is a text in a bash script with what the engine made of it.
// Compared is what the shell prints of the two as arguments of a command, for
// the engine writes values into the text and wfc binds them.
type shellText struct {
	template string
	recorded *string
	outputs  map[string]producer
	// spill is how the recorded text names the folder of long outputs.
	spill string
	env   []string
	run   flow.RunInfo
}

// asArguments makes a text the arguments of a command that prints them one by
// one.
func asArguments(text string) string { return `printf '[%s]\n' ` + text }

func planShellText(b *bench, s *shellText) (plan, error) {
	want, err := s.printed(b)
	if err != nil {
		return plan{}, err
	}
	stage := newStage(s.template, s.outputs, nodeText{{"bash", quote(asArguments(s.template))}})
	stage.job.Environ, stage.job.Run = s.env, s.run
	r := compile(stage.yaml, nil)
	if r.HasErrors() {
		if want == fails && aboutReading(r) {
			return judged(nil), nil
		}
		return judged([]difference{{"shell", want, refusal(r)}}), nil
	}
	return b.perform(r, stage.job, func(out *runner.Outcome) []difference {
		got := fails
		if step := out.Step(reader); step.Status == flow.Completed {
			got = fmt.Sprintf("%q", step.Text)
		}
		return same("shell", want, got)
	}), nil
}

// printed is what bash prints of the recorded text.
func (s *shellText) printed(b *bench) (string, error) {
	if s.recorded == nil {
		return fails, nil
	}
	dir := b.t.TempDir()
	text := *s.recorded
	if s.spill != "" {
		text = strings.ReplaceAll(text, s.spill, dir)
		for id, p := range s.outputs {
			if err := os.WriteFile(filepath.Join(dir, id+".nodeoutput"), []byte(p.Output), 0o666); err != nil {
				return "", err
			}
		}
	}
	script := filepath.Join(dir, "script.sh")
	if err := os.WriteFile(script, []byte(asArguments(text)), 0o666); err != nil {
		return "", err
	}
	cmd := exec.Command("bash", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.Output()
	if err != nil {
		return fails, nil
	}
	return fmt.Sprintf("%q", strings.TrimSuffix(string(out), "\n")), nil
}

// aboutReading reports whether all errors are about references, conditions or
// what bash makes of a text, and so stand for a failure of the node.
func aboutReading(r *compiler.Result) bool {
	for _, d := range errorsOf(r) {
		switch family := d.Code.ID[:len("WFC25")]; {
		case family == "WFC25", family == "WFC26", d.Code == codes.UnknownNode && strings.HasSuffix(d.Message, "in a condition"):
		case strings.HasPrefix(family, "WFC3"), strings.HasPrefix(family, "WFC5"):
		default:
			return false
		}
	}
	return true
}
