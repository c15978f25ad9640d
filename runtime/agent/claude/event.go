package claude

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// event has the common fields of events, and the fields of those with few.
type event struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Session string  `json:"session_id"`
	Parent  *string `json:"parent_tool_use_id"`
}

// initial is the event "system" of subtype "init".
type initial struct {
	Model   string `json:"model"`
	Version string `json:"claude_code_version"`
	// KeySource says where the program has its key from.
	KeySource string `json:"apiKeySource"`
}

// retry is the event "system" of subtype "api_retry".
type retry struct {
	Attempt int             `json:"attempt"`
	Most    int             `json:"max_retries"`
	Status  json.RawMessage `json:"error_status"`
	Error   json.RawMessage `json:"error"`
}

// said is the event "assistant".
type said struct {
	Message *struct {
		ID      string   `json:"id"`
		Model   string   `json:"model"`
		Content *[]block `json:"content"`
		Usage   usage    `json:"usage"`
	} `json:"message"`
	// Error names the sort of the service's error that the text is.
	Error string `json:"error"`
}

// block is a piece of a message.
type block struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// partial is the event "stream_event".
type partial struct {
	Event *struct {
		Type    string `json:"type"`
		Message struct {
			ID    string `json:"id"`
			Usage usage  `json:"usage"`
		} `json:"message"`
		Block struct {
			Type string `json:"type"`
		} `json:"content_block"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
		Usage usage `json:"usage"`
	} `json:"event"`
}

// limited is the event "rate_limit_event".
type limited struct {
	Info struct {
		Status string `json:"status"`
		// Resets is in seconds since 1970.
		Resets float64 `json:"resetsAt"`
		Kind   string  `json:"rateLimitType"`
	} `json:"rate_limit_info"`
}

// result is the event "result".
type result struct {
	Subtype    string          `json:"subtype"`
	IsError    bool            `json:"is_error"`
	Text       string          `json:"result"`
	Structured json.RawMessage `json:"structured_output"`
	CostUSD    float64         `json:"total_cost_usd"`
	Turns      int             `json:"num_turns"`
	Usage      usage           `json:"usage"`
	// Models are what each model cost, as CostUSD counts; Since is the part of it after
	// the previous result, or nil if the program does not report it.
	Models  modelUsage `json:"modelUsage"`
	Since   modelUsage `json:"model_usage_since_last_result"`
	Denials []struct {
		ID    string          `json:"tool_use_id"`
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
	Errors []string `json:"errors"`
	// Status is the HTTP status of the service's error, or 0.
	Status int `json:"api_error_status"`
}

// modelUsage is the usage by model.
type modelUsage map[string]struct {
	Input      int64   `json:"inputTokens"`
	Output     int64   `json:"outputTokens"`
	CacheRead  int64   `json:"cacheReadInputTokens"`
	CacheWrite int64   `json:"cacheCreationInputTokens"`
	CostUSD    float64 `json:"costUSD"`
}

// done is the event "user": what came of tools.
type done struct {
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Meta []struct {
		ID       string `json:"id"`
		Decision struct {
			Source string `json:"source"`
		} `json:"permission_decision"`
	} `json:"tool_result_meta"`
}

// usage counts the tokens of a message.
type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

// totalInput returns the tokens of the input, cached ones too.
func (u usage) totalInput() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// atLeast returns the larger of two counts of one message: the first one of its
// output is made when it begins.
func (u usage) atLeast(v usage) usage {
	return usage{max(u.Input, v.Input), max(u.Output, v.Output), max(u.CacheRead, v.CacheRead), max(u.CacheWrite, v.CacheWrite)}
}

// decodeEvent decodes an event of a type.
func decodeEvent[T any](line []byte, kind string) (*T, error) {
	var e T
	if err := stream.Decode(line, &e); err != nil {
		return nil, fmt.Errorf("it is not a valid event `%s`: %w", kind, err)
	}
	return &e, nil
}
