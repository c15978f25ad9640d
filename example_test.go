package wfc_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc"
)

func ExampleModule() {
	content, err := wfc.Module.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	module, _, _ := strings.Cut(string(content), "\n")
	fmt.Println(module)
	// Output: module github.com/wfc-lang/wfc
}
