package datadir

import "testing"

// TestInventory: what is there is told, and what cannot be read.
func TestInventory(t *testing.T) {
	var v Inventory
	want := func(text string) {
		t.Helper()
		if got := v.String(); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	want("0 intents")
	for _, key := range []string{"intents/writer", "decisions/b0000000000000001", clusterKeyName, "config/state"} {
		if err := v.Add([]byte(key), nil); err != nil {
			t.Fatal(err)
		}
	}
	want("0 intents, the network's configuration and drains, the cluster's key")
	if err := v.Add([]byte("intents/b0000000000000001"), []byte("not a block")); err != nil {
		t.Fatal(err)
	}
	want("0 intents (and others in damaged blocks: 1), the network's configuration and drains, the cluster's key")
}
