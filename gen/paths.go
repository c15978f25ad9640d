package gen

// The packages that generated code imports.
const (
	modulePath   = "github.com/wfc-lang/wfc"
	flowPath     = modulePath + "/runtime/flow"
	graphPath    = flowPath + "/graph"
	stepsPath    = flowPath + "/steps"
	valuePath    = modulePath + "/runtime/value"
	signalPath   = modulePath + "/runtime/signal"
	replyPath    = modulePath + "/runtime/reply"
	outputPath   = modulePath + "/runtime/output"
	jsonPath     = "encoding/json"
	localPath    = modulePath + "/runtime/engine/local"
	contextPath  = "context"
	timePath     = "time"
	strconvPath  = "strconv"
	contextType  = "Context"
	definitionID = "Workflow"
)

// The packages that programs and engine.go name. A binary links only packages that its main
// names, which is why the runtime has no registries.
const (
	cliPath        = modulePath + "/runtime/cli"
	enginePath     = modulePath + "/runtime/engine"
	shellPath      = modulePath + "/runtime/shell"
	scriptPath     = modulePath + "/runtime/script"
	promptsPath    = modulePath + "/runtime/agent/prompts"
	structuredPath = modulePath + "/runtime/agent/structured"
	graphfilesPath = modulePath + "/runtime/graphfiles"
	zonesPath      = modulePath + "/runtime/schedule/zones"
	mcpPath        = modulePath + "/runtime/mcp"
	otelPath       = modulePath + "/runtime/otel"
	servePath      = modulePath + "/runtime/serve"
	triggerPath    = modulePath + "/runtime/trigger"
	webhooksPath   = modulePath + "/runtime/webhooks"
	temporalPath   = modulePath + "/runtime/engine/temporal"
	embedPath      = modulePath + "/runtime/embedding"
	agentPath      = modulePath + "/runtime/agent"
)

const jinjaPath = modulePath + "/runtime/value/jinja"

const pyPath = modulePath + "/runtime/value/py"

const gotextPath = modulePath + "/runtime/value/gotext"

const settingsPath = modulePath + "/runtime/settings"

const deliverPath = modulePath + "/runtime/deliver"
const mailPath = modulePath + "/runtime/deliver/mail"
