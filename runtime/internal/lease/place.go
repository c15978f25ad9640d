package lease

import "github.com/wfc-lang/wfc/runtime/store"

// Place describes, for people, where a store keeps its runs: the result of the store's
// method Name() string, if it has one, else folder, the path of the state folder.
func Place(s store.Store, folder string) string {
	if named, ok := s.(interface{ Name() string }); ok {
		return named.Name()
	}
	return folder
}
