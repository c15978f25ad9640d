// Package settings is the model of the settings that a project's wfc.yaml has.
//
// Package compiler/config decodes the file, generated programs contain the settings as Go
// literals, and Go programs set them in the Options of package embedding:
//
//	options := embedding.Options{Defaults: settings.Project{
//		Agents: settings.Agents{{Name: "reviewer", Kind: "claude", Permission: "edit"}},
//		Limits: settings.Limits{CostUSD: 2.5},
//	}}
//
// A field with the tag `settings:"compiler"` is for compilers: generated programs
// do not contain it. The package imports the standard library only, because both
// compilers and programs link it.
package settings

import (
	"reflect"
	"slices"
)

// A Project has the settings of a project. The zero Project has the defaults. The command
// line of a program, or the caller of an engine, overrides them.
type Project struct {
	// Agents define agents by name.
	Agents Agents
	// Models define model tiers and aliases.
	Models []Model `settings:"compiler"`
	// BaseBranch is the branch that changes are based on, or "".
	BaseBranch string
	// DocsDir is the project's documentation folder; "" means docs/.
	DocsDir string
	// MaxParallel is the maximum number of actions that a process performs at the same
	// time, over all its runs. A positive value replaces the limit of the workflow. 0 means
	// four actions for each processor, and for each run at most the limit of its workflow
	// (see flow.Definition.Concurrency).
	MaxParallel int
	// Concurrency is the maximum number of turns at the same time, by agent, for all runs of this
	// account on this machine, or of a database that keeps the runs. A turn of an agent that uses
	// another one counts for that one, unless it has its own maximum.
	Concurrency map[string]int
	// Environ are environment variables for the processes of runs, in the form NAME=VALUE.
	// They override those of the program's own environment.
	Environ []string
	// State is the folder that keeps the runs; "" means a folder of the project in
	// ~/.local/state/wfc. The environment variable WFC_STATE overrides it.
	State string
	// Store is the kind of store that keeps the runs; "" is StoreSQLite.
	Store Store `settings:"compiler"`
	// Toolchain is "local" if builds may use only a Go that is installed, or "".
	Toolchain string `settings:"compiler"`
	// Database is the URL of the database, without a password, or "". The environment
	// variable WFC_DATABASE_URL overrides it.
	Database string
	// DeliverTo are the targets of the results of workflows that name none, unless the
	// run was started from a chat. Channels are the channels that targets name.
	DeliverTo []string
	Channels  []Channel
	// Notify says who learns what happens in runs that nobody watches.
	Notify Notify
	// OnInterrupt decides about steps that were running when the process of a run
	// died.
	OnInterrupt Interrupts
	// OnQuota decides about prompts whose agent's quota is used up, unless the agent has its
	// own policy.
	OnQuota Quota
	// Sandbox says which steps run in the sandbox, and what they can reach there.
	Sandbox Sandbox
	// Limits end a run whose agents have used too many tokens or too much money.
	Limits Limits
	// Budgets limit what agents spend in a day or a month.
	Budgets ProjectBudgets
	// PassEnv selects, by patterns of names, the environment variables that agents and
	// scripts get.
	PassEnv PassEnv
	// Gates is what an answer to a run's question needs. A program with its own Asker ignores it.
	Gates GateSettings
	// Commands and Scripts are more folders with command files and named scripts,
	// relative to the project's folder.
	Commands []string `settings:"compiler"`
	Scripts  []string `settings:"compiler"`
	// Archon says how archon workflows are read.
	Archon Archon `settings:"compiler"`
	// Programs describe, by the program's name, the command lines of programs that run some
	// of their arguments as code.
	Programs map[string]CodeRunner `settings:"compiler"`
}

// Archon says which rules of Archon, the program, hold for archon workflows.
type Archon struct {
	// Version is the version whose rules hold, such as "0.9"; "" leaves the choice to each file.
	Version string
	// LooseUntil makes the words that end loops match as they do in Archon: by
	// signal.Word.SaidAsArchon instead of Said (package runtime/signal).
	LooseUntil bool
}

// Limits bound the sum over all turns of a run. Zero means no limit.
type Limits struct {
	// CostUSD is in US dollars.
	CostUSD float64
	// Tokens counts the tokens that models read and write.
	Tokens int64
}

// A PassEnv lists patterns of names of environment variables, with * for any characters:
// the variables that processes get. They also get a few variables that every program
// needs, and agents those that their kind needs.
type PassEnv struct {
	// Agents are the patterns for agents; nil means all variables whose names do not look
	// like secrets.
	Agents []string
	// Scripts are the patterns for bash and script nodes; nil means all variables.
	Scripts []string
}

// A Channel is a place to deliver results to, which targets name. Its secrets are in
// environment variables; here are only their names.
type Channel struct {
	// Name is the channel's name in targets. It is a name that the user chose, a kind of
	// channel, or a complete target such as `slack:C123`, for settings that apply to that
	// target alone.
	Name string
	// Kind is the kind of channel: slack, discord, telegram, webhook, mail or command; ""
	// means that Name is the kind.
	Kind string
	// URLVariable is the variable with the address that messages go to: that of an
	// incoming webhook, or an address as the library shoutrrr writes it, such as
	// slack://…, discord://…, telegram://… or generic://…. For mail it is that of the server,
	// such as smtp://user:password@mail.example.com?from=wfc@example.com.
	URLVariable string
	// TokenVariable is the variable with the token of a bot, for slack, discord and
	// telegram. Webhooks get it as a bearer token.
	TokenVariable string
	// Receiver is the room, chat or e-mail address of targets that name none; a bot needs one.
	Receiver string
	// Command is, for the kind command, the program that gets the messages, with its
	// arguments.
	Command []string
	// BaseURL is the address of a bot's service; "" means the vendor's.
	BaseURL string
}

// A Policy says what happens, when a run is resumed, to an interrupted action: one that
// was running when the run's process died.
type Policy string

// The policies.
const (
	// InterruptRerun performs the action again. The zero Policy is the same.
	InterruptRerun Policy = "rerun"
	// InterruptAsk asks a person whether to perform it again or to fail it.
	InterruptAsk Policy = "ask"
	// InterruptFail fails the action.
	InterruptFail Policy = "fail"
)

// Interrupts are the policies for interrupted actions: those that were running when the
// process of a run died. (Questions before and after the nodes of a state graph are
// interrupts, too, in another sense; see package runtime/flow/graph.) The policy in Nodes
// for the action's node comes first, then the one in Kinds for the node's kind, then
// Default. The parts of a loop belong to the loop's node.
type Interrupts struct {
	Default Policy
	// Kinds and Nodes are policies by kind of node and by node.
	Kinds, Nodes map[string]Policy
}

// A Store is a kind of store for the runs of programs.
type Store string

const (
	// StoreSQLite keeps them in a database in the state folder.
	StoreSQLite Store = "sqlite"
	// StorePostgres keeps them in a PostgreSQL database, whose URL WFC_DATABASE_URL, a flag
	// or Project.Database gives at run time.
	StorePostgres Store = "postgres"
	// StoreMemory keeps them in the process: nothing outlives it.
	StoreMemory Store = "memory"
)

// Gates says which answers to a run's questions count, so that an agent cannot approve its
// own work.
type Gates string

// The modes of gates.
const (
	// GatesAny accepts answers typed at the run's terminal, and answers by the
	// commands approve, reject and answer. "" is the same.
	GatesAny Gates = "any"
	// GatesTerminal accepts only answers typed at a terminal: the commands, too, have
	// the person confirm there.
	GatesTerminal Gates = "terminal"
	// GatesToken accepts only answers with the run's token, which the person who
	// started the run was shown or chose.
	GatesToken Gates = "token"
)

// GateSettings say what answers to questions need.
type GateSettings struct {
	// Mode holds for all of them; "" is GatesAny.
	Mode Gates
	// Nodes are rules for single gates, by NODE or WORKFLOW/NODE, of which the second counts first.
	Nodes map[string]GateRule
}

// A GateRule says who may answer the questions of a node.
type GateRule struct {
	// Role is a role that each person needs, or "" for "approver".
	Role string
	// Approvals is how many people have to give the same answer; 0 means 1. One is enough to reject.
	Approvals int
	// NotStarter refuses the person who started the run.
	NotStarter bool
}

// A CodeRunner describes the command line of a program, such as `ssh`: it says which of the
// arguments that program runs as code. The compiler refuses a bash script in which such
// an argument has a value from an agent, another step or the caller of a run. The zero
// CodeRunner runs none.
type CodeRunner struct {
	// CodeArguments are the positional arguments that it runs as code, counted from 1; 0
	// means all of them.
	CodeArguments []int
	// CodeFlags are the flags whose value it runs as code, such as --hook. ValueFlags are
	// the flags with other values.
	CodeFlags, ValueFlags []string
}

// Inherit returns a with every setting that it does not set taken from the other agent.
func (a Agent) Inherit(from Agent) Agent {
	fillZeroFields(reflect.ValueOf(&a).Elem(), reflect.ValueOf(from))
	return a
}

// With returns p with every setting that more sets replaced. Structs and maps are merged
// by field and key, and the variables of Environ are added. Agents and channels are
// added, too; of two with the same name, the one of more counts. Any other list is
// replaced.
func (p Project) With(more Project) Project {
	more.Agents = joinByName(p.Agents, more.Agents, func(a Agent) string { return a.Name })
	more.Channels = joinByName(p.Channels, more.Channels, func(c Channel) string { return c.Name })
	more.Environ = slices.Concat(p.Environ, more.Environ) // the last value of a variable counts
	fillZeroFields(reflect.ValueOf(&more).Elem(), reflect.ValueOf(p))
	return more
}

// joinByName is a list with more behind it, without the elements whose names more has.
func joinByName[T any](list, more []T, name func(T) string) []T {
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}

// fillZeroFields sets the fields of a struct that are zero, and the missing keys of its maps,
// to those of another one. It changes no map in place.
func fillZeroFields(into, from reflect.Value) {
	for i := range into.NumField() {
		to, value := into.Field(i), from.Field(i)
		switch {
		case to.Kind() == reflect.Struct:
			fillZeroFields(to, value)
		case to.IsZero():
			to.Set(value)
		case to.Kind() == reflect.Map:
			all := reflect.MakeMap(to.Type())
			for _, table := range []reflect.Value{value, to} {
				for pairs := table.MapRange(); pairs.Next(); {
					all.SetMapIndex(pairs.Key(), pairs.Value())
				}
			}
			to.Set(all)
		}
	}
}
