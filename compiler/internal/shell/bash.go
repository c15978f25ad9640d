package shell

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/verdict"
)

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

// checkTime bounds how long bash may think about a script.
const checkTime = 5 * time.Second

// verdicts keeps those of bash about the newest scripts: an editor compiles a file at each
// key, and most of its scripts are as before.
var verdicts = verdict.New[Verdict](1024)

// pathBash asks the bash on PATH about a script, unless it has seen the script lately.
func pathBash(script string) Verdict {
	path, err := exec.LookPath("bash")
	if err != nil {
		return Unknown
	}
	list, ok := verdicts.Of(path, []string{script}, func([]string) ([]Verdict, bool) {
		v := runBash(path, script)
		return []Verdict{v}, v != Unknown
	})
	if !ok {
		return Unknown
	}
	return list[0]
}

// runBash asks a bash to read the script and run nothing (-n). Bash gets
// no start-up file and no environment but PATH, so nothing else can run either.
// Scripts that only cause a warning of bash are accepted, such as a here-document
// that the end of the script ends.
func runBash(path, script string) Verdict {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--norc", "--noprofile", "-n")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(script)
	cmd.WaitDelay = time.Second
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Unknown
	case err != nil || hasError(complaints.String()):
		return Rejected
	}
	return Accepted
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
