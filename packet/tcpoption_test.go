package packet

import (
	"bytes"
	"fmt"
	"testing"
)

func TestTCPOptions(t *testing.T) {
	for _, c := range []struct {
		options []byte
		want    string
	}{
		{nil, ""},
		{[]byte{2, 4, 5, 180}, "2:[5 180] "},
		{[]byte{1, 3, 3, 7, 2, 4, 5, 180}, "3:[7] 2:[5 180] "},
		{[]byte{4, 2, 0, 0, 3, 3, 7, 0}, "4:[] "}, // nothing counts after the end
		{[]byte{2, 9, 5, 180}, ""},                // longer than the header
		{[]byte{2, 1, 2, 4}, ""},                  // would never end
		{[]byte{1, 1, 1, 2}, ""},                  // cut
	} {
		k := Key{EtherType: TypeIPv4, TCPFlags: TCPSyn}
		seg := TCP(AppendTCPOptions(nil, &k, 1, 2, 3, c.options, []byte("data"))[EthernetLen+IPv4Len:])
		if !seg.Valid() || !bytes.Equal(seg.Options(), c.options) || string(seg.Payload()) != "data" {
			t.Errorf("%v: options %v, payload %q", c.options, seg.Options(), seg.Payload())
		}
		got, rest := "", seg.Options()
		for {
			kind, value, next, ok := NextTCPOption(rest)
			if !ok {
				break
			}
			got += fmt.Sprintf("%d:%v ", kind, value)
			rest = next
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.options, got, c.want)
		}
	}
}
