package topo

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func must(t testing.TB, word string) *Topology {
	t.Helper()
	n, err := Parse(word, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMeshStays holds meshes to what figures were measured on: the links of seed 1, by a hash.
func TestMeshStays(t *testing.T) {
	for word, want := range map[string]struct {
		links int
		hash  uint64
	}{
		"wan:1": {0, 0xcbf29ce484222325}, "wan:2": {1, 0x643b31cf8d1ca134}, "wan:5": {10, 0x8f929d08e89b8171},
		"wan:20": {40, 0x0cb1d1c4641115d2}, "wan:60": {121, 0xa10859f4528758fd}, "wan:206": {416, 0x0141ec1fd3366228},
		"wan:1000": {2019, 0xf6f017d616be1df9}, "ring:5": {5, 0x7dc78f9327ff01ae}, "linear:4": {3, 0x75270334c2c8cb1a},
	} {
		h := fnv.New64a()
		n := must(t, word)
		for _, l := range n.Links {
			fmt.Fprintln(h, l.A, l.B)
		}
		if len(n.Links) != want.links || h.Sum64() != want.hash {
			t.Errorf("%s: %d links with hash %016x, want %d with %016x", word, len(n.Links), h.Sum64(), want.links, want.hash)
		}
	}
	if a, b := must(t, "wan:50"), must(t, "wan:50"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("wan:50 is not the same twice")
	}
	if a, err := Parse("wan:50", 2); err != nil || fmt.Sprint(a.Links) == fmt.Sprint(must(t, "wan:50").Links) {
		t.Error("the seed draws nothing", err)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		word                   string
		switches, links, hosts int
	}{
		{"single:1", 1, 0, 1}, {"single:3,hosts=2", 3, 0, 6},
		{"linear:1", 1, 0, 1}, {"linear:4", 4, 3, 4}, {"linear:4,hosts=0", 4, 3, 0},
		{"ring:1", 1, 0, 1}, {"ring:2", 2, 1, 2}, {"ring:4", 4, 4, 4},
		{"tree:1,5", 1, 0, 1}, {"tree:2,1", 2, 1, 2}, {"tree:3,2", 7, 6, 7}, {"tree:3,2,hosts=2", 7, 6, 14},
		{"tree:3,2,edgehosts=2", 7, 6, 8},
		{"tree:1,2,edgehosts=3", 1, 0, 3},
		{"fattree:2", 5, 4, 5}, {"fattree:4", 20, 32, 20}, {"fattree:4,edgehosts=2", 20, 32, 16},
		{"torus:1x1", 1, 0, 1}, {"torus:2x2", 4, 4, 4}, {"torus:3x3", 9, 18, 9}, {"torus:1x5", 5, 5, 5},
		{"full:1", 1, 0, 1}, {"full:5", 5, 10, 5},
		{"wan:206", 206, 416, 206}, {"wan:206,hosts=3", 206, 416, 618},
	} {
		n := must(t, c.word)
		if len(n.Switches) != c.switches || len(n.Links) != c.links || len(n.Hosts) != c.hosts || n.Name != c.word {
			t.Errorf("%s: %d switches, %d links, %d hosts, name %q, want %d, %d, %d", c.word, len(n.Switches),
				len(n.Links), len(n.Hosts), n.Name,
				c.switches, c.links, c.hosts)
		}
	}
}

// TestShape checks what all kinds have in common, for numbers drawn.
func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string, most int) int { return rapid.IntRange(1, most).Draw(t, name) }
		hosts := rapid.IntRange(0, 3).Draw(t, "hosts")
		word := rapid.SampledFrom([]string{
			fmt.Sprintf("linear:%d", size("n", 40)), fmt.Sprintf("ring:%d", size("n", 40)), fmt.Sprintf("wan:%d", size("n", 60)),
			fmt.Sprintf("full:%d", size("n", 20)), fmt.Sprintf("tree:%d,%d", size("depth", 4), size("fanout", 4)),
			fmt.Sprintf("torus:%dx%d", size("rows", 7), size("columns", 7)), fmt.Sprintf("fattree:%d", 2*size("half", 5)),
		}).Draw(t, "word")
		n, err := Parse(fmt.Sprintf("%s,hosts=%d", word, hosts), rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		pairs := map[[2]int]bool{}
		for _, l := range n.Links {
			pair := [2]int{min(l.A.Switch, l.B.Switch), max(l.A.Switch, l.B.Switch)}
			if pairs[pair] || l.A.Switch == l.B.Switch {
				t.Fatalf("%s: %v joined twice or to itself", word, pair)
			}
			pairs[pair] = true
		}
		checkPlaces(t, n, hosts)
		checkDistances(t, n)
		checkDegrees(t, word, n)
	})
}

// checkPlaces wants links at the first ports, hosts at the next, and names and ids by place.
func checkPlaces(t *rapid.T, n *Topology, hosts int) {
	for i, s := range n.Switches {
		if s.DPID != uint64(i+1) || s.Name != fmt.Sprintf("s%d", i+1) {
			t.Fatalf("switch %d is %+v", i, s)
		}
	}
	degree := n.Degrees()
	for _, l := range n.Links {
		if l.A.Port > uint32(degree[l.A.Switch]) || l.B.Port > uint32(degree[l.B.Switch]) {
			t.Fatalf("link %s is not at the first ports", l.ID)
		}
	}
	for i, h := range n.Hosts {
		if h.At.Switch != i/hosts || h.At.Port != uint32(degree[h.At.Switch]+i%hosts+1) {
			t.Fatalf("host %d is at %v", i, h.At)
		}
	}
}

// checkDistances compares with the matrix that Floyd and Warshall's way gives, and wants no switch
// apart.
func checkDistances(t *rapid.T, n *Topology) {
	const none = 1 << 20
	size := len(n.Switches)
	far := make([][]int, size)
	for i := range far {
		far[i] = make([]int, size)
		for j := range far[i] {
			if i != j {
				far[i][j] = none
			}
		}
	}
	for _, l := range n.Links {
		far[l.A.Switch][l.B.Switch], far[l.B.Switch][l.A.Switch] = 1, 1
	}
	for k := range size {
		for i := range size {
			for j := range size {
				far[i][j] = min(far[i][j], far[i][k]+far[k][j])
			}
		}
	}
	next := n.Neighbours()
	for i := range min(size, 5) {
		if got := Distances(i, next); fmt.Sprint(got) != fmt.Sprint(far[i]) {
			t.Fatalf("from %d: %v, want %v", i, got, far[i])
		}
	}
}

func checkDegrees(t *rapid.T, word string, n *Topology) {
	var a, b int
	kind, numbers, _ := strings.Cut(word, ":")
	fmt.Sscanf(strings.NewReplacer("x", " ", ",", " ").Replace(numbers), "%d %d", &a, &b)
	for i, got := range n.Degrees() {
		want := got
		switch kind {
		case "torus":
			want = min(a-1, 2) + min(b-1, 2)
		case "full":
			want = a - 1
		case "fattree":
			if want = a; i >= a*a/4 && (i-a*a/4)%a >= a/2 {
				want = a / 2 // an edge switch; its other half is for hosts
			}
		}
		if got != want {
			t.Fatalf("%s: switch %d has %d links, want %d", word, i, got, want)
		}
	}
}

// TestFatTree wants each core switch at one aggregation switch of every pod, the same one in all,
// and each edge switch at all aggregation switches of its own.
func TestFatTree(t *testing.T) {
	const k, half = 6, 3
	n := must(t, "fattree:6")
	at := map[int][]int{} // aggregation switches by core and edge switch: pod*half + place
	for _, l := range n.Links {
		a, b := l.A.Switch, l.B.Switch
		if a >= half*half { // aggregation, edge
			a, b = b, a
		}
		place := (b - half*half) % k
		at[a] = append(at[a], (b-half*half)/k*half+place)
		if place >= half {
			t.Fatalf("link %s is not at an aggregation switch", l.ID)
		}
	}
	for sw, list := range at {
		for i, one := range list {
			if pod := (sw - half*half) / k; sw >= half*half && one != pod*half+i || sw < half*half && one != i*half+sw/half {
				t.Errorf("switch %d is joined to %v", sw, list)
			}
		}
	}
	if len(at) != half*half+k*half {
		t.Errorf("%d switches are joined upwards and downwards", len(at))
	}
}

func TestDefaultHosts(t *testing.T) {
	n := must(t, "linear:300,hosts=1")
	h := n.Hosts[299]
	if h.Name != "h300" || h.MAC.String() != "02:00:00:00:01:2c" || h.IPv4.String() != "10.0.1.44/8" ||
		h.IPv6.String() != "fd00::12c/64" {
		t.Errorf("%+v", h)
	}
	if id := n.LinkID(&h); id != "h300-s300" {
		t.Error(id)
	}
	if n.Links[0].ID != "s1-s2" {
		t.Error(n.Links[0].ID)
	}
}

func TestOptions(t *testing.T) {
	n := must(t, "linear:2,hosts=2,delay=5ms,jitter=1ms,loss=1%,rate=10Mbit/s,queue=7,mtu=1500")
	want := LinkSpec{Delay: 5 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.01, RateBPS: 10_000_000, Queue: 7, MTU: 1500}
	if l := n.Links[0]; l.Forward != want || l.Back != want {
		t.Errorf("%+v", l)
	}
	if n.Hosts[0].Link != (LinkSpec{}) {
		t.Error("a host's link is not ideal")
	}
}

func TestBadWords(t *testing.T) {
	for word, want := range map[string]string{
		"":                             `topology "": kind "" given, want one of single:N, linear:N`,
		"star:4":                       `kind "star" given`,
		"linear":                       `"" given, want linear:N in whole numbers, such as linear:4`,
		"linear:0":                     "0 switches given, want from 1 to 100000",
		"linear:-1":                    `"-1" given, want linear:N`,
		"linear:1,2":                   `"1,2" given, want linear:N`,
		"linear:999999999999":          "want linear:N",
		"linear:100001":                "100001 switches given",
		"full:1001":                    "want from 1 to 1000",
		"wan:10001":                    "want from 1 to 10000",
		"fattree:3":                    "3 given for K, want an even number from 2 to 100, such as fattree:4",
		"fattree:0":                    "0 given for K",
		"tree:3":                       `"3" given, want tree:DEPTH,FANOUT`,
		"tree:0,2":                     "depth 0 and fanout 2 given",
		"tree:20,2":                    "more than 100000 switches",
		"tree:100000,1":                "",
		"tree:2000000000,1":            "more than 100000 switches",
		"torus:4":                      "want torus:NxM",
		"torus:0x4":                    "0 rows of 4 given",
		"torus:1000x101":               "at most 100000 switches",
		"linear:2,hosts":               `"2,hosts" given`,
		"linear:2,hosts=-1":            `hosts: "-1" given, want a number from 0`,
		"linear:2,hosts=1364":          "more than 1364 ports of s1 given",
		"linear:2000,hosts=600":        "hosts=600 at 2000 switches given",
		"tree:2,1300,hosts=100":        "more than 1364 ports of s1 given",
		"linear:2,hosts=1,hosts=2":     "hosts= given twice",
		"linear:2,edgehosts=1":         "with tree: or fattree: only",
		"tree:2,2,hosts=1,edgehosts=1": "want one of them",
		"linear:2,colour=red":          `option "colour" given, want one of hosts=, edgehosts=`,
		"linear:2,delay=-1ms":          `delay: "-1ms" given, want a time with a unit`,
		"linear:2,delay=5":             `delay: "5" given`,
		"linear:2,jitter=1ms":          "want at most the delay, which is 0s",
		"linear:2,loss=1.1":            `loss: "1.1" given, want a share from 0 to 1`,
		"linear:2,loss=101%":           `loss: "101%" given`,
		"linear:2,loss=NaN":            `loss: "NaN" given`,
		"linear:2,rate=-5":             `rate: "-5" given, want bits a second`,
		"linear:2,rate=1":              `rate: "1" given`,
		"linear:2,rate=99999T":         `rate: "99999T" given`,
		"linear:2,queue=0":             `queue: "0" given, want a number from 1`,
		"linear:2,mtu=67":              "an mtu of 67 bytes given, want 0 (no limit) or from 68 to 9216",
		"linear:2,mtu=9217":            `mtu: "9217" given, want a number from 0 to 9216`,
	} {
		_, err := Parse(word, 1)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", word, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
}

// FuzzParse wants an error or a network that passes its check; big ones are left out for their
// time.
func FuzzParse(f *testing.F) {
	for _, word := range []string{"single:1", "linear:4", "ring:3,hosts=0", "tree:3,2", "fattree:4,edgehosts=2",
		"torus:3x4", "full:5", "wan:20,delay=1ms",
		"linear:2,loss=1%,rate=10M,queue=5", "linear:2,delay=1ms,jitter=1us"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		k, numbers, _, err := split(word)
		if err != nil {
			return
		}
		if p, err := k.read(numbers); err != nil {
			return
		} else if n, err := k.check(p); err != nil || n > 300 {
			return
		}
		if n, err := Parse(word, 1); err == nil && n.Check() != nil {
			t.Errorf("%q makes a network that is none: %v", word, n.Check())
		}
	})
}
