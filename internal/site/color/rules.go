package color

const (
	doubleQuoted = `"(?:[^"\\\n]|\\.)*"`
	singleQuoted = `'(?:[^'\\\n]|\\.)*'`
	// spaces may precede comments and keywords.
	spaces = " \t\n"
)

// rulesOf has the rules of the languages that need no more than rules.
var rulesOf = map[string][]rule{
	"sh": shell, "bash": shell, "json": json, "python": python, "lua": lua,
	"toml": settings, "ini": settings, "dockerfile": docker, "lisp": lisp, "vim": vim,
}

var (
	shell = []rule{
		newRule(Comment, `#[^\n]*`, spaces+";"),
		newRule(String, `'[^']*'`, ""),
		newRule(String, `"(?:[^"\\]|\\[\s\S])*"`, ""),
		newRule(Value, `\$(?:\{[^}\n]*\}|\w+|[#?@*!])`, ""),
		newRule(Keyword, `(?:if|then|else|elif|fi|for|in|do|done|while|until|case|esac|function|return|exit|export|local)\b`, spaces+";("),
	}
	json = []rule{
		newRule(Key, `(`+doubleQuoted+`)\s*:`, ""),
		newRule(String, doubleQuoted, ""),
		newRule(Literal, `-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b`, spaces+",:["),
	}
	python = []rule{
		newRule(Comment, `#[^\n]*`, ""),
		newRule(String, `"""[\s\S]*?"""|`+doubleQuoted+`|`+singleQuoted, ""),
		newRule(Keyword, `(?:and|as|assert|break|class|continue|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b`, spaces+"([{=:,"),
		newRule(Literal, `\d+(?:\.\d+)?\b`, ""),
	}
	lua = []rule{
		newRule(Comment, `--[^\n]*`, ""),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Keyword, `(?:and|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|return|then|true|while)\b`, spaces+"({=,"),
	}
	settings = []rule{
		newRule(Comment, `[#;][^\n]*`, spaces),
		newRule(Keyword, `\[[^\]\n"=]*\]+(?:\n|\z)`, "\n"),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Key, `([\w.-]+)[ \t]*=`, "\n"),
		newRule(Literal, `(?:true|false|\d+)\b`, " =,["),
	}
	docker = []rule{
		newRule(Comment, `#[^\n]*`, "\n"),
		newRule(Keyword, `(?:FROM|AS|RUN|COPY|ADD|ENV|ARG|WORKDIR|USER|ENTRYPOINT|CMD|LABEL|EXPOSE|VOLUME)\b`, spaces),
		newRule(String, doubleQuoted+`|`+singleQuoted, ""),
		newRule(Value, `\$(?:\{[^}\n]*\}|\w+)`, ""),
	}
	lisp = []rule{
		newRule(Comment, `;[^\n]*`, ""),
		newRule(String, doubleQuoted, ""),
		newRule(Keyword, `[\w-]+`, "("),
	}
	vim = []rule{
		newRule(Comment, `"[^\n]*`, "\n"),
		newRule(String, singleQuoted, ""),
	}
)
