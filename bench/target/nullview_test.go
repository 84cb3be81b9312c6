package target

import (
	"net"
	"strings"
	"testing"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// TestNullViewShowsWhatIsThere: a switch once it has described itself, a link once a frame has come
// over it, and neither when the session has ended.
func TestNullViewShowsWhatIsThere(t *testing.T) {
	n := &NullView{Topology: "linear:2", Seed: 1}
	if err := n.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	shows := func(path string, ok bool, want ...string) {
		t.Helper()
		body, found := n.answer(nil, path)
		for _, s := range want {
			if !strings.Contains(string(body), s) {
				t.Errorf("%s: %s, want %s in it", path, body, s)
			}
		}
		if found != ok || strings.Count(string(body), `"port"`) != 2*strings.Count(strings.Join(want, ""), `"up":`) {
			t.Errorf("%s: %v, %s, want %v, %s", path, found, body, ok, want)
		}
	}
	connect := func(dpid uint64) (*nullViewSwitch, func() int) {
		far, near := net.Pipe()
		sent := 0
		read := make(chan int)
		go func() {
			messages(near, func([]byte) error { sent++; return nil })
			read <- sent
		}()
		s := &nullViewSwitch{conn: far, version: openflow.V13, dpid: dpid}
		if err := n.show(s); err != nil {
			t.Fatal(err)
		}
		return s, func() int { far.Close(); return <-read }
	}
	one, sentToOne := connect(1)
	shows("/v1/switches", true, `"dpid":"0000000000000001","connected":true`)
	shows("/v1/switches/0000000000000002", false)
	n.linkSeen(topo.End{Switch: 7, Port: 1}) // which there is not
	shows("/v1/links", true, `{"items":[],`)
	two, sentToTwo := connect(2)
	connect(1 << 20)
	far := n.routes.Far[n.routes.Of[0][0]]
	n.linkSeen(far)
	n.linkSeen(far)
	shows("/v1/links", true, `"up":true`)
	n.leave(two)
	n.leave(two)
	shows("/v1/links", true, `{"items":[],`)
	shows("/v1/switches/0000000000000002", false)
	shows("/v1/hosts", true, `{"items":[],`)
	log := string(n.log)
	for text, want := range map[string]int{"event: switch\n": 4, "event: link\n": 2, `"up":false`: 1, `"connected":false`: 1} {
		if got := strings.Count(log, text); got != want {
			t.Errorf("%d of %q in the events, want %d:\n%s", got, text, want, log)
		}
	}
	if a, b := sentToOne(), sentToTwo(); a != 1 || b != 1 {
		t.Errorf("%d and %d frames were sent over the link, want one each way", a, b)
	}
	n.leave(one)
}
