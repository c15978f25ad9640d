// Command every prints what the generated package every says that its engine needs.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/outside/every"
)

func main() {
	options := every.Options()
	performers := ""
	for _, p := range options.Performers {
		performers += fmt.Sprintf("%+v\n", p)
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"Defaults": options.Defaults, "Performers": performers}); err != nil {
		panic(err)
	}
}
