//go:build js && wasm

// Command playground is the checker as a program for browsers. It gives the page two
// functions and waits.
package main

import (
	"syscall/js"

	"github.com/wfc-lang/wfc/dev/playground/answer"
)

func main() {
	js.Global().Set("wfcCheck", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(answer.Check(args[0].String(), args[1].String()))
	}))
	js.Global().Set("wfcExplain", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(answer.Explain(args[0].String()))
	}))
	js.Global().Get("wfcReady").Invoke()
	select {}
}
