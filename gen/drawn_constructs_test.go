package gen_test

// constructs are what workflows must have been drawn with, besides the keys.
var constructs = map[string][]string{
	"archon": {
		"odd id", "odd property", "input in a condition", "condition with !", "script with uv", "script with bun",
		"loop_group in 0 groups", "loop_group in 1 groups", "$LOOP_PREV in a prompt", "$LOOP_PREV in a condition", "$LOOP_PREV in until_bash",
		"include with fan_out", "workflow with fan_out",
		"field string", "field enum", "field integer", "field number", "field boolean", "field list", "field object", "field objects", "field nullable", "field any", "field map",
		"variable $ARGUMENTS", "variable $CONTEXT", "variable $WORKFLOW_ID", "variable $ARTIFACTS_DIR", "variable $BASE_BRANCH", "variable $DOCS_DIR", "variable $INPUTS", "variable $LOOP_USER_INPUT",
	},
	"xprompt": {
		"input word", "input line", "input text", "input path", "input int", "input bool", "input float", "input agent",
		"output word", "output line", "output text", "output path", "output int", "output bool", "output float", "output of a list",
		"{% if %}", "{% for %}", "{% set %}", "{% macro %}",
	},
	"graphloop": {"variable text", "variable number", "variable bool", "variable list", "variable any", "variable nothing", "node command"},
	"lango":     {"{{if}}", "{{with}}", "{{variable}}"},
}

func init() {
	for _, kind := range archonKinds {
		constructs["archon"] = append(constructs["archon"], kind+" in top", kind+" in other workflow")
		if kind != "include" && kind != "workflow" && kind != "wait" {
			constructs["archon"] = append(constructs["archon"], kind+" in group")
		}
	}
	for _, kind := range stepKinds {
		constructs["xprompt"] = append(constructs["xprompt"], "step "+kind)
		if kind != "use" {
			constructs["xprompt"] = append(constructs["xprompt"], "finally "+kind)
		}
	}
	for _, kind := range graphKinds {
		constructs["graphloop"] = append(constructs["graphloop"], "node "+kind)
	}
}

// withoutDraw are keys that no accepted workflow has, each with its reason.
var withoutDraw = map[string]string{
	"archon At the top of the file: steps": "was removed",
	"xprompt On a step: prompt_part":       "is an error",
}
