package trust_test

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/internal/shared/trust"
)

// A program refuses a file of another user unless its own user trusts the file. This file
// belongs to the user, because the program itself creates it.
func ExampleOwner() {
	file, err := os.CreateTemp("", "flow-*.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	if owner, foreign := trust.Owner(info); foreign && !trust.Trusted(file.Name()) {
		fmt.Printf("%s belongs to %s; %s to use it anyway\n", file.Name(), owner, trust.Advice(file.Name()))
		return
	}
	fmt.Println("the file is safe to use")
	// Output: the file is safe to use
}

// WFC_TRUST names a folder: the user trusts every file inside it, and none outside.
func ExampleTrusted() {
	defer os.Setenv("WFC_TRUST", os.Getenv("WFC_TRUST"))
	os.Setenv("WFC_TRUST", "/srv/flows")
	for _, path := range []string{"/srv/flows/deploy.yaml", "/srv/other/deploy.yaml"} {
		if trust.Trusted(path) {
			fmt.Println("use", path)
		} else {
			fmt.Printf("refuse %s; %s to use it anyway\n", path, trust.Advice(path))
		}
	}
	// Output:
	// use /srv/flows/deploy.yaml
	// refuse /srv/other/deploy.yaml; set WFC_TRUST=/srv/other/deploy.yaml to use it anyway
}
