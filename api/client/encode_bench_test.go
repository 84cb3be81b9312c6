package client

import "testing"

// benchRequest is a request as programs stream them.
var benchRequest = IntentRequest{ID: "flow-000001", Kind: PointToPoint, Wide: true,
	Src:      PointEnds(Point{DPID: "00000000000000a1", Port: 3}),
	Dst:      PointEnds(Point{DPID: "00000000000000b2", Port: 1}),
	Selector: Selector{"ipv4_src": "10.0.0.1", "ipv4_dst": "10.0.0.2"}}

func benchmarkWriting(b *testing.B, write func(*IntentRequest, []byte) ([]byte, error)) {
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := write(&benchRequest, buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) { benchmarkWriting(b, (*IntentRequest).AppendJSON) }

func BenchmarkAppendMessage(b *testing.B) { benchmarkWriting(b, (*IntentRequest).AppendMessage) }
