package wire

import (
	"encoding/hex"
	"testing"

	"github.com/weirnet/weir/api/client"
)

// TestSentMessages: the bytes that clients send have always been these, and mean what they meant.
// They are written here, and not in a golden file, so that nothing rewrites them.
func TestSentMessages(t *testing.T) {
	point := func(dpid string, port uint32) client.Point { return client.Point{DPID: dpid, Port: port} }
	zero, seven := uint16(0), uint16(7)
	for _, c := range []struct {
		form  string
		q     client.IntentRequest
		means string
	}{
		{"c8800008011203776562180220072a0b09a1000000000000001003320c09b20000000000000010ac0252160a08697076345f6473" +
			"74120a31302e302e302e302f38620265316a026b317001",
			client.IntentRequest{Op: "put", ID: "web", Kind: client.PointToPoint, Priority: &seven,
				Src: client.PointEnds(point("a1", 3)), Dst: client.PointEnds(point("b2", 300)),
				Selector: client.Selector{"ipv4_dst": "10.0.0.0/8"}, IfMatch: "e1", Key: "k1", Wide: true},
			"put web e1k1: point-to-point 00000000000000a1/3 -> 00000000000000b2/300 " +
				"{eth_type=0x0800,ipv4_dst=10.0.0.0/8} priority 7 wide"},
		{"a48000120470616972180120003a0b0901000000000000001064420b0902000000000000001064",
			client.IntentRequest{ID: "pair", Kind: client.HostToHost, Priority: &zero,
				Src: client.HostEnd("00:00:00:00:00:01/100"), Dst: client.HostEnd("00:00:00:00:00:02/100")},
			"create pair: host-to-host 00:00:00:00:00:01/100 -> 00:00:00:00:00:02/100 {} priority 0"},
		{"b08000120377617918054a0d090100000000000000100118024a0e090200000000000000100318c8015a0680000a0208007001",
			client.IntentRequest{ID: "way", Kind: client.ExplicitPath, Wide: true, OXM: []byte{0x80, 0, 0x0a, 2, 8, 0},
				Hops: []client.IntentHop{{DPID: "1", In: 1, Out: 2}, {DPID: "2", In: 3, Out: 200}}},
			"create way: path 0000000000000001 1>2 -> 0000000000000002 3>200 {eth_type=0x0800} priority 100 wide"},
		{"8b80000802120377656262026531", client.IntentRequest{Op: "withdraw", ID: "web", IfMatch: "e1"}, "withdraw web"},
		{"ae800018042a0b0903000000000000001001320b0901000000000000001001320b09020000000000000010016a016b7001",
			client.IntentRequest{Kind: client.PointToMultipoint, Src: client.PointEnds(point("3", 1)),
				Dst: client.PointEnds(point("1", 1), point("2", 1)), Key: "k", Wide: true},
			"create k: point-to-multipoint 0000000000000003/1 -> 0000000000000001/1, 0000000000000002/1 {} priority 100 wide"},
	} {
		b, err := c.q.AppendMessage(nil)
		if got := hex.EncodeToString(b); err != nil || got != c.form {
			t.Errorf("%s\n is sent as %s, %v\nit has been %s", c.means, got, err, c.form)
		}
		if b, err = hex.DecodeString(c.form); err != nil {
			t.Fatal(err)
		}
		message, n, err := Delimited(b)
		if err != nil || n != len(b) {
			t.Fatalf("%s: %d of %d bytes, %v", c.form, n, len(b), err)
		}
		var batch Batch
		batch.Message(message, string(message))
		if got := shown(&batch); got != c.means {
			t.Errorf("%s\n is read as %s\nit has been %s", c.form, got, c.means)
		}
	}
}
