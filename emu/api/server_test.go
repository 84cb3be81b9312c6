package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
)

// lab is a network under a hub, with its interface.
type lab struct {
	*testing.T
	net      *emu.Network
	operator *control.Operator
	dir      string // of captures
	url      string
}

const secret = "a-token-of-the-tests"

func newLab(t *testing.T, word string, more ...func(*emu.Config)) *lab {
	t.Helper()
	n, _ := hub.StartNetwork(t, word, more...)
	l := &lab{T: t, net: n, dir: t.TempDir()}
	l.operator = control.New(control.Config{Network: n, CaptureDir: l.dir})
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { defer close(ran); l.operator.Run(ctx) }()
	srv := httptest.NewServer(New(Config{Operator: l.operator, StackConfig: rest.StackConfig{
		Access: rest.Access{Tokens: []rest.Token{{Role: rest.RoleOperator, Secret: secret},
			{Role: rest.RoleViewer, Secret: secret + "-viewer"}}}}}))
	l.url = srv.URL
	t.Cleanup(func() {
		srv.Close()
		stop()
		<-ran
		if err := l.operator.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// ask sends a request, and wants a status; the answer goes into to, if it is not nil.
func (l *lab) ask(method, path, body string, want int, to any) string {
	l.Helper()
	return l.askAs(secret, method, path, body, want, to)
}

func (l *lab) askAs(token, method, path, body string, want int, to any) string {
	l.Helper()
	req, err := http.NewRequest(method, l.url+path, strings.NewReader(body))
	if err != nil {
		l.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		l.Fatalf("%s %s %s: %d %s (%v), want %d", method, path, body, resp.StatusCode, b, err, want)
	}
	if to != nil {
		d := json.NewDecoder(bytes.NewReader(b))
		if err := d.Decode(to); err != nil {
			l.Fatalf("%s %s: %v in %s", method, path, err, b)
		}
	}
	return string(b)
}

type items[T any] struct{ Items []T }

func TestLinks(t *testing.T) {
	l := newLab(t, "linear:3,hosts=1,delay=5ms,rate=100M")
	var all items[Link]
	l.ask("GET", "/v1/links", "", 200, &all)
	if len(all.Items) != 5 || all.Items[0].ID != "s1-s2" || all.Items[2].ID != "h1-s1" ||
		all.Items[2].A.Host != "h1" || all.Items[2].B.Port != 2 {
		t.Errorf("%+v", all.Items)
	}
	if got := l.ask("GET", "/v1/links/s1-s2", "", 200, nil); !strings.Contains(got,
		`"up":true,"cut":false,"a":{"switch":"s1","dpid":"0000000000000001","port":1},`+
			`"b":{"switch":"s2","dpid":"0000000000000002","port":1},"delay":"5ms","jitter":"0s","loss":0,"rate":"100M","queue":100,"forward":{`) {
		t.Error(got)
	}
	var one Link
	l.ask("PATCH", "/v1/links/s1-s2",
		`{"delay":"20ms","jitter":"1ms","loss":0.25,"rate":"1.5G","queue":7,"mtu":1504,"way":"back"}`, 200, &one)
	want := LinkSpec{Span(20 * time.Millisecond), Span(time.Millisecond), 0.25, 1_500_000_000, 7, 1504}
	if one.Back.LinkSpec != want || one.Forward.Delay != Span(5*time.Millisecond) {
		t.Errorf("%+v", one)
	}
	l.ask("PATCH", "/v1/links/s1-s2", `{"rate":"none","up":false}`, 200, &one)
	if one.Up || !one.Cut || one.Rate != 0 || one.Back.Rate != 0 {
		t.Errorf("%+v", one)
	}
	l.ask("PATCH", "/v1/links/h1-s1", `{"up":false}`, 200, &one)
	if one.Up || one.A.Host != "h1" {
		t.Errorf("%+v", one)
	}
	l.ask("PATCH", "/v1/links/s1-s2", `{"up":true}`, 200, &one)
	if !one.Up || one.Cut {
		t.Errorf("%+v", one)
	}
}

func TestSwitches(t *testing.T) {
	l := newLab(t, "linear:2")
	var all items[Switch]
	l.ask("GET", "/v1/switches", "", 200, &all)
	if len(all.Items) != 2 || !all.Items[1].Connected || all.Items[1].Entries != 1 ||
		all.Items[1].Controllers[0].OpenFlow != "1.3" || len(all.Items[1].Ports) != 2 {
		t.Errorf("%+v", all.Items)
	}
	var sw Switch
	l.ask("PATCH", "/v1/switches/0000000000000002", `{"slow":"30ms","lying":true}`, 200, &sw)
	if sw.Slow != Span(30*time.Millisecond) || !sw.Lying || !sw.Lies.ForgetFlowMods || sw.Down || sw.Stalled {
		t.Errorf("%+v", sw)
	}
	l.ask("PATCH", "/v1/switches/s2",
		`{"slow":"0s","lies":{"drop_flow_mods":0.5,"forget_flow_mods":false,"hide_entries":0}}`, 200, &sw)
	if sw.Slow != 0 || !sw.Lying || sw.Lies.DropFlowMods != 0.5 {
		t.Errorf("%+v", sw)
	}
	l.ask("PATCH", "/v1/switches/s2", `{"lying":false,"stalled":true}`, 200, &sw)
	if sw.Lying || !sw.Stalled || !sw.Controllers[0].Stalled {
		t.Errorf("%+v", sw)
	}
	l.ask("PATCH", "/v1/switches/s2/controllers/0", `{"stalled":false,"up":false,"slow":"1ms"}`, 200, &sw)
	if c := sw.Controllers[0]; sw.Stalled || c.Up || c.Slow != Span(time.Millisecond) {
		t.Errorf("%+v", sw)
	}
	need.Await(t, "it is cut off", func() bool { return l.net.Totals().Connected == 1 })
	l.ask("PATCH", "/v1/switches/s2/controllers/0", `{"up":true}`, 200, &sw)
	need.Await(t, "it comes back", func() bool { return l.net.Totals().Connected == 2 })
	l.ask("PATCH", "/v1/switches/s1", `{"down":true}`, 200, &sw)
	if !sw.Down || sw.Entries != 0 {
		t.Errorf("%+v", sw)
	}
	var n Network
	l.ask("GET", "/v1/network", "", 200, &n)
	if n.Name != "linear:2" || n.Switches != 2 || n.On != 1 || n.LinksUp != 0 || len(n.Controllers) != 1 {
		t.Errorf("%+v", n)
	}
	l.ask("PATCH", "/v1/switches/s1", `{"down":false}`, 200, &sw)
	need.Await(t, "it has power again", func() bool { return l.net.Totals().Connected == 2 })
}

func TestPorts(t *testing.T) {
	l := newLab(t, "linear:2")
	var all items[Port]
	l.ask("GET", "/v1/ports", "", 200, &all)
	if len(all.Items) != 4 || all.Items[0].Name != "s1-eth1" || all.Items[0].Link != "s1-s2" ||
		all.Items[1].Link != "h1-s1" || !all.Items[0].Carrier {
		t.Errorf("%+v", all.Items)
	}
	var p Port
	l.ask("PATCH", "/v1/ports/s1/1", `{"up":false}`, 200, &p)
	if p.Up || p.Carrier {
		t.Errorf("%+v", p)
	}
	l.ask("GET", "/v1/ports/0x2/1", "", 200, &p)
	if !p.Up || p.Carrier {
		t.Errorf("the other end: %+v", p)
	}
	l.ask("PATCH", "/v1/ports/s1/1", `{"up":true}`, 200, &p)
	if !p.Up || !p.Carrier {
		t.Errorf("%+v", p)
	}
}

func TestHostsSend(t *testing.T) {
	l := newLab(t, "linear:2")
	var c Command
	l.ask("POST", "/v1/commands?wait=50s", `{"kind":"ping","from":"h1","to":"h2","count":3,"interval":"1ms"}`, 200, &c)
	if !c.Done || c.Ping == nil || c.Ping.Received != 3 || c.Ping.RTT.Count != 3 || c.Ping.RTT.Max <= 0 || c.To != "10.0.0.2" {
		t.Errorf("%+v", c)
	}
	l.ask("POST", "/v1/commands?wait=50s",
		`{"kind":"udp","from":"h1","to":"h2","ipv6":true,"count":20,"rate":1000,"dst_port":7}`, 200, &c)
	need.Await(t, "all have come back", func() bool {
		l.ask("GET", fmt.Sprint("/v1/commands/", c.Number), "", 200, &c)
		return c.UDP.Received == 20 && c.UDP.Echoed == 20 && c.UDP.Missing == 0
	})
	if c.To != "fd00::2" || c.UDP.RTT == nil || c.UDP.Latency.Count != 20 {
		t.Errorf("%+v", c.UDP)
	}
	l.ask("POST", "/v1/commands?wait=50s", `{"kind":"tcp","from":"h2","to":"h1","bytes":50000}`, 200, &c)
	if c.TCP.State != "closed" || c.TCP.Acked != 50000 || c.TCP.Delivered != 50000 || c.TCP.Error != "" {
		t.Errorf("%+v", c.TCP)
	}
	l.ask("POST", "/v1/commands", `{"kind":"ping","from":"h1","to":"10.0.0.2"}`, 202, &c)
	l.ask("DELETE", fmt.Sprint("/v1/commands/", c.Number), "", 200, &c)
	need.Await(t, "the ping is stopped", func() bool {
		l.ask("GET", fmt.Sprint("/v1/commands/", c.Number), "", 200, &c)
		return c.Done
	})
	var all items[Command]
	if l.ask("GET", "/v1/commands", "", 200, &all); len(all.Items) != 4 {
		t.Errorf("%d commands", len(all.Items))
	}
	var h Host
	l.ask("GET", "/v1/hosts/h1", "", 200, &h)
	if h.MAC != "02:00:00:00:00:01" || h.IPv4 != "10.0.0.1/8" || h.IPv6 != "fd00::1/64" || h.At.Switch != "s1" ||
		h.At.Port != 2 || h.Counters.TxPackets < 20 {
		t.Errorf("%+v", h)
	}
	var hosts items[Host]
	if l.ask("GET", "/v1/hosts", "", 200, &hosts); len(hosts.Items) != 2 {
		t.Errorf("%d hosts", len(hosts.Items))
	}
}

func TestCaptures(t *testing.T) {
	l := newLab(t, "linear:2")
	var c Capture
	l.ask("POST", "/v1/captures", `{"at":"s1:1","file":"one.pcap"}`, 200, &c)
	l.ask("POST", "/v1/commands?wait=50s", `{"kind":"ping","from":"h1","to":"h2","count":1}`, 200, nil)
	number := c.Number
	l.ask("DELETE", fmt.Sprint("/v1/captures/", number), "", 200, &c)
	if b, err := os.ReadFile(filepath.Join(l.dir, "one.pcap")); err != nil || len(b) < 24+4*16 || c.Frames < 4 || !c.Ended {
		t.Errorf("%v, %d bytes, %+v", err, len(b), c)
	}
	l.ask("POST", "/v1/captures", `{"at":"s1","file":"one.pcap"}`, 409, nil)
	for _, file := range []string{"../x.pcap", "/tmp/x.pcap", ".pcap", "x", "", "a/b.pcap"} {
		l.ask("POST", "/v1/captures", fmt.Sprintf(`{"at":"s1","file":%q}`, file), 422, nil)
	}
	var all items[Capture]
	if l.ask("GET", "/v1/captures", "", 200, &all); len(all.Items) != 1 || all.Items[0].At != "s1:1" {
		t.Errorf("%+v", all)
	}
}

func TestSchedule(t *testing.T) {
	l := newLab(t, "linear:2")
	var added struct{ Numbers []int }
	l.ask("POST", "/v1/schedule",
		"- {at: 0s, link: s1-s2, up: false}\n- {at: 10h, switch: all, down: true, every: 1m, times: 3}\n", 200, &added)
	need.Await(t, "the link is cut", func() bool { return !l.operator.Link("s1-s2").Up() })
	l.ask("POST", "/v1/schedule", `[{"at":"0s","link":"s1-s2","up":true}]`, 200, nil)
	need.Await(t, "the link is mended", func() bool { return l.operator.Link("s1-s2").Up() })
	var all items[Event]
	l.ask("GET", "/v1/schedule", "", 200, &all)
	if len(all.Items) != 1 || all.Items[0].What != "switch all down=true" || all.Items[0].Times != 3 ||
		all.Items[0].Every != Span(time.Minute) {
		t.Errorf("%+v", all)
	}
	if got := l.ask("POST", "/v1/schedule", "- {at: 1s, link: s1-s9, up: false}\n- {at: 1s}\n", 422,
		nil); !strings.Contains(got, `1: link: \"s1-s9\" given`) || !strings.Contains(got, "2: an event of nothing") {
		t.Error(got)
	}
	l.ask("DELETE", fmt.Sprint("/v1/schedule/", added.Numbers[1]), "", 204, nil)
	l.ask("DELETE", fmt.Sprint("/v1/schedule/", added.Numbers[1]), "", 404, nil)
}

func TestBadRequests(t *testing.T) {
	l := newLab(t, "linear:2")
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/links/s1-s9", "", 404, "there is no link s1-s9"},
		{"PATCH", "/v1/links/s1-s9", "{}", 404, "there is no link"},
		{"PATCH", "/v1/links/s1-s2", `{"loss":2}`, 422, "loss"},
		{"PATCH", "/v1/links/s1-s2", `{"loss":"120%"}`, 422, "want a share from 0 to 1, such as 0.01 or 1%"},
		{"PATCH", "/v1/links/s1-s2", `{"loss":"much"}`, 422, "loss"},
		{"PATCH", "/v1/links/s1-s2", `{"loss":true}`, 422, "loss"},
		{"PATCH", "/v1/links/s1-s2", `{"delay":"-1ms"}`, 422, "want a time with a unit"},
		{"PATCH", "/v1/links/s1-s2", `{"delay":"5"}`, 422, "want a time with a unit"},
		{"PATCH", "/v1/links/s1-s2", `{"delay":"20m"}`, 422, "a delay of 20m0s given"},
		{"PATCH", "/v1/links/s1-s2", `{"jitter":"1ms"}`, 422, "want at most the delay"},
		{"PATCH", "/v1/links/s1-s2", `{"rate":"12"}`, 422, "want bits a second"},
		{"PATCH", "/v1/links/s1-s2", `{"queue":0}`, 422, "queue"},
		{"PATCH", "/v1/links/s1-s2", `{"way":"up"}`, 422, "way"},
		{"PATCH", "/v1/links/s1-s2", `{"speed":1}`, 422, "speed"},
		{"PATCH", "/v1/links/s1-s2", `{`, 400, ""},
		{"GET", "/v1/switches/9", "", 404, "there is no switch 9"},
		{"PATCH", "/v1/switches/s1", `{"slow":"1h"}`, 422, "a delay of 1h0m0s given"},
		{"PATCH", "/v1/switches/s1", `{"lies":{"drop_flow_mods":2,"forget_flow_mods":false,"hide_entries":0}}`, 422,
			"drop_flow_mods"},
		{"PATCH", "/v1/switches/s1",
			`{"lying":true,"lies":{"drop_flow_mods":0,"forget_flow_mods":false,"hide_entries":0}}`, 422, "want one of them"},
		{"PATCH", "/v1/switches/s1/controllers/1", `{"up":false}`, 404, "there is no controller number 1"},
		{"GET", "/v1/ports/s1/9", "", 404, "switch s1 has no port 9: it has [1 2]"},
		{"PATCH", "/v1/ports/s1/1", `{}`, 422, "up"},
		{"GET", "/v1/hosts/h9", "", 404, "there is no host h9"},
		{"POST", "/v1/commands", `{"kind":"ping","from":"h9","to":"h1"}`, 404, "there is no host h9"},
		{"POST", "/v1/commands", `{"kind":"ping","from":"h1","to":"h9"}`, 404, "no address"},
		{"POST", "/v1/commands", `{"kind":"smoke","from":"h1","to":"h2"}`, 422, "kind"},
		{"POST", "/v1/commands", `{"kind":"udp","from":"h1","to":"h2"}`, 422, "host h1: udp: "},
		{"POST", "/v1/commands?wait=2m", `{"kind":"ping","from":"h1","to":"h2"}`, 422, "want a time of at most 50s"},
		{"GET", "/v1/commands/77", "", 404, "there is no command 77"},
		{"POST", "/v1/captures", `{"at":"s9:1","file":"x.pcap"}`, 404, "want SWITCH:PORT"},
		{"DELETE", "/v1/captures/77", "", 404, "there is no capture 77"},
		{"GET", "/v1/weather", "", 404, "there is no"},
		{"POST", "/v1/links", "", 405, "takes GET"},
	} {
		if got := l.ask(c.method, c.path, c.body, c.status, nil); !strings.Contains(got, c.want) {
			t.Errorf("%s %s %s: %s, want %q", c.method, c.path, c.body, got, c.want)
		}
	}
	if s := l.operator.Link("s1-s2").Spec(emu.Forward); s != (topo.LinkSpec{}) {
		t.Errorf("a refused change changed %+v", s)
	}
}

func TestAccess(t *testing.T) {
	l := newLab(t, "single:1")
	l.askAs("", "GET", "/v1/links", "", 401, nil)
	l.askAs("wrong", "GET", "/v1/links", "", 401, nil)
	l.askAs("", "GET", "/healthz", "", 200, nil)
	l.askAs(secret+"-viewer", "GET", "/v1/links", "", 200, nil)
	l.askAs(secret+"-viewer", "PATCH", "/v1/links/h1-s1", `{"up":false}`, 403, nil)
	for _, x := range []struct {
		method, header, value string
		want                  int
	}{
		{"GET", "Origin", "http://evil.example", 403}, {"GET", "Host", "evil.example", 403},
		{"GET", "Content-Encoding", "gzip", 200}, {"PATCH", "Content-Encoding", "gzip", 415},
		{"PATCH", "Content-Encoding", "identity", 422}, {"PUT", "Accept", "text/html", 405},
	} {
		req, err := http.NewRequest(x.method, l.url+"/v1/links/h1-s1", strings.NewReader(`{"nothing":1}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(x.header, x.value)
		if x.header == "Host" {
			req.Host = x.value
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != x.want {
			t.Errorf("%s with %s: %s gives %d, want %d", x.method, x.header, x.value, resp.StatusCode, x.want)
		}
	}
}

// TestEveryRouteIsGuarded asks each route of the table as nobody and as a viewer, who may read.
func TestEveryRouteIsGuarded(t *testing.T) {
	l := newLab(t, "single:1")
	s := New(Config{Operator: l.operator})
	path := strings.NewReplacer("{dpid}", "s1", "{port}", "1", "{id}", "h1-s1", "{name}", "h1", "{number}", "1")
	for _, r := range s.routes() {
		l.askAs("", r.Method, path.Replace(r.Path), "", 401, nil)
		if r.Method != "GET" {
			l.askAs(secret+"-viewer", r.Method, path.Replace(r.Path), "", 403, nil)
		} else if !strings.Contains(r.Path, "{number}") {
			l.askAs(secret+"-viewer", r.Method, path.Replace(r.Path), "", 200, nil)
		}
	}
}

// TestLossPerCent: per cent and shares, as in files.
func TestLossPerCent(t *testing.T) {
	l := newLab(t, "linear:2")
	for given, want := range map[string]float64{`"20%"`: 0.2, `"0.5"`: 0.5, `0.125`: 0.125, `1e-3`: 0.001, `0`: 0} {
		l.ask("PATCH", "/v1/links/s1-s2", `{"loss":`+given+`}`, 200, nil)
		if got := l.operator.Link("s1-s2").Spec(emu.Back).Loss; got != want {
			t.Errorf("%s is %v", given, got)
		}
	}
}

// TestUnreachable says so of a ping and of datagrams for whom nobody answers, and nothing of those
// that are sent.
func TestUnreachable(t *testing.T) {
	l := newLab(t, "single:2")
	for _, c := range []struct{ body, want string }{
		{`{"kind":"ping","from":"h1","to":"10.0.0.99","count":9,"interval":"1h"}`,
			"unreachable: nobody answers for 10.0.0.99, and nothing has left h1"},
		{`{"kind":"udp","from":"h1","to":"h2","count":9,"rate":0.01}`,
			"unreachable: nobody answers for 10.0.0.2, and nothing has left h1"},
	} {
		var got Command
		l.ask("POST", "/v1/commands?wait=1ms", c.body, 202, &got)
		need.Await(t, c.want, func() bool {
			l.ask("GET", fmt.Sprintf("/v1/commands/%d", got.Number), "", 200, &got)
			return got.Error == c.want
		})
	}
}
