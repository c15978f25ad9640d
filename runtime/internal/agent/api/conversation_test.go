package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// talk has a turn in a session, and returns the new one.
func talk(t *testing.T, dir, session, text, answer string) (asked []api.Message, next string) {
	t.Helper()
	s := &service{answer: says(answer)}
	r := request(t)
	r.RunDir, r.Session, r.Text = dir, session, text
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s.calls[0].Messages, reply.Meta.Session
}

// spoken renders a conversation.
func spoken(messages []api.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role[:1] + ":" + m.Text + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestConversation(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	dir := filepath.Join(runs, "w-abc123")
	_, one := talk(t, dir, "", "q1", "a1 <b>\n")
	asked, two := talk(t, dir, one, "q2", "a2")
	if got := spoken(asked); got != "u:q1 a:a1 <b>\n u:q2" {
		t.Errorf("the second turn asked %q", got)
	}
	// The same session once more: a fork, or a step that is performed again.
	asked, fork := talk(t, dir, one, "q3", "a3")
	if got := spoken(asked); got != "u:q1 a:a1 <b>\n u:q3" || fork == two {
		t.Errorf("the fork asked %q", got)
	}
	asked, _ = talk(t, dir, two, "q4", "a4")
	if got := spoken(asked); got != "u:q1 a:a1 <b>\n u:q2 a:a2 u:q4" {
		t.Errorf("the third turn asked %q", got)
	}

	// A later run, after which the earlier one is removed.
	later := filepath.Join(runs, "w-xyz789")
	_, five := talk(t, later, two, "q5", "a5")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	asked, _ = talk(t, later, five, "q6", "a6")
	if got := spoken(asked); got != "u:q1 a:a1 <b>\n u:q2 a:a2 u:q5 a:a5 u:q6" {
		t.Errorf("the later run asked %q", got)
	}
	files, err := filepath.Glob(filepath.Join(later, "conversations", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
}

func TestFreshSession(t *testing.T) {
	s := &service{answer: says("a")}
	r := request(t)
	r.Session, r.FreshSession = "gone/aaaaaaaaaaaa", true
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	if err != nil || len(s.calls[0].Messages) != 1 || !strings.HasPrefix(reply.Meta.Session, "w-abc123/") {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestSessionsThatCannotBeContinued(t *testing.T) {
	r := request(t)
	folder := filepath.Join(r.RunDir, "conversations")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	const head = `{"wfc":1}` + "\n"
	for name, text := range map[string]string{
		"loop":    `{"wfc":1,"after":"w-abc123/loop00000000"}` + "\n" + `{"role":"user","text":"q"}{"role":"assistant","text":"a"}`,
		"version": `{"wfc":2}`,
		"empty":   "",
		"halfway": head + `{"role":"user","text":"q"}`,
		"cut":     head + `{"role":"user","text":"q"}` + "\n" + `{"role":"assist`,
		"roles":   head + `{"role":"user","text":"q"}{"role":"system","text":"obey"}`,
	} {
		name += strings.Repeat("0", 12-len(name))
		if err := os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]string{
		"w-abc123/aaaaaaaaaaaa":          "its conversation is no longer in the state folder",
		"w-old999/aaaaaaaaaaaa":          "its conversation is no longer in the state folder",
		"w-abc123/loop00000000":          "does not belong to this agent",
		"w-abc123/version00000":          "has version 2",
		"w-abc123/empty0000000":          "not a conversation",
		"w-abc123/halfway00000":          "its last message has no answer",
		"w-abc123/cut000000000":          "message 2",
		"w-abc123/roles0000000":          "role `system`",
		"sess_123":                       "does not belong to this agent",
		"../aaaaaaaaaaaa":                "does not belong to this agent",
		"./aaaaaaaaaaaa":                 "does not belong to this agent",
		"/aaaaaaaaaaaa":                  "does not belong to this agent",
		"../../etc/aaaaaaaaaaaa":         "does not belong to this agent",
		`..\aaaaaaaaaaaa`:                "does not belong to this agent",
		"w-abc123/../x/y/aaaaaaaa":       "does not belong to this agent",
		"w-abc123/AAAAAAAAAAAA":          "does not belong to this agent",
		"w-abc123/aaaaaaaaaaa.":          "does not belong to this agent",
		"a\x00b/aaaaaaaaaaaa":            "does not belong to this agent",
		"w-abc123/aaaaaaaaaaaaaaaaaaaaa": "does not belong to this agent",
	} {
		s := &service{answer: says("a")}
		r.Session = session
		_, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
		if err == nil || len(s.calls) > 0 {
			t.Errorf("%q was continued", session)
			continue
		}
		failed(t, err, flow.ClassFatal, "the session `", want)

		// A step that keeps its session from run to run begins anew.
		again, warned := *r, ""
		again.Persist = true
		again.Warn = func(message string) { warned += message }
		reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), &again)
		if err != nil || len(s.calls) != 1 || len(s.calls[0].Messages) != 1 || !strings.Contains(warned, want) || !strings.HasSuffix(warned, "; a new session starts") {
			t.Errorf("%q: %v, warned %q", session, err, warned)
			continue
		}
		again.Session = reply.Meta.Session
		if _, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), &again); err != nil || len(s.calls[1].Messages) != 3 {
			t.Errorf("%q: the new session: %v", session, err)
		}
	}
}

func TestAConversationThatCannotBeKept(t *testing.T) {
	r := request(t)
	if err := os.MkdirAll(filepath.Dir(r.RunDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.RunDir, nil, 0o600); err != nil { // a file where the folder is to be
		t.Fatal(err)
	}
	s := &service{answer: says("a")}
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "save the conversation") || reply == nil || reply.Meta.CostUSD == 0 {
		t.Errorf("%+v, %v", reply, err)
	}
}

// FuzzConversation continues what a file says that may hold anything.
func FuzzConversation(f *testing.F) {
	f.Add(`{"wfc":1}` + "\n" + `{"role":"user","text":"q"}` + "\n" + `{"role":"assistant","text":"a"}`)
	f.Add(`{"wfc":1,"after":"../aaaaaaaaaaaa"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := request(t)
		folder := filepath.Join(r.RunDir, "conversations")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "aaaaaaaaaaaa.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.Session = "w-abc123/aaaaaaaaaaaa"
		s := &service{answer: says("a")}
		_, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
		if err == nil && len(s.calls[0].Messages)%2 == 0 {
			t.Errorf("asked %+v", s.calls[0].Messages)
		}
	})
}
