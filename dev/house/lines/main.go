// Command lines prints the figures of the Go code of wfc's module and of the module dev; see
// house.Figures. It runs in the root of the repository.
package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/house"
)

func main() {
	wfc, err := house.Measure(".", "*.go", ":!dev")
	dev := wfc
	if err == nil {
		dev, err = house.Measure(".", "dev/*.go")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	printSize("wfc", wfc)
	printSize("dev", dev)
	fmt.Printf("packages under 100 lines: %d\n", len(wfc.Small(100)))
	fmt.Printf("functions with a name of one word in lower case: %d of %d\n", wfc.OneWord, wfc.Functions)
	fmt.Printf("types with more than 60 methods: %s\n", cmp.Or(strings.Join(house.Above(wfc.Methods, 60), ", "), "none"))
	fmt.Printf("types with more than 25 fields: %s\n", cmp.Or(strings.Join(house.Above(wfc.Fields, 25), ", "), "none"))
	for _, folder := range slices.SortedFunc(maps.Keys(wfc.Folders), func(a, b string) int { return cmp.Compare(wfc.Folders[b], wfc.Folders[a]) }) {
		fmt.Printf("%7d %s\n", wfc.Folders[folder], folder)
	}
}

func printSize(module string, f *house.Figures) {
	fmt.Printf("%s: %d lines of code, %d of comments, %d files, median %d lines, longest %d\n",
		module, f.Code, f.Comments, len(f.Lengths), f.Lengths[len(f.Lengths)/2], f.Lengths[len(f.Lengths)-1])
}
