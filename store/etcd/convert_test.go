package etcd

import (
	"bytes"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestTakenWhenFull: a full store takes who owns it, and who takes a journal over, without which the writer before would go on to
// answer; and no more of a journal.
func TestTakenWhenFull(t *testing.T) {
	row, block := store.Put([]byte("intents/writer"), make([]byte, fenceBytes)), store.Put([]byte("intents/b1"), []byte{1})
	for name, c := range map[string]struct {
		want bool
		then []store.Op
	}{
		"an owner":                 {true, []store.Op{store.Put([]byte("instances/owner"), nil), store.Delete(store.Key("x"))}},
		"a journal is taken over":  {true, []store.Op{row}},
		"records of a journal":     {false, []store.Op{block, row}},
		"blocks that are merged":   {false, []store.Op{store.Delete(store.Key("intents/b1")), row}},
		"something else of a name": {false, []store.Op{store.Put([]byte("tokens/writer"), bytes.Repeat([]byte{'x'}, 100))}},
	} {
		if got := TakenWhenFull(&store.Txn{Then: c.then}); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
