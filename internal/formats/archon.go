package formats

// The versions of Archon whose rules wfc knows. Version 0.9 includes its development until
// the commit; the last one includes texts after 0.11.1.
const (
	archonFirst  = "0.5"
	archonNine   = "0.9"
	archonTen    = "0.10"
	archonEleven = "0.11"
)

// The rules of Archon that checks ask for.
const (
	UnknownNodes       Rule = "unknown-nodes"
	WholeReplies       Rule = "whole-replies"
	BlankChannels      Rule = "blank-channels"
	OptionalSignal     Rule = "optional-signal"
	ReservedID         Rule = "reserved-id"
	DeprecatedThinking Rule = "deprecated-thinking"
	RemovedThinking    Rule = "removed-thinking"
	CommonEffort       Rule = "common-effort"
	CheckedPrograms    Rule = "checked-programs"
	RunFolders         Rule = "run-folders"
	ArtifactList       Rule = "artifact-list"
	ArtifactPointers   Rule = "artifact-pointers"
	CheckedLoops       Rule = "checked-loops"
	LoopAgents         Rule = "loop-agents"
	FinalApproval      Rule = "final-approval"
	UnknownResult      Rule = "unknown-result"
	NestedFields       Rule = "nested-fields"
	GateDecisions      Rule = "gate-decisions"
	ComparedValues     Rule = "compared-values"
	FailureBefore      Rule = "failure-before"
	SharedContext      Rule = "shared-context"
	CompiledSchemas    Rule = "compiled-schemas"
	RequiredSandbox    Rule = "required-sandbox"
	AgentBetas         Rule = "agent-betas"
	HelperPrompts      Rule = "helper-prompts"
	AdoptedRun         Rule = "adopted-run"
	NodeExecution      Rule = "node-execution"
	PreviousOutputs    Rule = "previous-outputs"
	PortableAliases    Rule = "portable-aliases"
	LoopTimeouts       Rule = "loop-timeouts"
)

// Archon is the format of the workflow engine Archon. Its keys have the release that first
// had them.
var Archon = Format{
	Name: "archon",
	Versions: []Version{
		{Name: archonFirst, Title: "July 2026", Repository: "coleam00/Archon", Commit: "f69919a7c", Date: "2026-07-13", Recorded: true},
		{Name: archonNine, Title: "0.9.0", Repository: "coleam00/Archon", Commit: "3d9af974b", Date: "2026-08-22", Recorded: true},
		{Name: archonTen, Title: "0.10.1", Repository: "coleam00/Archon", Text: "changelog 0.10.1", Date: "2026-08-30"},
		{Name: archonEleven, Title: "0.11.1", Repository: "coleam00/Archon", Commit: "1814c48d4"},
	},
	Keys: []Keys{
		{"0.6", "at the top of the file", []string{"container"}},
		{"0.6", "on a node", []string{"loop_group", "include"}},
		{"0.6", "under `loop:`", []string{"command", "signal_completes"}},
		{"0.6", "under `loop_group:`", []string{"nodes", "until", "until_bash", "max_iterations", "fresh_context", "interactive", "gate_message", "signal_completes"}},
		{"0.7", "at the top of the file", []string{"evidence_policy"}},
		{"0.7", "under `evidence_policy:`", []string{"required"}},
		{"0.7", "on a node", []string{"workflow", "input", "settingSources"}},
		{"0.8", "on a node", []string{"isolation", "fan_out"}},
		{"0.8", "under `fan_out:`", []string{"items", "as", "max_parallel", "join"}},
		{"0.9", "at the top of the file", []string{"inputs", "returns"}},
		{"0.9", "in an input", []string{"required", "default", "description"}},
		{"0.10", "at the top of the file", []string{"outcome_field", "deprecated"}},
		{"0.10", "under `deprecated:`", []string{"message"}},
		{"0.10", "on a node", []string{"with", "wait", "mutates_checkout"}},
		{"0.10", "in a value of `with:`", []string{"from", "if_skipped"}},
		{"0.10", "under `wait:`", []string{"duration_ms", "until", "event", "deadline_ms"}},
		{"0.10", "under `loop:`", []string{"until_field"}},
		{"0.10", "under `approval:`", []string{"decisions"}},
		{"0.10", "in a decision", []string{"id", "label"}},
		{"0.10", "under `context:`", []string{"resume"}},
		{"0.11", "on a node", []string{"on_timeout", "plugins"}},
		{"0.11", "under `wait:`", []string{"attention"}},
	},
	Changes: []Change{
		{Rule: UnknownNodes, Since: archonNine, Topic: "unknown node in a string",
			Before: "empty string, with a warning (WFC250)", After: "error (WFC250)"},
		{Rule: UnknownNodes, Since: archonNine, Topic: "unknown node in a command file",
			Before: "empty string, with a warning (WFC250)", After: "the same, but a field of one is an error (WFC250)"},
		{Rule: UnknownNodes, Since: archonNine, Topic: "unknown node in a code span or fence",
			Before: "plain text", After: "error (WFC250)"},
		{Rule: WholeReplies, Since: archonNine, Topic: "comparison of a whole reply",
			Before: "warning (WFC323)", After: "error (WFC323)", Source: "changelog 0.10.0, #2579"},
		{Rule: BlankChannels, Since: archonNine, Topic: "`until` with only whitespace",
			Before: "no reply ends the loop, with a warning (WFC403)", After: "error (WFC116)", Source: "changelog 0.10.0, #2563"},
		{Rule: BlankChannels, Since: archonNine, Topic: "`until_bash` with only whitespace",
			Before: "ignored", After: "error (WFC116)", Source: "changelog 0.10.0, #2563"},
		{Rule: OptionalSignal, Since: archonNine, Topic: "a loop with `until_bash` and without `until`",
			Before: "error (WFC112)", After: "the exit code alone ends the loop", Source: "changelog 0.10.0, #2563"},
		{Rule: ReservedID, Since: archonNine, Topic: "node id `INPUTS`", Before: "an id", After: "error (WFC220)"},
		{Rule: DeprecatedThinking, Since: archonNine, Topic: "`thinking`, `modelReasoningEffort`",
			Before: "passed to the agent", After: "the same, with a warning (WFC129)", Source: "changelog 0.10.0, #2556"},
		{Rule: RemovedThinking, Since: archonEleven, Topic: "`thinking`", Named: true,
			Before: "passed to the agent, with a warning (WFC129)", After: "error (WFC129)", Source: "schemas/effort.ts"},
		{Rule: CommonEffort, Since: archonNine, Topic: "`effort` for codex",
			Before: "warning (WFC701)", After: "passed to codex as its reasoning effort", Source: "changelog 0.10.0, #2556"},
		{Rule: CheckedPrograms, Since: archonEleven, Topic: "`output_format` on `bash` and `script`",
			Before: "warning (WFC701)", After: "the output must be one JSON document of this schema", Source: "schemas/dag-node.ts, #2453"},
		{Rule: RunFolders, Since: archonNine, Topic: "`$STATE_DIR`",
			Before: "plain text", After: "folder of the project; scripts also get it as an environment variable, with `WORKFLOW_ID`", Source: "changelog 0.8.0, #2299"},
		{Rule: ArtifactList, Since: archonEleven, Topic: "`$TYPED_ARTIFACTS_FILE`",
			Before: "plain text, with a warning (WFC128)", After: "file of the run, also an environment variable of scripts", Source: "executor-shared.ts"},
		{Rule: ArtifactPointers, Since: archonEleven, Topic: "an output with `type: archon_artifact`",
			Before: "an output like any other", After: "the node fails unless it names a file of its run", Source: "artifact-pointer.ts, #2453"},
		{Rule: CheckedLoops, Since: archonNine, Topic: "`output_format` on a loop",
			Before: "warning (WFC701)", After: "each iteration must have an output of this schema", Source: "changelog 0.10.0, #2588"},
		{Rule: LoopAgents, Since: archonNine, Topic: "`model` and `provider` on a loop",
			Before: "ignored, with a warning (WFC701)", After: "hold for every iteration; `model` on a `loop_group` is the default for the nodes inside", Source: "guide to loops at commit 3d9af974b"},
		{Rule: FinalApproval, Since: archonNine, Topic: "approval without a comment of an interactive loop, if its first reply has the signal",
			Before: "the next iteration starts", After: "the loop ends"},
		{Rule: UnknownResult, Since: archonNine, Topic: "unknown node in `returns`", Named: true,
			Before: "warning (WFC250)", After: "error (WFC250)", Source: "changelog 0.9.0, #2523"},
		{Rule: NestedFields, Since: archonEleven, Topic: "`$node.output.a.b`",
			Before: "field `a`, followed by `.b`, with a warning (WFC259) if `a` can be an object",
			After:  "error (WFC259) if `a` can be an object, but in command files a warning", Source: "guide to authoring workflows"},
		{Rule: GateDecisions, Since: archonNine, Topic: "`on_reject` of an approval",
			Before: "runs its prompt after a rejection", After: "the same, with a warning (WFC129): decisions replace it", Source: "changelog 0.10.0, #2721"},
		{Rule: ComparedValues, Since: archonEleven, Topic: "condition on a field that is an object or a list",
			Before: "compares its JSON, with a warning (WFC321) if the schema declares it",
			After:  "error (WFC321). If the schema does not declare the type, the node fails when its run evaluates the condition", Source: "guide to authoring workflows"},
		{Rule: FailureBefore, Since: archonEleven, Topic: "`trigger_rule: none_failed_min_one_success`, a dependency skipped because of a failure before it",
			Before: "the node runs if another dependency completed",
			After:  "the node is skipped. A dependency that its own condition or time limit skipped does not block the node", Source: "changelog after 0.10.1, #3156"},
		{Rule: SharedContext, Since: archonTen, Topic: "`context: shared` on nodes that can run at the same time",
			Before: "new sessions", After: "error (WFC215)", Source: "changelog 0.10.0, #2785"},
		{Rule: CompiledSchemas, Since: archonEleven, Topic: "malformed schema in `output_format`",
			Before: "warning (WFC340)", After: "error (WFC340)", Source: "guide to authoring workflows"},
		{Rule: RequiredSandbox, Since: archonNine, Topic: "`sandbox` for an agent without one",
			Before: "warning (WFC701)", After: "error (WFC701), unless the agent does not work on the machine", Source: "wfc: without it the agent could do more than its author allows"},
		{Rule: AgentBetas, Since: archonNine, Topic: "`betas` for an agent without them",
			Before: "passed to the agent", After: "warning (WFC701)"},
		{Rule: HelperPrompts, Since: archonNine, Topic: "references in the prompts of helper agents (`agents`)",
			Before: "plain text", After: "values; references in other strings of helpers are errors (WFC128)"},
		{Rule: PreviousOutputs, Since: archonNine, Topic: "`$LOOP_PREV.node.output`",
			Before: "plain text", After: "the output of the previous iteration of a group", Source: "changelog 0.6.0"},
		{Rule: PortableAliases, Since: archonEleven, Topic: "`model: '@implementer'`, `'@reviewer'`, `'@adjudicator'` and `'@architect'`, which no configuration defines",
			Before: "error (WFC703)", After: "the tier `medium`, and `large` for the last one", Source: "schemas/model-binding.ts"},
		{Rule: LoopTimeouts, Since: archonEleven, Topic: "a `timeout` of 0 or less on a loop or a group",
			Before: "ignored, with a warning (WFC124)", After: "error (WFC115)", Source: "schemas/dag-node.ts"},
		{Rule: AdoptedRun, Since: archonTen, Topic: "`$ADOPTED_RUN_DIR`",
			Before: "plain text, with a warning (WFC128)", After: "error (WFC128): declare an input for the folder", Source: "changelog 0.10.0, #2747"},
		{Rule: NodeExecution, Since: archonEleven, Topic: "`$ARCHON_NODE_EXECUTION`, `$node.execution.name`",
			Before: "plain text, with a warning (WFC128) for the variable", After: "error (WFC128): wfc does not have them", Source: "schemas/node-execution.ts"},
	},
}
