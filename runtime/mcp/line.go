package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// readLine reads a line without its end and blanks around it. Of one that is too
// long it reads everything and returns nothing, with whole false. The last line
// comes with an error.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		piece, err := r.ReadSlice('\n')
		if len(line)+len(piece) > longestLine {
			line, whole = nil, false
		}
		if whole {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), whole, err
		}
	}
}

// codeOf is the error code for a line that is no message.
func codeOf(line []byte) int64 {
	if json.Valid(line) {
		return jsonrpc.CodeInvalidRequest
	}
	return jsonrpc.CodeParseError
}

// refusal is an error that answers no request in particular.
func refusal(code int64, why string) []byte {
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		panic(err) // texts and numbers encode
	}
	return text
}
