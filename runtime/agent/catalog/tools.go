package catalog

// claudeTools are the tools of Claude Code, by its reference of tools
// (https://code.claude.com/docs/en/tools-reference), and former names of them.
var claudeTools = []string{
	"Agent", "Artifact", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
	"ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "PowerShell", "Read",
	"ReadMcpResourceTool", "RemoteTrigger", "SendMessage", "Skill", "SlashCommand", "TaskCreate", "TaskGet", "TaskList", "TaskOutput",
	"TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",

	"BashOutput", "KillBash", "KillShell", "LS", "MultiEdit", "NotebookRead", "Task", "TodoRead",
}
