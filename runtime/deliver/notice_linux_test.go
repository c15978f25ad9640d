package deliver_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The program of a channel gets hostile values as data, and leaves nothing running.
func TestCommandChannel(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "tell.sh")
	text := `#!/bin/sh
cat > "$OUT/text"
printf '%s|%s|%s' "$#" "$1" "$WFC_NOTICE_QUESTION" > "$OUT/parts"
sleep 600 > /dev/null 2>&1 < /dev/null &
echo $! > "$OUT/pid"
exit "$CODE"
`
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	p := deliver.NewPerformer(settings.Channel{Name: "pager", Kind: "command", Command: []string{script, "--now"}})
	hostile := "$(touch pwned) `touch pwned` \"; touch pwned #\n'"
	n := &outbox.Notice{Note: outbox.Note{Schema: 1, ID: "0123456789abcdef", Target: "pager", Event: settings.NoticeWaits, Workflow: "w", Run: "w-1", Step: "gate", Title: hostile, Text: hostile, Question: hostile}}
	send := func(code string) error {
		return p.SendNotice(t.Context(), n, []string{"PATH=" + os.Getenv("PATH"), "OUT=" + dir, "CODE=" + code})
	}
	if err := send("0"); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if got := read("parts"); got != "1|--now|"+hostile {
		t.Errorf("parts: %q", got)
	}
	if got := read("text"); !strings.Contains(got, "$(touch pwned)") || !strings.HasSuffix(got, hostile+"\n") {
		t.Errorf("text: %q", got)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("the process %d still runs: %s", pid, state)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	var refused *outbox.RefusedError
	if err := send("3"); !errors.As(err, &refused) || refused.Final || refused.Problem != "its program ends with exit code 3" {
		t.Errorf("exit code 3: %v", err)
	}
	for name, channel := range map[string]settings.Channel{
		"missing command": {Name: "pager", Kind: "command"}, "its program cannot be started": {Name: "pager", Kind: "command", Command: []string{"/no/such/program"}},
	} {
		if list := deliver.New(channel).Unready([]string{"pager"}, nil); len(list) != 1 || !strings.Contains(list[0].Error(), name) {
			t.Errorf("%s: %v", name, list)
		}
	}
}
