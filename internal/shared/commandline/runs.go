package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A runFlag is a flag of commands on runs. Programs have these commands, and wfc has them to
// pass them on, so both take the flags from here.
type runFlag struct {
	name, short string
	kind        flagKind
	usage       string
}

type flagKind int

const (
	isSwitch flagKind = iota
	hasValue
	repeats
)

const (
	jsonUsage     = "print one JSON document instead of text"
	tokenUsage    = "gate `TOKEN` of the run (default: in the file WFC_GATE_TOKEN_FILE)"
	noResumeUsage = "only record the answer; resume later"
	statusUsage   = "only runs with these `STATUS`es"
)

// The flags of commands, or what some commands have in common.
var (
	connectionFlags = []runFlag{
		{"state", "", hasValue, "`FOLDER` that keeps the runs (default: WFC_STATE or the checkout's)"},
		{"database", "", hasValue, "`URL` of the PostgreSQL database that keeps the runs (default: WFC_DATABASE_URL)"},
	}
	// workFlags are those of commands that work on a run.
	workFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"jsonl", "", isSwitch, "print one JSON object per line as things happen"},
		{"quiet", "q", isSwitch, "show no progress"},
		{"no-ask", "", isSwitch, "pause at questions, even at a terminal"},
		{"skip-agent-check", "", isSwitch, "do not check agents and programs first"},
		{"agent", "", repeats, "replace an agent: `NAME=KIND` or NAME=KIND:ARGUMENT; repeatable"},
		{"base-branch", "", hasValue, "`BRANCH` that changes are compared with (default: that of origin)"},
		{"max-parallel", "", hasValue, "maximum steps at once (default: the dialect's, or four per processor)"},
		{"sandbox", "", hasValue, "sandbox of all steps: `MODE` on, report or off (default: wfc.yaml)"},
		{"grant", "", repeats, "grant `NAME`, such as npm, to steps in the sandbox; repeatable"},
		{"max-cost", "", hasValue, "maximum cost of the run in `USD`; 0 means no limit"},
		{"max-tokens", "", hasValue, "maximum tokens `N` of the run; 0 means no limit"},
		{"max-iterations", "", hasValue, "maximum nodes `N`, replacing the workflow's; 0 means no limit"},
		{"max-minutes", "", hasValue, "maximum minutes `N`, replacing the workflow's; 0 means no limit"},
		{"record", "", hasValue, "record replies, results of programs and answers in a `FILE`"},
		{"replay", "", hasValue, "replay the replies of a `FILE`; ask no agent"},
		{"replay-strict", "", isSwitch, "with --replay: fail where a prompt, schema or model differs"},
	}
	// replyFlags are those of commands that answer questions.
	replyFlags = []runFlag{
		{"node", "", hasValue, "`NODE` that asks, if several do"},
		{"message", "m", hasValue, "`WORDS` of the answer, instead of those after RUN"},
		{"token", "", hasValue, tokenUsage},
		{"no-resume", "", isSwitch, noResumeUsage},
	}
	rejectFlags = []runFlag{{"reason", "", hasValue, "the same as --message"}}
	answerFlags = []runFlag{
		{"choice", "", hasValue, "`CHOICE` of the answer"},
		{"edit", "", hasValue, "YAML or JSON `FILE` that replaces the reviewed output"},
	}
	signalFlags = []runFlag{
		{"node", "", hasValue, "`NODE` that waits, if several do"},
		{"no-resume", "", isSwitch, "only record the event; resume later"},
	}
	wakeFlags = []runFlag{
		{"node", "", hasValue, "`NODE` whose wait for a person ends"},
		{"token", "", hasValue, tokenUsage},
		{"no-resume", "", isSwitch, noResumeUsage},
	}
	resumeFlags = []runFlag{
		{"force", "", isSwitch, "move a run of another build to this one"},
		{"from", "", hasValue, "repeat this completed `STEP` and those that depend on it"},
		{"yes", "", isSwitch, "with --from, do not ask for confirmation"},
		{"list-steps", "", isSwitch, "list the steps for --from; resume nothing"},
	}
	listFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"status", "", repeats, statusUsage},
		{"limit", "n", hasValue, "maximum number of runs; 0 is all"},
		{"since", "", hasValue, "only runs that started since `TIME`: 12h, 7d, 2026-05-31"},
		{"children", "", isSwitch, "include the runs that steps of these runs started"},
	}
	costsFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"csv", "", isSwitch, "print the costs as CSV"},
		{"by", "", repeats, "group by `COLUMN`s: workflow, agent, node, day, model, project"},
		{"since", "", hasValue, "only prompts that ended since `TIME`: 12h, 7d, 2026-05-31"},
	}
	serveFlags = []runFlag{
		{"add-user", "", hasValue, "add a user `NAME` to the file of --users, with a password that you type or pipe"},
		{"address", "", hasValue, "`ADDRESS` of this machine for the pages: host:port"},
		{"listen", "", isSwitch, "also run the triggers and schedules of this project"},
		{"metrics", "", hasValue, "`ADDRESS` that serves Prometheus metrics at /metrics: host:port"},
		{"roles", "", repeats, "`ROLES` of the new user: viewer, operator, approver or a gate's"},
		{"tls-cert", "", hasValue, "certificate `FILE` (PEM) for HTTPS; read again when it changes"},
		{"tls-key", "", hasValue, "private key `FILE` (PEM) of the certificate"},
		{"users", "", hasValue, "`FILE` that says who may use the pages, instead of a token"},
		{"store", "", repeats, "state `FOLDER` or PostgreSQL URL with runs; repeatable"},
	}
	waitingFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"since", "", hasValue, "only failures since `TIME`: 12h, 7d, 2026-05-31"},
		{"exit-code", "", isSwitch, "exit with 1 if the list is not empty"},
	}
	statusFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"full", "", isSwitch, "show questions without folding"},
	}
	topFlags   = []runFlag{{"once", "", isSwitch, "print the table once and end"}}
	traceFlags = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"export", "", isSwitch, "send the spans that no collector has yet; print nothing"},
	}
	exportFlags = []runFlag{{"output", "o", hasValue, "the `FILE` to write (default: RUN.wfcrun)"}}
	importFlags = []runFlag{{"force", "", isSwitch, "move a run of another build to this one"}}
	logsFlags   = []runFlag{
		{"json", "", isSwitch, "print the lines of log.jsonl unchanged"},
		{"follow", "f", isSwitch, "wait for more until the run ends"},
		{"node", "", hasValue, "only this `NODE`"},
	}
	cancelFlags = []runFlag{{"wait", "", hasValue, "maximum wait for the end of the run"}}
	pruneFlags  = []runFlag{
		{"json", "", isSwitch, jsonUsage},
		{"status", "", repeats, statusUsage},
		{"older-than", "", hasValue, "only runs that ended before `TIME`: 30d, 12h, 2026-05-31"},
		{"keep", "", hasValue, "keep the newest `N` runs of these statuses in each project"},
		{"dry-run", "", isSwitch, "show the runs to remove; remove none"},
		{"force", "", isSwitch, "also remove uncommitted changes and unmerged branches"},
	}
)

// flagsOf are the flags of commands on runs; the others have connectionFlags.
var flagsOf = [...]struct {
	verbs string
	flags [][]runFlag
}{
	{"list", [][]runFlag{connectionFlags, listFlags}},
	{"costs", [][]runFlag{connectionFlags, costsFlags}},
	{"waiting", [][]runFlag{connectionFlags, waitingFlags}},
	{"status", [][]runFlag{connectionFlags, statusFlags}},
	{"top", [][]runFlag{connectionFlags, topFlags}},
	{"trace", [][]runFlag{connectionFlags, traceFlags}},
	{"export", [][]runFlag{connectionFlags, exportFlags}},
	{"import", [][]runFlag{connectionFlags, importFlags}},
	{"logs", [][]runFlag{connectionFlags, logsFlags}},
	{"approve", [][]runFlag{connectionFlags, replyFlags, workFlags}},
	{"reject", [][]runFlag{connectionFlags, replyFlags, rejectFlags, workFlags}},
	{"answer respond", [][]runFlag{connectionFlags, replyFlags, answerFlags, workFlags}},
	{"signal", [][]runFlag{connectionFlags, signalFlags, workFlags}},
	{"wake", [][]runFlag{connectionFlags, wakeFlags, workFlags}},
	{"resume", [][]runFlag{connectionFlags, resumeFlags, workFlags}},
	{"cancel", [][]runFlag{connectionFlags, cancelFlags}},
	{"prune", [][]runFlag{connectionFlags, pruneFlags}},
	{"serve", [][]runFlag{connectionFlags, serveFlags}},
	{"pages", [][]runFlag{serveFlags}}, // those of wfc's serve, which is for other stores
	{"run schedule listen worker mcp", [][]runFlag{connectionFlags, workFlags}},
}

func runFlags(verb string) []runFlag {
	for i := range flagsOf {
		if slices.Contains(strings.Fields(flagsOf[i].verbs), verb) {
			return slices.Concat(flagsOf[i].flags...)
		}
	}
	return connectionFlags
}

// defaults are the values of flags that programs use without them.
var defaults = map[string]string{"limit": "20", "wait": "30s", "address": "127.0.0.1:8490"}

// DeclareRunFlags adds the flags of a command on runs, for a caller that passes their values
// on to a program.
func DeclareRunFlags(flags *pflag.FlagSet, verb string) {
	for _, f := range runFlags(verb) {
		switch f.kind {
		case isSwitch:
			flags.BoolP(f.name, f.short, false, f.usage)
		case hasValue:
			flags.StringP(f.name, f.short, defaults[f.name], f.usage)
		case repeats:
			flags.StringArrayP(f.name, f.short, nil, f.usage)
		}
	}
	if sandbox := flags.Lookup("sandbox"); sandbox != nil {
		sandbox.NoOptDefVal = "on"
	}
}

// DescribeRunFlags gives the flags of a program's command that have no usage the one that
// they have for all programs.
func DescribeRunFlags(cmd *cobra.Command) {
	for _, known := range runFlags(cmd.Name()) {
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			if f := flags.Lookup(known.name); f != nil && f.Usage == "" {
				f.Usage = known.usage
			}
		}
	}
}
