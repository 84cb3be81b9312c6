package datadir

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/store/journal"
)

// Inventory says what of a user's is in a store, from its pairs in the order of their keys: those
// of a backup.
type Inventory struct {
	intents       journal.Count
	configuration bool
	key           bool
	damaged       int // blocks of intents that cannot be read
	tokens        int
}

// tokenKeys is the prefix of the keys of package tokens.
const tokenKeys = "tokens/"

// Add takes a pair. There is no error: what cannot be read is told by String.
func (v *Inventory) Add(key, value []byte) error {
	switch {
	case bytes.HasPrefix(key, []byte(Intents+"b")):
		if v.intents.Block(value) != nil {
			v.damaged++
		}
	case bytes.HasPrefix(key, []byte(config.StateKey)):
		v.configuration = true
	case string(key) == clusterKeyName:
		v.key = true
	case bytes.HasPrefix(key, []byte(tokenKeys)):
		v.tokens++
	}
	return nil
}

// String is "3 intents, the network's configuration and drains, the cluster's key".
func (v *Inventory) String() string {
	parts := []string{fmt.Sprintf("%d intents", v.intents.Len())}
	if v.intents.Len() == 1 {
		parts[0] = "1 intent"
	}
	if v.damaged > 0 {
		parts[0] += fmt.Sprintf(" (and others in damaged blocks: %d)", v.damaged)
	}
	if v.configuration {
		parts = append(parts, "the network's configuration and drains")
	}
	if v.tokens == 1 {
		parts = append(parts, "1 token of the API")
	} else if v.tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens of the API", v.tokens))
	}
	if v.key {
		parts = append(parts, "the cluster's key")
	}
	return strings.Join(parts, ", ")
}
