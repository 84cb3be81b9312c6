package config

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// wantSplit wants the parts of a text to say together what it says, each what is of its scope.
func wantSplit(t *testing.T, text string) (network, instance string) {
	t.Helper()
	whole, err := Parse([]byte(text), testApps...)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	network, instance, err = Split(text, testApps...)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	read := func(part string) *Config {
		c, err := Parse([]byte(part), testApps...)
		if err != nil {
			t.Fatalf("%v:\n%s\nis a part of\n%s", err, part, text)
		}
		return c
	}
	a, b := read(network), read(instance)
	if !reflect.DeepEqual(a, whole.Part(OfNetwork)) || !reflect.DeepEqual(b, whole.Part(OfInstance)) ||
		!reflect.DeepEqual(Merge(Defaults(testApps...), a, b), Merge(Defaults(testApps...), whole)) {
		t.Fatalf("%s\nis split into\n%s\nand\n%s", text, network, instance)
	}
	for scope, part := range map[Scope]*Config{OfNetwork: a, OfInstance: b} {
		for _, e := range part.entries() {
			if e.scope != scope {
				t.Errorf("%s is of the %s, and stands in the part of the %s", e.path, e.scope, scope)
			}
		}
	}
	if !reflect.DeepEqual(read(Join(network, instance, testApps...)), whole) {
		t.Fatalf("%s\nis split and joined into\n%s", text, Join(network, instance, testApps...))
	}
	return network, instance
}

// writer writes random configurations.
type writer struct {
	*rand.Rand
	comments int  // before fields
	flow     bool // nothing is a block
}

// random fills a value of the schema.
func (w *writer) random(v reflect.Value, f field) {
	switch {
	case f.enum != nil && v.Kind() == reflect.String:
		v.SetString(f.enum[w.IntN(len(f.enum))])
	case v.Type() == durationType:
		least, _ := time.ParseDuration(f.min)
		v.SetInt(int64(least) * int64(1+w.IntN(3)))
	case v.Type() == reflect.TypeFor[AppName]():
		v.SetString("counter")
	case textTypes[v.Type()].parse != nil:
		text := map[string]string{"datapath id": "%x", "DPID/PORT": "%x/7", "link": "%x/1->ffff/2"}[textTypes[v.Type()].what]
		value, err := textTypes[v.Type()].parse(fmt.Sprintf(text, 1+w.IntN(300)))
		if err != nil {
			panic(err)
		}
		v.Set(reflect.ValueOf(value))
	case v.Kind() == reflect.Struct:
		for _, below := range fields(v.Type()) {
			if w.IntN(3) == 0 {
				w.random(v.Field(below.index), below)
			}
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + w.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			w.random(key, field{})
			w.random(value, field{})
			v.SetMapIndex(key, value)
		}
	case v.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(counter{Most: uint64(1 + w.IntN(9))}))
	case v.Kind() == reflect.Slice:
		e := reflect.New(v.Type().Elem()).Elem()
		w.random(e, f)
		v.Set(reflect.Append(v, e))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Uint64:
		least := uint64(1)
		fmt.Sscan(f.min, &least)
		v.SetUint(max(least, 1) + uint64(w.IntN(8)))
	case strings.HasPrefix(f.kind, "address"):
		v.SetString(fmt.Sprintf("127.0.0.1:%d", w.IntN(65536)))
	default:
		v.SetString([]string{"x", "# no comment", "a: b", "é", "yes", " 1", "two words"}[w.IntN(7)])
	}
}

// config returns a random configuration that Parse takes.
func (w *writer) config() *Config {
	for {
		c := &Config{}
		w.random(reflect.ValueOf(c).Elem(), field{})
		if c.Apps.Disable != nil {
			c.Apps.Disable = []string{"forward"}
		}
		c.API.TLSCert, c.OpenFlow.TLSCert, c.Peer.TLSCert = c.API.TLSKey, c.OpenFlow.TLSKey, c.Peer.TLSKey
		c.OpenFlow.TLSCA, c.Peer.TLSCA = c.OpenFlow.TLSKey, c.Peer.TLSKey
		if reads(c.Text(), c, testApps) {
			return c
		}
	}
}

// dress gives a mapping another order, style, and comments before its fields where they can stand: in blocks.
func (w *writer) dress(n *yaml.Node, depth int) {
	if n.Kind != yaml.MappingNode {
		return
	}
	if depth > 0 && w.IntN(3) == 0 || w.flow {
		n.Style = yaml.FlowStyle
		return
	}
	pairs := len(n.Content) / 2
	w.Shuffle(pairs, func(i, j int) {
		for k := range 2 {
			n.Content[2*i+k], n.Content[2*j+k] = n.Content[2*j+k], n.Content[2*i+k]
		}
	})
	for i := range pairs {
		if w.IntN(3) == 0 {
			n.Content[2*i].HeadComment = fmt.Sprintf("# comment %d.", w.comments)
			w.comments++
		}
		w.dress(n.Content[2*i+1], depth+1)
	}
}

// mixed reports whether a line of a text may be of both scopes: of the one section that has both.
func mixed(root *yaml.Node) bool {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "openflow" && root.Content[i+1].Style == yaml.FlowStyle {
			return true
		}
	}
	return root.Style == yaml.FlowStyle
}

// TestSplitRandom: whatever a configuration says, in whatever order and style, its parts say it, each what is
// of its scope, and none of the comments is lost but where a line is of both.
func TestSplitRandom(t *testing.T) {
	both := 0
	for seed := range uint64(500) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 16)), flow: seed%10 == 0}
		c := w.config()
		n := node(reflect.ValueOf(c).Elem(), field{})
		w.dress(n, 0)
		var text bytes.Buffer
		if w.IntN(4) == 0 {
			text.WriteString("---\n# of the file\n\n")
		}
		e := yaml.NewEncoder(&text)
		e.SetIndent(2 + w.IntN(3))
		if err := e.Encode(n); err != nil {
			t.Fatal(err)
		}
		if !reads(text.String(), c, testApps) {
			t.Fatalf("the test's own text is not read:\n%s", text.String())
		}
		network, instance := wantSplit(t, text.String())
		if instance == "" || network == "" {
			continue
		}
		both++
		for i := range w.comments {
			comment := fmt.Sprintf("# comment %d.\n", i)
			if strings.Count(network, comment)+strings.Count(instance, comment) == 0 && !mixed(n) {
				t.Fatalf("seed %d: %q is lost:\n%s\nis split into\n%s\nand\n%s", seed, comment, &text, network, instance)
			}
		}
	}
	if both < 150 {
		t.Errorf("only %d configurations have something of both scopes", both)
	}
}

// TestSplit: texts of one scope stay as they are, to the byte; of others each part has its lines.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ text, network, instance string }{
		{"", "", ""},
		{"# nothing\n{}", "# nothing\n{}", ""},
		{"# mine\nallow:   [ 1 ]", "# mine\nallow:   [ 1 ]", ""},
		{"# mine\n{name: x, api: {listen: \"127.0.0.1:1\"}}\n", "", "# mine\n{name: x, api: {listen: \"127.0.0.1:1\"}}\n"},
		{"# of all\n\n# of me\nname: x # here\n# of us\ndomain:   2\n# the end", "# of all\n\n# of us\ndomain:   2\n# the end",
			"# of me\nname: x # here\n"},
		{"openflow: # the port\n  # mine\n  listen: \"127.0.0.1:1\"\n\n  # ours\n  echo_misses: 4\n", "openflow: # the port\n  # ours\n  echo_misses: 4\n",
			"openflow: # the port\n  # mine\n  listen: \"127.0.0.1:1\"\n\n"},
		{"# lost\nopenflow: {listen: \"127.0.0.1:1\", echo_misses: 4}\n", "openflow:\n  echo_misses: 4\n",
			"openflow:\n  listen: 127.0.0.1:1\n"},
		{"name: |-\n  # x\ndomain: 2\n", "domain: 2\n", "name: '# x'\n"}, // what looks like a comment is a value
		{"switches: {1: {name: x}}\nname: x", "switches: {1: {name: x}}\n", "name: x"},
		{"name: x\r\ndomain: 2\r\n", "domain: 2\r\n", "name: x\r\n"},
		{"# \u2028\nname: x\ndomain: 2\n", "domain: 2\n", "name: \"x\"\n"}, // other readers' lines
		{"name: x\napi:\npeer: {}\nswitches: {b2: }\n", "switches: {b2: }\n", "name: x\napi:\npeer: {}\n"},
	} {
		if network, instance := wantSplit(t, c.text); network != c.network || instance != c.instance {
			t.Errorf("%q is split into %q and %q", c.text, network, instance)
		}
	}
	if _, _, err := Split("nmae: x\n"); err == nil {
		t.Error("what is wrong is split")
	}
	if got, want := Join("# a\ndomain: 2\nopenflow: {role: equal}\n", "# b\nname: x\nopenflow: {listen: \"127.0.0.1:1\"}\n"),
		"# a\ndomain: 2\nopenflow: {role: equal, listen: \"127.0.0.1:1\"}\n# b\nname: x\n"; got != want {
		t.Errorf("joined:\n%s\nwant\n%s", got, want)
	}
}

// TestLongSplit: a part is not longer than the text.
func TestLongSplit(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: x\nports:\n")
	for i := 1; b.Len() < 1<<19; i++ {
		fmt.Fprintf(&b, " 1/%d: {edge: true}\n", i)
	}
	network, instance, err := Split(b.String())
	if err != nil || instance != "name: x\n" || len(network)+len(instance) != b.Len() {
		t.Errorf("%d bytes, %q, %v", len(network), instance, err)
	}
}

// FuzzSplit: what is a configuration can be split, and says the same.
func FuzzSplit(f *testing.F) {
	f.Add(whole)
	f.Add("openflow:\n  role: equal\n  listen: 127.0.0.1:1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse([]byte(text), testApps...); err == nil {
			wantSplit(t, text)
		}
	})
}
