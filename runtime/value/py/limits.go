package py

import "math/big"

const (
	// maxText is the most bytes that a text may hold.
	maxText = 64 << 20
	// maxItems is the most items that a list, tuple or dict may hold.
	maxItems = 1_000_000
	// maxBits is the most bits that a whole number may have.
	maxBits = 1 << 20
	// maxDigits is the most digits of a whole number that Python prints.
	maxDigits = 4300
	// maxDepth is how deep values may nest.
	maxDepth = 1000
	// maxSteps is how many pairs an equality test compares, and how many
	// values pprint puts in order.
	maxSteps = 4_000_000
)

// checkText returns an error when a text of n bytes is too long.
func checkText(n int64) error {
	if n > maxText {
		return raise("LimitError", "the text would be longer than %d MiB", maxText>>20)
	}
	return nil
}

// checkItems returns an error when a list of n items is too long.
func checkItems(n int64) error {
	if n > maxItems {
		return raise("LimitError", "the list would have more than %d items", maxItems)
	}
	return nil
}

// checkInt returns the whole number unless it is too large.
func checkInt(i *big.Int) (Value, error) {
	if i.BitLen() > maxBits {
		return nil, tooLarge()
	}
	return NewInt(i), nil
}

func tooLarge() error {
	return raise("LimitError", "the whole number would have more than %d bits", maxBits)
}

func tooDeep() error {
	return raise("RecursionError", "the value nests more than %d deep", maxDepth)
}
